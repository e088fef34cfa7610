//! Compiles FAISS into a static library, or takes the library from the cache.
//!
//! Environment, all optional:
//! * `PRIORART_CPU`: `baseline` or `avx2`, the instruction set for FAISS. Default: that of this
//!   machine.
//! * `PRIORART_CACHE`: a folder outside the checkout for the finished library. A fresh clone, a
//!   cleaned target folder or an interrupted build does not start from the beginning.
//! * `PRIORART_PROGRESS`: a file that gets a line for each compiled source,
//!   `faiss 34/120 IndexIVF.cpp`.
//! * `NUM_JOBS` (set by cargo): the number of parallel compilers.

mod compile;
mod cpu;
mod sources;

use std::path::PathBuf;

fn main() {
    if let Err(message) = run() {
        // Prints one readable line. A panic would add a note about backtraces.
        eprintln!("error: {message}");
        std::process::exit(1);
    }
}

fn run() -> Result<(), String> {
    for name in ["PRIORART_CPU", "PRIORART_CACHE", "CXX", "CXXFLAGS"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    for path in ["build", "cpp"] {
        println!("cargo:rerun-if-changed={path}");
    }
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") {
        return Err(
            "the native addon is built and tested on Linux only; use Linux, a container or WSL".into()
        );
    }
    let level = cpu::level()?;
    let faiss = sources::locate()?;
    let plan = compile::Plan::new(&faiss, level)?;
    let folder = match std::env::var_os("PRIORART_CACHE") {
        Some(cache) if !cache.is_empty() => PathBuf::from(cache).join("faiss").join(plan.key()),
        _ => PathBuf::from(std::env::var_os("OUT_DIR").unwrap()).join("faiss"),
    };
    compile::library(&plan, &folder)?;

    println!("cargo:rustc-env=PRIORART_CPU_LEVEL={}", level.name());
    println!("cargo:rustc-link-search=native={}", folder.display());
    println!("cargo:rustc-link-lib=static=faiss");
    println!("cargo:rustc-link-lib=dylib={}", plan.openmp_library());
    println!("cargo:rustc-link-lib=dylib=stdc++");
    // The build script of the linking crate reads these as DEP_FAISS_*.
    println!("cargo:include={}", faiss.display());
    // The separator occurs in no path.
    println!("cargo:flags={}", plan.flags().join("\u{1f}"));
    Ok(())
}
