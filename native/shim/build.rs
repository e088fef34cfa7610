//! Compiles the C++ part of the shim with the flags of FAISS.

fn main() {
    println!("cargo:rerun-if-changed=cpp");
    let flags = std::env::var("DEP_FAISS_FLAGS").expect("priorart-faiss reports its flags");
    let include = std::env::var("DEP_FAISS_INCLUDE").expect("priorart-faiss reports its include folder");
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").opt_level(3).debug(false).pic(true).cpp_link_stdlib(None);
    for flag in flags.split('\u{1f}') {
        build.flag(flag);
    }
    build
        // No warnings about FAISS's headers.
        .flag(format!("-isystem{include}"))
        // GCC has false warnings about its AVX-512 headers (GCC bug 105593).
        .flag_if_supported("-Wno-uninitialized")
        .flag_if_supported("-Wno-maybe-uninitialized")
        .files(["cpp/shim.cpp", "cpp/code_scan.cpp"])
        .files(["cpp/index_read.cpp", "cpp/index_read_graph.cpp", "cpp/index_write.cpp"])
        .compile("priorart_shim");
}
