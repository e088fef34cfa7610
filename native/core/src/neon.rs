//! Instructions of 64-bit ARM that Rust 1.89 has no function for.

use std::arch::aarch64::{float32x4_t, int32x4_t, int8x16_t, uint16x8_t};
use std::arch::asm;
use std::sync::LazyLock;

/// The first four and the last four of eight half-precision numbers, in single precision.
#[inline]
pub fn widened(halves: uint16x8_t) -> (float32x4_t, float32x4_t) {
    let (low, high);
    // SAFETY: FCVTL is part of every 64-bit ARM, and writes only the two registers.
    unsafe {
        asm!(
            "fcvtl {low:v}.4s, {halves:v}.4h",
            "fcvtl2 {high:v}.4s, {halves:v}.8h",
            low = out(vreg) low,
            high = lateout(vreg) high,
            halves = in(vreg) halves,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    (low, high)
}

/// Whether this machine has SDOT: all since ARMv8.4, and many before.
#[inline]
pub fn has_sdot() -> bool {
    static HAS: LazyLock<bool> = LazyLock::new(|| std::arch::is_aarch64_feature_detected!("dotprod"));
    *HAS
}

/// Multiplies 16 pairs of bytes, and adds the products by fours to the sums.
///
/// # Safety
/// Only if `has_sdot`.
#[inline]
#[target_feature(enable = "dotprod")]
pub unsafe fn sdot(sums: int32x4_t, a: int8x16_t, b: int8x16_t) -> int32x4_t {
    let mut sums = sums;
    asm!(
        "sdot {sums:v}.4s, {a:v}.16b, {b:v}.16b",
        sums = inout(vreg) sums,
        a = in(vreg) a,
        b = in(vreg) b,
        options(pure, nomem, nostack, preserves_flags),
    );
    sums
}

/// Brings a cache line near.
#[inline]
pub fn prefetch(address: *const i8) {
    // SAFETY: a hint, which reads nothing.
    unsafe {
        asm!("prfm pldl1keep, [{0}]", in(reg) address, options(readonly, nostack, preserves_flags));
    }
}
