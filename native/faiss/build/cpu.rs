//! Instruction sets for FAISS. AVX-512 is not a level: in measurements it was no faster here than
//! AVX2.

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Baseline,
    Avx2,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Level::Baseline => "baseline",
            Level::Avx2 => "avx2",
        }
    }

    pub fn flags(self) -> &'static [&'static str] {
        match self {
            Level::Baseline => &[],
            Level::Avx2 => &["-mavx2", "-mfma", "-mf16c", "-mpopcnt"],
        }
    }
}

/// The level of `PRIORART_CPU`, else the best level of this machine.
pub fn level() -> Result<Level, String> {
    let x86 = std::env::var("CARGO_CFG_TARGET_ARCH").as_deref() == Ok("x86_64");
    match std::env::var("PRIORART_CPU").as_deref() {
        Ok("baseline") => Ok(Level::Baseline),
        Ok("avx2") if x86 => Ok(Level::Avx2),
        Ok("avx2") => Err("PRIORART_CPU=avx2 needs an x86-64 target; use PRIORART_CPU=baseline".into()),
        Ok("") | Err(_) if x86 && host_has_avx2() => Ok(Level::Avx2),
        Ok("") | Err(_) => Ok(Level::Baseline),
        Ok(other) => Err(format!("PRIORART_CPU is '{other}'; expected 'baseline' or 'avx2'")),
    }
}

#[cfg(target_arch = "x86_64")]
fn host_has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("f16c")
        && is_x86_feature_detected!("popcnt")
}

#[cfg(not(target_arch = "x86_64"))]
fn host_has_avx2() -> bool {
    false
}
