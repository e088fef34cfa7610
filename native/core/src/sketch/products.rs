//! Products of codes with the components of a query. They are sums of integers, so every machine
//! gives the same.

use super::BLOCK;

/// Writes, for each record, the sum of the products of its codes and the query's components. A record
/// begins with `query.len() * BITS / 8` bytes of codes; the next one begins `stride` bytes after it.
#[inline]
pub(super) fn sums<const BITS: usize>(records: &[u8], stride: usize, query: &[i8], out: &mut Vec<i32>) {
    let length = query.len() * BITS / 8;
    assert!(length <= stride && length.is_multiple_of(BLOCK) && (BITS == 2 || BITS == 4));
    out.clear();
    #[cfg(target_arch = "x86_64")]
    if vnni::is_there() {
        // SAFETY: the instructions are there; records have whole blocks.
        return unsafe { vnni::sums::<BITS>(records, stride, query, out) };
    }
    #[cfg(target_arch = "aarch64")]
    if crate::neon::has_sdot() {
        // SAFETY: the instruction is there; records have whole blocks.
        return unsafe { neon::sums_sdot::<BITS>(records, stride, query, out) };
    }
    out.extend(records.chunks_exact(stride).map(|record| products::<BITS>(&record[..length], query)));
}

#[inline]
fn products<const BITS: usize>(codes: &[u8], query: &[i8]) -> i32 {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    // Safety: the feature is present at compile time; both have the same number of whole blocks.
    unsafe {
        return products_avx2::<BITS>(codes, query);
    }
    #[cfg(target_arch = "aarch64")]
    // Safety: both have the same number of whole blocks.
    unsafe {
        return neon::products::<BITS>(codes, query, neon::multiply_add);
    }
    #[allow(unreachable_code)]
    products_plain::<BITS>(codes, query)
}

fn products_plain<const BITS: usize>(codes: &[u8], query: &[i8]) -> i32 {
    let mask = (1 << BITS) - 1;
    let of = |(codes, query): (&[u8], &[i8])| -> i32 {
        let part = |(n, query): (usize, &[i8])| -> i32 {
            codes.iter().zip(query).map(|(code, &x)| (code >> (n * BITS) & mask) as i32 * x as i32).sum()
        };
        query.chunks_exact(BLOCK).enumerate().map(part).sum()
    };
    codes.chunks_exact(BLOCK).zip(query.chunks_exact(BLOCK * 8 / BITS)).map(of).sum()
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[inline]
unsafe fn products_avx2<const BITS: usize>(codes: &[u8], query: &[i8]) -> i32 {
    use std::arch::x86_64::*;
    let mask = _mm256_set1_epi8((1 << BITS) - 1);
    let ones = _mm256_set1_epi16(1);
    let mut sum = _mm256_setzero_si256();
    let (mut at, mut query) = (codes.as_ptr(), query.as_ptr());
    for _ in 0..codes.len() / BLOCK {
        let bytes = _mm256_loadu_si256(at.cast());
        let mut pairs = _mm256_setzero_si256();
        for n in 0..8 / BITS {
            // Bits of the neighbouring byte are masked.
            let codes = _mm256_and_si256(_mm256_srl_epi16(bytes, _mm_cvtsi32_si128((n * BITS) as i32)), mask);
            let components = _mm256_loadu_si256(query.cast());
            // Two sums of 2 · 15 · 127, or four of 2 · 3 · 127, do not overflow 16 bits.
            pairs = _mm256_add_epi16(pairs, _mm256_maddubs_epi16(codes, components));
            query = query.add(BLOCK);
        }
        sum = _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, ones));
        at = at.add(BLOCK);
    }
    let half = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
    let pair = _mm_add_epi32(half, _mm_shuffle_epi32::<0b01_00_11_10>(half));
    _mm_cvtsi128_si32(_mm_add_epi32(pair, _mm_shuffle_epi32::<0b00_00_00_01>(pair)))
}

/// The instruction `vpdpbusd` of AVX-512 VNNI multiplies bytes and adds the products by fours.
#[cfg(target_arch = "x86_64")]
mod vnni {
    use super::BLOCK;
    use std::arch::x86_64::*;
    use std::sync::LazyLock;

    #[inline]
    pub(super) fn is_there() -> bool {
        static IS_THERE: LazyLock<bool> = LazyLock::new(|| {
            is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512vnni")
        });
        *IS_THERE
    }

