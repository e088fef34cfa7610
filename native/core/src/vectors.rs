//! Stored vectors (IEEE half precision, row after row) and the exact score of a row.
//!
//! Half precision does not change a similarity shown with four digits, and halves the bytes of an
//! exact scan. The inner product is summed in f32 in a fixed order, so that a row has the same
//! score in every segment.

use half::f16;
use half::slice::{HalfBitsSliceExt, HalfFloatSliceExt};

/// Index of the greatest number of a stored row, the first of equal ones; `None` for an empty row.
pub fn argmax(row: &[u16]) -> Option<usize> {
    let greater = |best: usize, at: usize| {
        if f16::from_bits(row[at]) > f16::from_bits(row[best]) {
            at
        } else {
            best
        }
    };
    (0..row.len()).reduce(greater)
}

/// The greatest magnitude of a half-precision component. A greater one would become infinite.
pub const GREATEST: f32 = 65_504.0;

/// Rounds to half precision, to nearest even.
pub fn encode(vector: &[f32], out: &mut Vec<u16>) {
    let start = out.len();
    out.resize(start + vector.len(), 0);
    out[start..].reinterpret_cast_mut::<f16>().convert_from_f32_slice(vector);
}

pub fn decode(row: &[u16], out: &mut Vec<f32>) {
    let start = out.len();
    out.resize(start + row.len(), 0.0);
    row.reinterpret_cast::<f16>().convert_to_f32_slice(&mut out[start..]);
}

/// Inner product of a query with a stored row.
#[inline]
pub fn dot(query: &[f32], row: &[u16]) -> f32 {
    debug_assert_eq!(query.len(), row.len());
    #[cfg(all(
        target_arch = "x86_64",
        target_feature = "avx2",
        target_feature = "fma",
        target_feature = "f16c"
    ))]
    // Safety: the features are present at compile time; both slices have the same length.
    unsafe {
        return dot_f16c(query, row);
    }
    #[cfg(target_arch = "aarch64")]
    // Safety: both slices have the same length.
    unsafe {
        return dot_neon(query, row);
    }
    #[allow(unreachable_code)]
    dot_plain(query, row)
}

/// Prefetches numbers into the cache. Loading data from random places in memory takes several times
/// as long as computing with it.
#[inline]
pub fn prefetch<T>(numbers: &[T]) {
    let at: *const i8 = numbers.as_ptr().cast();
    let skew = at as usize % CACHE_LINE;
    for line in (0..skew + size_of_val(numbers)).step_by(CACHE_LINE) {
        let line = at.wrapping_sub(skew).wrapping_add(line);
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a hint, which reads nothing; SSE is part of x86-64.
        unsafe {
            std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(line)
        };
        #[cfg(target_arch = "aarch64")]
        crate::neon::prefetch(line);
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        let _ = line;
    }
}

const CACHE_LINE: usize = 64;

/// Eight running sums, added pairwise at the end, in the same order as the vector code.
pub fn dot_plain(query: &[f32], row: &[u16]) -> f32 {
    let mut sums = [0f32; 8];
    let whole = query.len() / 8 * 8;
    for (q, r) in query[..whole].chunks_exact(8).zip(row[..whole].chunks_exact(8)) {
        for lane in 0..8 {
            sums[lane] += q[lane] * f16::from_bits(r[lane]).to_f32();
        }
    }
    let mut total = ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
    for i in whole..query.len() {
        total += query[i] * f16::from_bits(row[i]).to_f32();
    }
    total
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "fma", target_feature = "f16c"))]
unsafe fn dot_f16c(query: &[f32], row: &[u16]) -> f32 {
    use std::arch::x86_64::*;
    let n = query.len();
    let (q, r) = (query.as_ptr(), row.as_ptr());
    let (mut a, mut b) = (_mm256_setzero_ps(), _mm256_setzero_ps());
    let mut i = 0;
    while i + 16 <= n {
        let x = _mm256_cvtph_ps(_mm_loadu_si128(r.add(i).cast()));
        let y = _mm256_cvtph_ps(_mm_loadu_si128(r.add(i + 8).cast()));
        a = _mm256_fmadd_ps(_mm256_loadu_ps(q.add(i)), x, a);
        b = _mm256_fmadd_ps(_mm256_loadu_ps(q.add(i + 8)), y, b);
        i += 16;
    }
    if i + 8 <= n {
        let x = _mm256_cvtph_ps(_mm_loadu_si128(r.add(i).cast()));
        a = _mm256_fmadd_ps(_mm256_loadu_ps(q.add(i)), x, a);
        i += 8;
    }
    let mut lanes = [0f32; 8];
    _mm256_storeu_ps(lanes.as_mut_ptr(), _mm256_add_ps(a, b));
    let mut total =
        ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
    while i < n {
        total += *q.add(i) * f16::from_bits(*r.add(i)).to_f32();
        i += 1;
    }
    total
}

