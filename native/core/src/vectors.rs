//! Stored vectors (IEEE half precision, row after row) and the exact score of a row.
//!
//! Half precision does not change a similarity shown with four digits, and halves the bytes of an
//! exact scan. The inner product is summed in f32 in a fixed order, so that a row has the same
//! score in every segment.

use half::f16;

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
    out.extend(vector.iter().map(|&x| f16::from_f32(x).to_bits()));
}

pub fn decode(row: &[u16], out: &mut Vec<f32>) {
    out.extend(row.iter().map(|&bits| f16::from_bits(bits).to_f32()));
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
    #[allow(unreachable_code)]
    dot_plain(query, row)
}

/// Prefetches numbers into the cache. Loading data from random places in memory takes several times
/// as long as computing with it.
#[inline]
pub fn prefetch<T>(numbers: &[T]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
        let at: *const i8 = numbers.as_ptr().cast();
        let skew = at as usize % CACHE_LINE;
        for line in (0..skew + size_of_val(numbers)).step_by(CACHE_LINE) {
            // SAFETY: a hint, which reads nothing; SSE is part of x86-64.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(at.wrapping_sub(skew).wrapping_add(line)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = numbers;
}

#[cfg(target_arch = "x86_64")]
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_the_sum_in_double_precision(pairs in prop::collection::vec((-1f32..1.0, -1f32..1.0), 1..200)) {
            let query: Vec<f32> = pairs.iter().map(|p| p.0).collect();
            let mut row = Vec::new();
            encode(&pairs.iter().map(|p| p.1).collect::<Vec<_>>(), &mut row);
            let exact: f64 = query.iter().zip(&row).map(|(&q, &r)| q as f64 * f16::from_bits(r).to_f64()).sum();
            prop_assert!((dot(&query, &row) as f64 - exact).abs() < 1e-4);
            prop_assert!((dot_plain(&query, &row) as f64 - exact).abs() < 1e-4);
        }
    }
}
