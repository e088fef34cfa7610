// Declarations shared by the C++ files of the shim. Not a public header: Rust declares the
// functions in src/ffi.rs.
#pragma once

#include <faiss/Index.h>
#include <faiss/IndexIVF.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

namespace priorart {

/// The index kinds, with the numbers of `Kind` in src/kind.rs.
enum Kind : int32_t {
    FLAT = 0,
    IVF_FLAT = 1,
    IVF_SQ8 = 2,
    IVF_SQFP16 = 3,
    IVF_PQ = 4,
    IVF_PQ_REFINE = 5,
    HNSW_FLAT = 6,
    HNSW_SQ8 = 7,
};

/// Status codes, with the numbers of `ffi::check` in src/ffi.rs.
enum Code : int32_t { OK = 0, FAISS = 1, IO = 2, CORRUPT = 3, OUT_OF_MEMORY = 4 };

/// The system refused to open, read or write a file.
struct IoError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The file exists, but is not a complete index of a supported kind.
struct CorruptError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The greatest magnitude of a component of a vector, equal to `GREATEST_COMPONENT` in src/kind.rs.
/// Inner products of vectors of 65,536 such components are finite.
constexpr float GREATEST_COMPONENT = 1e15f;

/// The IVF part of an index, also inside a refine stage; null for kinds without lists.
faiss::IndexIVF* ivf_of(faiss::Index& index);

struct Handle {
    Kind kind;
    std::unique_ptr<faiss::Index> index;
    /// The IVF part of the index, or null.
    faiss::IndexIVF* ivf;

    Handle(Kind kind, std::unique_ptr<faiss::Index> made)
            : kind(kind), index(std::move(made)), ivf(ivf_of(*index)) {}
};

/// Writes the index in FAISS's own file format, so that any FAISS can read it.
void write_index_file(const Handle& handle, const char* path);

/// Reads the output of write_index_file. All data is checked before it is used: no damaged file
/// causes access outside of memory, or an allocation larger than the file justifies. With `map`,
/// vectors, lists and the graph stay in the file. Sizes, tables and the edges of the graph are then
/// checked. Vectors and the row numbers of lists are not, so the results of a search are checked
/// instead.
std::unique_ptr<Handle> read_index_file(const char* path, bool map);

} // namespace priorart
