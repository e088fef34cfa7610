//! FAISS as a static library, and the two BLAS routines that it calls.
//!
//! Rust code does not call FAISS here; `priorart-shim` does, through its own C++.

mod blas;

/// The instruction set for which FAISS was compiled: `baseline` or `avx2`.
pub const CPU_LEVEL: &str = env!("PRIORART_CPU_LEVEL");

/// Whether this machine supports the instruction set for which FAISS was compiled.
pub fn cpu_is_supported() -> bool {
    #[cfg(target_arch = "x86_64")]
    if CPU_LEVEL == "avx2" {
        return is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c")
            && is_x86_feature_detected!("popcnt");
    }
    true
}
