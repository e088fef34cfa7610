//! Inner products of one row of the model with all rows of a query. They are sums of integers, so
//! every machine gives the same bits.

/// Query rows whose products with one row are computed together.
pub(super) const WIDE: usize = 8;

/// The rows of a query, arranged for this machine's instructions.
pub(super) struct QueryRows {
    dimensions: usize,
    /// Number of rows, a multiple of `WIDE`. Rows beyond those given are 0.
    width: usize,
    arranged: Arranged,
}

enum Arranged {
    /// Row after row, as 16-bit numbers.
    Rows(Vec<i16>),
    #[cfg(target_arch = "x86_64")]
    Vnni(vnni::Columns),
    /// Row after row.
    #[cfg(target_arch = "aarch64")]
    Bytes(Vec<i8>),
}

impl QueryRows {
    /// `rows` has one or more whole rows. The length of a row is a multiple of 16.
    pub(super) fn new(rows: &[i8], dimensions: usize) -> Self {
        assert!(dimensions > 0 && dimensions.is_multiple_of(16) && rows.len().is_multiple_of(dimensions));
        #[cfg(target_arch = "x86_64")]
        if vnni::is_there() {
            return Self::with(rows, dimensions, |rows| Arranged::Vnni(vnni::Columns::new(rows, dimensions)));
        }
        #[cfg(target_arch = "aarch64")]
        if crate::neon::has_sdot() {
            return Self::with(rows, dimensions, |rows| Arranged::Bytes(rows.to_vec()));
        }
        Self::plain(rows, dimensions)
    }

    fn plain(rows: &[i8], dimensions: usize) -> Self {
        Self::with(rows, dimensions, |rows| Arranged::Rows(rows.iter().map(|&x| x as i16).collect()))
    }

    fn with(rows: &[i8], dimensions: usize, arrange: impl FnOnce(&[i8]) -> Arranged) -> Self {
        let width = (rows.len() / dimensions).next_multiple_of(WIDE);
        let mut padded = rows.to_vec();
        padded.resize(width * dimensions, 0);
        QueryRows { dimensions, width, arranged: arrange(&padded) }
    }

    /// Number of products that `products` writes.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Writes the product of `row` with each row of the query. The memory of `wide` is reused.
    #[inline]
    pub(super) fn products(&self, row: &[i8], wide: &mut Vec<i16>, out: &mut [i32]) {
        assert!(row.len() == self.dimensions && out.len() == self.width);
        match &self.arranged {
            Arranged::Rows(rows) => {
                wide.clear();
                wide.extend(row.iter().map(|&x| x as i16));
                let groups = rows.chunks_exact(WIDE * self.dimensions);
                for (rows, out) in groups.zip(out.chunks_exact_mut(WIDE)) {
                    out.copy_from_slice(&products(rows, wide));
                }
            }
            #[cfg(target_arch = "x86_64")]
            Arranged::Vnni(columns) => columns.products(row, out),
            #[cfg(target_arch = "aarch64")]
            // SAFETY: `new` checked the instruction, and `with` the lengths.
            Arranged::Bytes(rows) => unsafe { products_sdot(rows, row, out) },
        }
    }
}

/// Exact: rows have at most 65,536 numbers within ±128.
#[inline]
fn dot(a: &[i16], b: &[i16]) -> i32 {
    a.iter().zip(b).map(|(&a, &b)| a as i32 * b as i32).sum()
}

/// Inner products of a row with `WIDE` adjacent rows. The length of a row is a multiple of 16.
#[inline]
fn products(rows: &[i16], row: &[i16]) -> [i32; WIDE] {
    assert!(rows.len() == WIDE * row.len() && row.len().is_multiple_of(16));
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    // Safety: the feature is present at compile time, and the assertion checks the lengths.
    unsafe {
        return products_avx2(rows, row);
    }
    #[allow(unreachable_code)]
    products_plain(rows, row)
}

fn products_plain(rows: &[i16], row: &[i16]) -> [i32; WIDE] {
    std::array::from_fn(|q| dot(&rows[q * row.len()..][..row.len()], row))
}

