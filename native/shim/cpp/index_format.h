// The FAISS file format of the supported index kinds. The bytes equal those of write_index and
// read_index of FAISS 1.12, so that files can be exchanged with any other FAISS. index_write.cpp
// writes it, index_read.cpp reads it.
//
// FAISS's own functions are not used, for three reasons. Its reader trusts every size in the file
// (a damaged size makes it allocate terabytes or read past a buffer) and leaks memory on an
// exception. To map inverted lists, it first allocates their size. It links every index type, which
// doubles the compile time.
//
// Layout, little-endian and unpadded (FAISS impl/index_write.cpp):
//   index   = fourcc, header, body
//   header  = d:i32 ntotal:i64 dummy:i64 dummy:i64 is_trained:u8 metric:i32
//   vector  = count:u64, items
//   IxFI    = vector of f32                                       flat, inner product
//   IxSQ    = sq, vector of u8                                    scalar quantizer, flat
//   IwFl    = ivf, lists                                          IVF, full vectors
//   IwSq    = ivf, sq, code_size:u64 by_residual:u8, lists        IVF, scalar quantizer
//   IwPf    = ivf, by_residual:u8 code_size:u64 bbs:i32 M2:u64 implem:i32 qbs2:u64, pq, block lists
//   IxRF    = base index, refine index, k_factor:f32              refine stage
//   IHNf/s  = graph, storage index                                HNSW over IxFI / IxSQ
//   ivf     = nlist:u64 nprobe:u64, quantizer index, direct map (type:u8, vector of i64)
//   sq      = type:i32 rangestat:i32 rangestat_arg:f32 d:u64 code_size:u64, vector of f32
//   pq      = d:u64 M:u64 nbits:u64, vector of f32
//   lists   = "ilar" nlist:u64 code_size:u64, sizes, for each list that is not empty: codes, ids:i64
//   sizes   = "full" vector of u64 | "sprs" vector of (list:u64 size:u64)
//   block lists = "ilbl" nlist:u64 code_size:u64 n_per_block:u64 block_size:u64, per list: vector of i64, vector of u8
//   graph   = vectors assign_probas:f64 cum_nneighbor_per_level:i32 levels:i32 offsets:u64 neighbors:i32,
//             entry_point:i32 max_level:i32 efConstruction:i32 efSearch:i32 upper_beam:i32

#pragma once

#include "shim.h"

#include <cerrno>
#include <cstring>
#include <string>

namespace priorart {

constexpr uint32_t fourcc(const char (&s)[5]) {
    return uint32_t(uint8_t(s[0])) | uint32_t(uint8_t(s[1])) << 8 | uint32_t(uint8_t(s[2])) << 16 |
            uint32_t(uint8_t(s[3])) << 24;
}

[[noreturn]] inline void io_error(const char* what, const std::string& path) {
    throw IoError(std::string(what) + " " + path + ": " + std::strerror(errno));
}

inline void expect(bool holds, const char* what) {
    if (!holds) {
        throw CorruptError(what);
    }
}

} // namespace priorart