    #[target_feature(enable = "avx2,avx512vl,avx512vnni")]
    pub(super) unsafe fn sums<const BITS: usize>(
        records: &[u8],
        stride: usize,
        query: &[i8],
        out: &mut Vec<i32>,
    ) {
        let mask = _mm256_set1_epi8((1 << BITS) - 1);
        for record in records.chunks_exact(stride) {
            // Apart, because an instruction must wait for the one before that added to the same sum.
            let mut sums = [_mm256_setzero_si256(); 2];
            let (mut codes, mut components) = (record.as_ptr(), query.as_ptr());
            for _ in 0..query.len() * BITS / 8 / BLOCK {
                let mut bytes = _mm256_loadu_si256(codes.cast());
                for n in 0..8 / BITS {
                    let part = _mm256_loadu_si256(components.cast());
                    sums[n % 2] = _mm256_dpbusd_epi32(sums[n % 2], _mm256_and_si256(bytes, mask), part);
                    // Bits of the neighbouring byte are masked.
                    bytes = match BITS {
                        2 => _mm256_srli_epi16::<2>(bytes),
                        _ => _mm256_srli_epi16::<4>(bytes),
                    };
                    components = components.add(BLOCK);
                }
                codes = codes.add(BLOCK);
            }
            let sum = _mm256_add_epi32(sums[0], sums[1]);
            let half = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
            let pair = _mm_add_epi32(half, _mm_shuffle_epi32::<0b01_00_11_10>(half));
            out.push(_mm_cvtsi128_si32(_mm_add_epi32(pair, _mm_shuffle_epi32::<0b00_00_00_01>(pair))));
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod neon {
    use super::BLOCK;
    use crate::neon::sdot;
    use std::arch::aarch64::*;

    /// Numbers in a register.
    const WIDE: usize = 16;

    /// `add` adds the products of 16 pairs of bytes to sums of which the total counts.
    #[inline(always)]
    pub(super) unsafe fn products<const BITS: usize>(
        codes: &[u8],
        query: &[i8],
        add: impl Fn(int32x4_t, int8x16_t, int8x16_t) -> int32x4_t,
    ) -> i32 {
        let mask = vdupq_n_u8((1 << BITS) - 1);
        // Apart, because an instruction must wait for the one before that added to the same sum.
        let mut sums = [vdupq_n_s32(0); 2];
        let (mut at, mut query) = (codes.as_ptr(), query.as_ptr());
        for _ in 0..codes.len() / BLOCK {
            let mut bytes = [vld1q_u8(at), vld1q_u8(at.add(WIDE))];
            for _ in 0..8 / BITS {
                for (half, (sum, bytes)) in sums.iter_mut().zip(&mut bytes).enumerate() {
                    let codes = vreinterpretq_s8_u8(vandq_u8(*bytes, mask));
                    *sum = add(*sum, codes, vld1q_s8(query.add(half * WIDE)));
                    *bytes = match BITS {
                        2 => vshrq_n_u8::<2>(*bytes),
                        _ => vshrq_n_u8::<4>(*bytes),
                    };
                }
                query = query.add(BLOCK);
            }
            at = at.add(BLOCK);
        }
        vaddvq_s32(vaddq_s32(sums[0], sums[1]))
    }

    /// Products of bytes fit into 16 bits, and so does the sum of two products of a code.
    #[inline]
    pub(super) fn multiply_add(sum: int32x4_t, codes: int8x16_t, components: int8x16_t) -> int32x4_t {
        // SAFETY: NEON is part of every 64-bit ARM.
        unsafe {
            let low = vmull_s8(vget_low_s8(codes), vget_low_s8(components));
            vpadalq_s16(sum, vmlal_high_s8(low, codes, components))
        }
    }

    #[target_feature(enable = "dotprod")]
    pub(super) unsafe fn sums_sdot<const BITS: usize>(
        records: &[u8],
        stride: usize,
        query: &[i8],
        out: &mut Vec<i32>,
    ) {
        let length = query.len() * BITS / 8;
        let one = |record: &[u8]| products::<BITS>(&record[..length], query, |sum, a, b| sdot(sum, a, b));
        out.extend(records.chunks_exact(stride).map(one));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sums_are_exact(
            blocks in 1usize..5,
            besides in 0usize..9,
            bytes in prop::collection::vec(any::<u8>(), 700),
            query in prop::collection::vec(-127i8..=127, 4 * BLOCK * 4),
        ) {
            let stride = blocks * BLOCK + besides;
            let mut found = Vec::new();
            let (two, four) = (&query[..blocks * BLOCK * 4], &query[..blocks * BLOCK * 2]);
            let records = || bytes.chunks_exact(stride).map(|record| &record[..blocks * BLOCK]);
            let of = |n: usize, code: u8, bits: usize| (code >> (n * bits) & ((1 << bits) - 1)) as i32;
            let truth = |codes: &[u8], query: &[i8], bits: usize| -> i32 {
                let each = 8 / bits;
                (0..query.len()).map(|d| {
                    let (block, part, j) = (d / (BLOCK * each), d / BLOCK % each, d % BLOCK);
                    of(part, codes[block * BLOCK + j], bits) * query[d] as i32
                }).sum()
            };
            sums::<2>(&bytes, stride, two, &mut found);
            prop_assert_eq!(&found, &records().map(|codes| truth(codes, two, 2)).collect::<Vec<_>>());
            prop_assert_eq!(&found, &records().map(|codes| products::<2>(codes, two)).collect::<Vec<_>>());
            prop_assert_eq!(&found, &records().map(|codes| products_plain::<2>(codes, two)).collect::<Vec<_>>());
            sums::<4>(&bytes, stride, four, &mut found);
            prop_assert_eq!(&found, &records().map(|codes| truth(codes, four, 4)).collect::<Vec<_>>());
            prop_assert_eq!(&found, &records().map(|codes| products::<4>(codes, four)).collect::<Vec<_>>());
            prop_assert_eq!(&found, &records().map(|codes| products_plain::<4>(codes, four)).collect::<Vec<_>>());
        }
    }
}