/// Each part of the row is loaded once for all products, whose sums are reduced together.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
unsafe fn products_avx2(rows: &[i16], row: &[i16]) -> [i32; WIDE] {
    use std::arch::x86_64::*;
    let n = row.len();
    let mut sums = [_mm256_setzero_si256(); WIDE];
    for i in (0..n).step_by(16) {
        let part = _mm256_loadu_si256(row.as_ptr().add(i).cast());
        for (q, sum) in sums.iter_mut().enumerate() {
            let other = _mm256_loadu_si256(rows.as_ptr().add(q * n + i).cast());
            *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(part, other));
        }
    }
    let four = |q: usize| {
        let ab = _mm256_hadd_epi32(sums[q], sums[q + 1]);
        let cd = _mm256_hadd_epi32(sums[q + 2], sums[q + 3]);
        let halves = _mm256_hadd_epi32(ab, cd);
        _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves))
    };
    let mut out = [0i32; WIDE];
    _mm_storeu_si128(out.as_mut_ptr().cast(), four(0));
    _mm_storeu_si128(out.as_mut_ptr().add(4).cast(), four(4));
    out
}

/// `rows` has a row for each number of `out`, a multiple of `WIDE`. Each part of the row is loaded once for `WIDE` products.
#[cfg(target_arch = "aarch64")]
#[target_feature(enable = "dotprod")]
unsafe fn products_sdot(rows: &[i8], row: &[i8], out: &mut [i32]) {
    use crate::neon::sdot;
    use std::arch::aarch64::*;
    let n = row.len();
    assert!(rows.len() == out.len() * n && n.is_multiple_of(16) && out.len().is_multiple_of(WIDE));
    for (rows, out) in rows.chunks_exact(WIDE * n).zip(out.chunks_exact_mut(WIDE)) {
        let mut sums = [vdupq_n_s32(0); WIDE];
        for i in (0..n).step_by(16) {
            let part = vld1q_s8(row.as_ptr().add(i));
            for (q, sum) in sums.iter_mut().enumerate() {
                *sum = sdot(*sum, part, vld1q_s8(rows.as_ptr().add(q * n + i)));
            }
        }
        for (four, out) in sums.chunks_exact(4).zip(out.chunks_exact_mut(4)) {
            let sums = vpaddq_s32(vpaddq_s32(four[0], four[1]), vpaddq_s32(four[2], four[3]));
            vst1q_s32(out.as_mut_ptr(), sums);
        }
    }
}

/// The instruction `vpdpbusd` of AVX-512 VNNI multiplies 64 pairs of bytes and adds them by fours.
#[cfg(target_arch = "x86_64")]
mod vnni {
    use super::WIDE;
    use std::arch::x86_64::*;
    use std::sync::LazyLock;

    /// Query rows in one register.
    const LANES: usize = 16;
    /// Bytes of a row that one lane multiplies at a time.
    const FOUR: usize = 4;
    /// Registers of sums. More would not fit beside the others.
    const MOST: usize = 8;

    pub(super) fn is_there() -> bool {
        static IS_THERE: LazyLock<bool> = LazyLock::new(|| {
            is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vnni")
        });
        *IS_THERE
    }

    /// Column after column: four numbers of each query row, then the next four of each. A register
    /// then holds 16 query rows, and no sum crosses its lanes.
    pub(super) struct Columns {
        /// Blocks of at most `MOST` registers of query rows.
        blocks: Vec<Block>,
    }

    struct Block {
        columns: Vec<i8>,
        /// What each sum begins with. The instruction takes one factor as unsigned, so 128 is added
        /// to each number of the other row, and its products are subtracted here.
        start: Vec<i32>,
        registers: usize,
    }

    impl Columns {
        /// Only if `is_there`.
        pub(super) fn new(rows: &[i8], dimensions: usize) -> Self {
            assert!(is_there());
            let rows: Vec<&[i8]> = rows.chunks_exact(dimensions).collect();
            Columns { blocks: rows.chunks(MOST * LANES).map(|rows| Block::new(rows, dimensions)).collect() }
        }

        /// `out` has a multiple of `WIDE` numbers, one for each row.
        pub(super) fn products(&self, row: &[i8], out: &mut [i32]) {
            for (block, out) in self.blocks.iter().zip(out.chunks_mut(MOST * LANES)) {
                // SAFETY: `new` checked the instructions.
                unsafe {
                    match block.registers {
                        1 => block.products::<1, 4>(row, out),
                        2 => block.products::<2, 4>(row, out),
                        3 => block.products::<3, 2>(row, out),
                        4 => block.products::<4, 2>(row, out),
                        5 => block.products::<5, 1>(row, out),
                        6 => block.products::<6, 1>(row, out),
                        7 => block.products::<7, 1>(row, out),
                        _ => block.products::<MOST, 1>(row, out),
                    }
                }
            }
        }
    }

