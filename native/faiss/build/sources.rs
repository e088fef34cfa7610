//! Location of the FAISS sources, and the list of those that are compiled.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Version of the crate that contains the sources of FAISS 1.12.0.
pub const VERSION: &str = "0.7.0";

/// BLAS and LAPACK routines that FAISS declares. `src/lib.rs` implements sgemm_ and sgemv_;
/// `cpp/lapack_absent.cpp` throws for the others.
pub const BLAS: &[&str] = &[
    "sgemm_", "sgemv_", "dgemm_", "ssyrk_", "sgeqrf_", "sorgqr_", "sgetrf_", "sgetri_", "dgetrf_", "dgetri_",
    "sgelsd_", "sgesvd_", "dgesvd_", "ssyev_", "dsyev_",
];

/// The sources that the index kinds of `priorart-shim` need: half of FAISS. The rest is omitted:
/// binary indexes, additive quantizers, the factory, and FAISS's own file reader, which refers to
/// every index type. If a kind needs another source, linking the shim reports an undefined symbol.
/// Slowest first, so that no compiler works alone at the end.
pub const FAISS: &[&str] = &[
    "impl/pq4_fast_scan_search_qbs.cpp",
    "IndexIVFPQ.cpp",
    "impl/pq4_fast_scan_search_1.cpp",
    "impl/ScalarQuantizer.cpp",
    "IndexFlatCodes.cpp",
    "utils/hamming.cpp",
    "IndexIVFFastScan.cpp",
    "utils/distances.cpp",
    "utils/distances_fused/simdlib_based.cpp",
    "IndexPQ.cpp",
    "IndexIVF.cpp",
    "impl/HNSW.cpp",
    "utils/partitioning.cpp",
    "IndexHNSW.cpp",
    "IndexIVFFlat.cpp",
    "VectorTransform.cpp",
    "impl/PolysemousTraining.cpp",
    "utils/extra_distances.cpp",
    "invlists/OnDiskInvertedLists.cpp",
    "impl/ProductQuantizer.cpp",
    "invlists/InvertedLists.cpp",
    "utils/distances_simd.cpp",
    "Index2Layer.cpp",
    "Clustering.cpp",
    "utils/sorting.cpp",
    "IndexIVFPQFastScan.cpp",
    "impl/pq4_fast_scan.cpp",
    "utils/utils.cpp",
    "IndexScalarQuantizer.cpp",
    "IndexRefine.cpp",
    "impl/kmeans1d.cpp",
    "invlists/DirectMap.cpp",
    "IndexFlat.cpp",
    "invlists/BlockInvertedLists.cpp",
    "invlists/InvertedListsIOHook.cpp",
    "Index.cpp",
    "utils/quantize_lut.cpp",
    "impl/AuxIndexStructures.cpp",
    "utils/random.cpp",
    "utils/distances_fused/distances_fused.cpp",
    "impl/IDSelector.cpp",
    "impl/io.cpp",
    "impl/FaissException.cpp",
    "impl/CodePacker.cpp",
];

/// The folder that contains `faiss/IndexFlat.h` and so on, in cargo's store of downloaded crates.
pub fn locate() -> Result<PathBuf, String> {
    // Offline first: usually the crate has been downloaded, and a build must not need a network.
    let metadata = metadata(true).or_else(|_| metadata(false))?;
    let manifest = manifest_path(&metadata).ok_or_else(|| {
        format!("cargo metadata does not list faiss-sys {VERSION}; is Cargo.lock complete?")
    })?;
    let root = Path::new(&manifest).with_file_name("faiss");
    if !root.join("faiss/IndexIVF.cpp").exists() {
        return Err(format!("no FAISS sources in {}", root.display()));
    }
    Ok(root)
}

fn metadata(offline: bool) -> Result<String, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["metadata", "--format-version", "1", "--locked"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    if offline {
        command.arg("--offline");
    }
    let output = command.output().map_err(|e| format!("cargo metadata: {e}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    String::from_utf8(output.stdout).map_err(|e| e.to_string())
}

/// Finds the manifest path of faiss-sys in cargo's JSON. A JSON parser only for this string would
/// take too much build time. Paths with quotes or backslashes fail with the message of `locate`.
fn manifest_path(metadata: &str) -> Option<String> {
    let package = metadata.find(&format!("{{\"name\":\"faiss-sys\",\"version\":\"{VERSION}\""))?;
    let rest = &metadata[package..];
    let key = "\"manifest_path\":\"";
    // The package's own manifest_path is after its targets and before the next package.
    let start = rest.find(key)? + key.len();
    let end = rest[start..].find('"')? + start;
    Some(rest[start..end].to_owned())
}