/// The same sums as `dot_f16c`, so that both kinds of machines give the same bits.
#[cfg(target_arch = "aarch64")]
unsafe fn dot_neon(query: &[f32], row: &[u16]) -> f32 {
    use crate::neon::widened;
    use std::arch::aarch64::*;
    let n = query.len();
    let (q, r) = (query.as_ptr(), row.as_ptr());
    let (mut a, mut a_high, mut b, mut b_high) =
        (vdupq_n_f32(0.0), vdupq_n_f32(0.0), vdupq_n_f32(0.0), vdupq_n_f32(0.0));
    let mut i = 0;
    while i + 16 <= n {
        let (x, x_high) = widened(vld1q_u16(r.add(i)));
        let (y, y_high) = widened(vld1q_u16(r.add(i + 8)));
        a = vfmaq_f32(a, vld1q_f32(q.add(i)), x);
        a_high = vfmaq_f32(a_high, vld1q_f32(q.add(i + 4)), x_high);
        b = vfmaq_f32(b, vld1q_f32(q.add(i + 8)), y);
        b_high = vfmaq_f32(b_high, vld1q_f32(q.add(i + 12)), y_high);
        i += 16;
    }
    if i + 8 <= n {
        let (x, x_high) = widened(vld1q_u16(r.add(i)));
        a = vfmaq_f32(a, vld1q_f32(q.add(i)), x);
        a_high = vfmaq_f32(a_high, vld1q_f32(q.add(i + 4)), x_high);
        i += 8;
    }
    let mut lanes = [0f32; 4];
    vst1q_f32(lanes.as_mut_ptr(), vaddq_f32(vaddq_f32(a, b), vaddq_f32(a_high, b_high)));
    let mut total = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    while i < n {
        total += *q.add(i) * f16::from_bits(*r.add(i)).to_f32();
        i += 1;
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The sums of the vector code of both kinds of machines, number by number.
    fn dot_fused(query: &[f32], row: &[u16]) -> f32 {
        let number = |i: usize| f16::from_bits(row[i]).to_f32();
        let mut sums = [0f32; 16];
        let whole = query.len() / 8 * 8;
        for i in 0..whole {
            sums[i % 16] = query[i].mul_add(number(i), sums[i % 16]);
        }
        let eight: [f32; 8] = std::array::from_fn(|lane| sums[lane] + sums[lane + 8]);
        let pair = |lane: usize| eight[lane] + eight[lane + 4];
        let total = (pair(0) + pair(1)) + (pair(2) + pair(3));
        (whole..query.len()).fold(total, |total, i| total + query[i] * number(i))
    }

    proptest! {
        #[test]
        fn equals_the_sum_in_double_precision(pairs in prop::collection::vec((-1f32..1.0, -1f32..1.0), 1..200)) {
            let query: Vec<f32> = pairs.iter().map(|p| p.0).collect();
            let mut row = Vec::new();
            encode(&pairs.iter().map(|p| p.1).collect::<Vec<_>>(), &mut row);
            let exact: f64 = query.iter().zip(&row).map(|(&q, &r)| q as f64 * f16::from_bits(r).to_f64()).sum();
            prop_assert!((dot(&query, &row) as f64 - exact).abs() < 1e-4);
            prop_assert!((dot_plain(&query, &row) as f64 - exact).abs() < 1e-4);
            if cfg!(any(target_feature = "f16c", target_arch = "aarch64")) {
                prop_assert_eq!(dot(&query, &row).to_bits(), dot_fused(&query, &row).to_bits());
            }
        }

        #[test]
        fn rows_are_encoded_and_decoded_number_by_number(numbers in prop::collection::vec(-70_000f32..70_000.0, 0..40)) {
            let (mut row, mut decoded) = (vec![7], vec![7.0]);
            encode(&numbers, &mut row);
            let one_by_one: Vec<u16> = numbers.iter().map(|&x| f16::from_f32(x).to_bits()).collect();
            prop_assert_eq!(&row[1..], &one_by_one);
            decode(&row[1..], &mut decoded);
            let one_by_one: Vec<f32> = row[1..].iter().map(|&bits| f16::from_bits(bits).to_f32()).collect();
            prop_assert_eq!(&decoded[1..], &one_by_one);
        }
    }
}