    impl Block {
        fn new(rows: &[&[i8]], dimensions: usize) -> Self {
            let registers = rows.len().div_ceil(LANES);
            let lanes = registers * LANES;
            let mut columns = vec![0; lanes * dimensions];
            let mut start = vec![0; lanes];
            for (q, row) in rows.iter().enumerate() {
                for (column, four) in row.chunks_exact(FOUR).enumerate() {
                    columns[(column * lanes + q) * FOUR..][..FOUR].copy_from_slice(four);
                }
                start[q] = -128 * row.iter().map(|&x| x as i32).sum::<i32>();
            }
            Block { columns, start, registers }
        }

        /// Each of `N` registers has `APART` sums: an instruction must wait for the one before that
        /// added to the same sum. `APART` divides 4.
        #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
        unsafe fn products<const N: usize, const APART: usize>(&self, row: &[i8], out: &mut [i32]) {
            let (columns, count) = (self.columns.as_ptr(), row.len() / FOUR);
            assert!(self.columns.len() == count * N * LANES * FOUR && self.start.len() == N * LANES);
            let mut sums = [[_mm512_setzero_si512(); APART]; N];
            for (n, sums) in sums.iter_mut().enumerate() {
                sums[0] = _mm512_loadu_si512(self.start.as_ptr().add(n * LANES).cast());
            }
            for from in (0..count).step_by(APART) {
                for apart in 0..APART {
                    let column = from + apart;
                    let four = row.as_ptr().add(column * FOUR).cast::<i32>().read_unaligned();
                    // Adds 128 to each byte, which is then unsigned.
                    let four = _mm512_set1_epi32(four ^ 0x8080_8080u32 as i32);
                    for (n, sums) in sums.iter_mut().enumerate() {
                        let own = _mm512_loadu_si512(columns.add((column * N + n) * LANES * FOUR).cast());
                        sums[apart] = _mm512_dpbusd_epi32(sums[apart], four, own);
                    }
                }
            }
            for (n, sums) in sums.iter().enumerate() {
                let sum = sums[1..].iter().fold(sums[0], |sum, &other| _mm512_add_epi32(sum, other));
                let rest = out.len() - n * LANES;
                let mask = if rest >= LANES { u16::MAX } else { (1 << rest) - 1 };
                _mm512_mask_storeu_epi32(out.as_mut_ptr().add(n * LANES), mask, sum);
            }
        }
    }

    const _: () = assert!(LANES.is_multiple_of(WIDE));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn dot_of(a: &[i8], b: &[i8]) -> i32 {
        a.iter().zip(b).map(|(&a, &b)| a as i32 * b as i32).sum()
    }

    proptest! {
        #[test]
        fn products_with_all_rows_are_those_of_each(
            (rows, row, dimensions) in (1..40usize, 1..5usize).prop_flat_map(|(count, parts)| {
                let numbers = |count: usize| prop::collection::vec(any::<i8>().boxed(), count);
                (numbers(count * 16 * parts), numbers(16 * parts), Just(16 * parts))
            }),
            times in 1..6usize,
        ) {
            // Up to 200 rows.
            let rows = rows.repeat(times);
            let mut wide = Vec::new();
            let mut expected: Vec<i32> = rows.chunks_exact(dimensions).map(|own| dot_of(own, &row)).collect();
            for arranged in [QueryRows::new(&rows, dimensions), QueryRows::plain(&rows, dimensions)] {
                let mut out = vec![-1; arranged.width()];
                arranged.products(&row, &mut wide, &mut out);
                expected.resize(arranged.width(), 0);
                prop_assert_eq!(&out, &expected);
            }
            let wide: Vec<i16> = row.iter().map(|&x| x as i16).collect();
            let adjacent: Vec<i16> = rows.iter().cycle().take(WIDE * dimensions).map(|&x| x as i16).collect();
            prop_assert_eq!(products(&adjacent, &wide), products_plain(&adjacent, &wide));
        }
    }
}
