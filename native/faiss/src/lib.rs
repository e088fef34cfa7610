//! FAISS as a static library, and the two BLAS routines that it calls.
//!
//! Rust code has nothing to call here: `priorart-shim` does, through its own C++.

mod blas;

/// The instructions that FAISS was compiled for: `baseline` or `avx2`.
pub const CPU_LEVEL: &str = env!("PRIORART_CPU_LEVEL");

/// Whether this machine has the instructions that FAISS was compiled for.
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
