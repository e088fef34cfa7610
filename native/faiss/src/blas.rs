//! Single-precision matrix products in the Fortran calling convention: column-major, all arguments
//! by pointer. Order and meaning of the arguments are those of the BLAS reference (netlib `sgemm`,
//! `sgemv`).

use gemm_common::Parallelism;
use std::ffi::{c_char, c_int};

extern "C" {
    fn omp_get_max_threads() -> c_int;
}

fn transposed(flag: *const c_char) -> bool {
    // SAFETY: FAISS passes string literals.
    matches!(unsafe { *flag } as u8, b'T' | b't' | b'C' | b'c')
}

/// (row stride, column stride) of op(A) for a column-major A.
fn strides(transposed: bool, ld: c_int) -> (isize, isize) {
    if transposed {
        (ld as isize, 1)
    } else {
        (1, ld as isize)
    }
}

/// C := alpha op(A) op(B) + beta C, where op(A) is m×k, op(B) is k×n and C is m×n.
///
/// # Safety
/// All pointers must be valid for the given sizes, and C must not overlap A or B.
#[no_mangle]
pub unsafe extern "C" fn priorart_sgemm_(
    transa: *const c_char,
    transb: *const c_char,
    m: *const c_int,
    n: *const c_int,
    k: *const c_int,
    alpha: *const f32,
    a: *const f32,
    lda: *const c_int,
    b: *const f32,
    ldb: *const c_int,
    beta: *const f32,
    c: *mut f32,
    ldc: *const c_int,
) -> c_int {
    let (m, n, k) = (*m as usize, *n as usize, *k as usize);
    let (a_rs, a_cs) = strides(transposed(transa), *lda);
    let (b_rs, b_cs) = strides(transposed(transb), *ldb);
    // Searches run with one thread. Training allows more, which are used only for large products.
    let parallelism = match omp_get_max_threads() {
        threads if threads > 1 && m * n * k > 1 << 24 => Parallelism::Rayon(threads as usize),
        _ => Parallelism::None,
    };
    // The crate swaps the names: its alpha scales the old C, its beta the product.
    gemm_f32::gemm::f32::get_gemm_fn()(
        m,
        n,
        k,
        c,
        *ldc as isize,
        1,
        *beta != 0.0,
        a,
        a_cs,
        a_rs,
        b,
        b_cs,
        b_rs,
        *beta,
        *alpha,
        false,
        false,
        false,
        parallelism,
    );
    0
}

/// y := alpha op(A) x + beta y, where A is m×n.
///
/// # Safety
/// All pointers must be valid for the given sizes and increments, y must not overlap A or x, and
/// increments must be positive.
#[no_mangle]
pub unsafe extern "C" fn priorart_sgemv_(
    trans: *const c_char,
    m: *const c_int,
    n: *const c_int,
    alpha: *const f32,
    a: *const f32,
    lda: *const c_int,
    x: *const f32,
    incx: *const c_int,
    beta: *const f32,
    y: *mut f32,
    incy: *const c_int,
) -> c_int {
    let t = transposed(trans);
    let (rows, depth) = if t { (*n as usize, *m as usize) } else { (*m as usize, *n as usize) };
    let (a_rs, a_cs) = strides(t, *lda);
    gemm_f32::gemm::f32::get_gemm_fn()(
        rows,
        1,
        depth,
        y,
        (rows as isize) * *incy as isize,
        *incy as isize,
        *beta != 0.0,
        a,
        a_cs,
        a_rs,
        x,
        (depth as isize) * *incx as isize,
        *incx as isize,
        *beta,
        *alpha,
        false,
        false,
        false,
        Parallelism::None,
    );
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(n: usize, mut state: u32) -> Vec<f32> {
        (0..n)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 8) as f32 / (1 << 24) as f32 - 0.5
            })
            .collect()
    }

    /// Compares with three loops, for both transpositions of both sides, odd sizes and leading
    /// dimensions larger than the rows.
    #[test]
    fn sgemm_is_the_textbook_product() {
        let (m, n, k) = (7usize, 5usize, 33usize);
        for (ta, tb) in [(false, false), (true, false), (false, true), (true, true)] {
            for (alpha, beta) in [(1.0f32, 0.0f32), (-2.0, 1.0), (0.5, -0.25)] {
                let (lda, ldb, ldc) = (if ta { k } else { m } + 2, if tb { n } else { k } + 1, m + 3);
                let a = noise(lda * m.max(k), 1);
                let b = noise(ldb * n.max(k), 2);
                let start = noise(ldc * n, 3);
                let mut c = start.clone();
                let flag = |t: bool| if t { c"Transposed".as_ptr() } else { c"Not".as_ptr() };
                let int = |v: usize| v as c_int;
                unsafe {
                    priorart_sgemm_(
                        flag(ta),
                        flag(tb),
                        &int(m),
                        &int(n),
                        &int(k),
                        &alpha,
                        a.as_ptr(),
                        &int(lda),
                        b.as_ptr(),
                        &int(ldb),
                        &beta,
                        c.as_mut_ptr(),
                        &int(ldc),
                    );
                }
                for j in 0..n {
                    for i in 0..ldc {
                        let at = i + j * ldc;
                        if i >= m {
                            assert_eq!(c[at], start[at], "padding was written");
                            continue;
                        }
                        let product: f64 = (0..k)
                            .map(|p| {
                                let x = if ta { a[p + i * lda] } else { a[i + p * lda] };
                                let y = if tb { b[j + p * ldb] } else { b[p + j * ldb] };
                                f64::from(x) * f64::from(y)
                            })
                            .sum();
                        let expected = f64::from(alpha) * product + f64::from(beta) * f64::from(start[at]);
                        assert!((f64::from(c[at]) - expected).abs() < 1e-5, "{ta} {tb} {i},{j}");
                    }
                }
            }
        }
    }

    #[test]
    fn sgemv_is_the_textbook_product() {
        let (m, n) = (9usize, 4usize);
        let a = noise(m * n, 4);
        for t in [false, true] {
            let (rows, depth) = if t { (n, m) } else { (m, n) };
            let x = noise(depth, 5);
            let mut y = vec![f32::NAN; rows];
            let flag = if t { c"T".as_ptr() } else { c"N".as_ptr() };
            unsafe {
                priorart_sgemv_(
                    flag,
                    &(m as c_int),
                    &(n as c_int),
                    &1.0,
                    a.as_ptr(),
                    &(m as c_int),
                    x.as_ptr(),
                    &1,
                    &0.0,
                    y.as_mut_ptr(),
                    &1,
                );
            }
            for (i, got) in y.iter().enumerate() {
                let expected: f32 =
                    (0..depth).map(|p| x[p] * if t { a[p + i * m] } else { a[i + p * m] }).sum();
                assert!((got - expected).abs() < 1e-5);
            }
        }
    }
}
