// Scores from the 4-bit codes of a product quantizer, for a whole index or some of its lists, as
// numbers in memory.
//
// FAISS's own search keeps only the best k rows in a reservoir. All scores cost no more than
// reading the codes, and are better for searches that need rows until documents suffice, thousands
// of rows, or only those of some documents. The layout of the codes is FAISS's
// (impl/pq4_fast_scan.h): blocks of 32 rows; in a block, 32 bytes for each two parts of the
// quantizer, the first part's 16 bytes and then the second's. A byte holds row i of 16 in its low
// half and row 16 + i in its high half, with rows 0, 8, 1, 9, … adjacent.

#include "guarded.h"

#include <faiss/IndexFlat.h>
#include <faiss/IndexIVFPQFastScan.h>
#include <faiss/impl/pq4_fast_scan.h>
#include <faiss/utils/distances.h>

#include <algorithm>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

using namespace priorart;

namespace {

constexpr size_t BLOCK = 32;
/// Bytes by which codes are prefetched, in whole blocks. Without prefetching, FAISS's kernel spent
/// more than a third of its time waiting for them, over a million rows.
constexpr size_t AHEAD = 4096;

/// Blocks of codes, and the blocks that are scanned next: lists are short, so that prefetching
/// often reaches there.
struct Blocks {
    const uint8_t* codes;
    size_t count, bytes;
    const uint8_t* next;

    /// Address to prefetch while a block is scanned.
    const uint8_t* ahead(size_t block) const {
        size_t then = block + std::max<size_t>(AHEAD / bytes, 1);
        return then < count ? codes + then * bytes : next + (then - count) * bytes;
    }
};

#if defined(__AVX2__)

/// Separates the sums of 16 rows: `even` holds rows 0 to 7 plus 256 times rows 8 to 15, `odd` only
/// rows 8 to 15. The two parts of the quantizer are in the two halves.
__attribute__((target("avx2"), always_inline)) inline __m256i rows_of(__m256i even, __m256i odd) {
    even = _mm256_sub_epi16(even, _mm256_slli_epi16(odd, 8));
    __m256i crossed = _mm256_permute2x128_si256(even, odd, 0x21);
    __m256i straight = _mm256_blend_epi32(even, odd, 0xf0);
    return _mm256_add_epi16(crossed, straight);
}

/// Stores the 32 scores of a block, and returns the greatest.
__attribute__((target("avx2"), always_inline)) inline uint16_t
stored(__m256i even, __m256i odd, __m256i even_high, __m256i odd_high, uint16_t* out) {
    __m256i low = rows_of(even, odd), high = rows_of(even_high, odd_high);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), low);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 16), high);
    __m256i best = _mm256_max_epu16(low, high);
    __m128i half = _mm_max_epu16(_mm256_castsi256_si128(best), _mm256_extracti128_si256(best, 1));
    // The instruction finds the least, so the bits are inverted.
    __m128i least = _mm_minpos_epu16(_mm_xor_si128(half, _mm_set1_epi16(-1)));
    return ~static_cast<uint16_t>(_mm_extract_epi16(least, 0));
}

__attribute__((target("avx2"))) void
scan_avx2(const Blocks& blocks, size_t parts, const uint8_t* table, uint16_t* out, uint16_t* best) {
    const __m256i nibble = _mm256_set1_epi8(15);
    const uint8_t* codes = blocks.codes;
    for (size_t block = 0; block < blocks.count; block++) {
        const uint8_t* ahead = blocks.ahead(block);
        __m256i even = _mm256_setzero_si256(), odd = even, even_high = even, odd_high = even;
        for (size_t part = 0; part < parts; part += 2, codes += 32, ahead += 32) {
            if (part % 4 == 0) {
                _mm_prefetch(reinterpret_cast<const char*>(ahead), _MM_HINT_T0);
            }
            __m256i lut = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(table + part * 16));
            __m256i both = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(codes));
            __m256i low = _mm256_shuffle_epi8(lut, _mm256_and_si256(both, nibble));
            __m256i high = _mm256_shuffle_epi8(lut, _mm256_and_si256(_mm256_srli_epi16(both, 4), nibble));
            even = _mm256_add_epi16(even, low);
            odd = _mm256_add_epi16(odd, _mm256_srli_epi16(low, 8));
            even_high = _mm256_add_epi16(even_high, high);
            odd_high = _mm256_add_epi16(odd_high, _mm256_srli_epi16(high, 8));
        }
        best[block] = stored(even, odd, even_high, odd_high, out + block * BLOCK);
    }
}

__attribute__((target("avx2,avx512f,avx512bw"), always_inline)) inline __m256i folded(__m512i sums) {
    return _mm256_add_epi16(_mm512_castsi512_si256(sums), _mm512_extracti64x4_epi64(sums, 1));
}

/// `scan_avx2` with four parts of the quantizer at a time; `parts` is a multiple of 4.
__attribute__((target("avx2,avx512f,avx512bw"))) void
scan_avx512(const Blocks& blocks, size_t parts, const uint8_t* table, uint16_t* out, uint16_t* best) {
    const __m512i nibble = _mm512_set1_epi8(15);
    const uint8_t* codes = blocks.codes;
    for (size_t block = 0; block < blocks.count; block++) {
        const uint8_t* ahead = blocks.ahead(block);
        __m512i even = _mm512_setzero_si512(), odd = even, even_high = even, odd_high = even;
        for (size_t part = 0; part < parts; part += 4, codes += 64, ahead += 64) {
            _mm_prefetch(reinterpret_cast<const char*>(ahead), _MM_HINT_T0);
            __m512i lut = _mm512_loadu_si512(table + part * 16);
            __m512i both = _mm512_loadu_si512(codes);
            __m512i low = _mm512_shuffle_epi8(lut, _mm512_and_si512(both, nibble));
            __m512i high = _mm512_shuffle_epi8(lut, _mm512_and_si512(_mm512_srli_epi16(both, 4), nibble));
            even = _mm512_add_epi16(even, low);
            odd = _mm512_add_epi16(odd, _mm512_srli_epi16(low, 8));
            even_high = _mm512_add_epi16(even_high, high);
            odd_high = _mm512_add_epi16(odd_high, _mm512_srli_epi16(high, 8));
        }
        best[block] = stored(folded(even), folded(odd), folded(even_high), folded(odd_high), out + block * BLOCK);
    }
}

#elif defined(__aarch64__)

/// `even` holds rows 0 to 7 plus 256 times rows 8 to 15, `odd` only rows 8 to 15. Stores their 16 scores, and returns the
/// greatest of each lane.
inline uint16x8_t stored(uint16x8_t even, uint16x8_t odd, uint16_t* out) {
    even = vsubq_u16(even, vshlq_n_u16(odd, 8));
    vst1q_u16(out, even);
    vst1q_u16(out + 8, odd);
    return vmaxq_u16(even, odd);
}

void scan_neon(const Blocks& blocks, size_t parts, const uint8_t* table, uint16_t* out, uint16_t* best) {
    const uint8x16_t nibble = vdupq_n_u8(15);
    const uint8_t* codes = blocks.codes;
    for (size_t block = 0; block < blocks.count; block++, out += BLOCK) {
        const uint8_t* ahead = blocks.ahead(block);
        uint16x8_t even = vdupq_n_u16(0), odd = even, even_high = even, odd_high = even;
        for (size_t part = 0; part < parts; part++, codes += 16, ahead += 16) {
            if (part % 4 == 0) {
                __builtin_prefetch(ahead);
            }
            uint8x16_t lut = vld1q_u8(table + part * 16), both = vld1q_u8(codes);
            uint16x8_t low = vreinterpretq_u16_u8(vqtbl1q_u8(lut, vandq_u8(both, nibble)));
            uint16x8_t high = vreinterpretq_u16_u8(vqtbl1q_u8(lut, vshrq_n_u8(both, 4)));
            even = vaddq_u16(even, low);
            odd = vsraq_n_u16(odd, low, 8);
            even_high = vaddq_u16(even_high, high);
            odd_high = vsraq_n_u16(odd_high, high, 8);
        }
        uint16x8_t low = stored(even, odd, out), high = stored(even_high, odd_high, out + 16);
        best[block] = vmaxvq_u16(vmaxq_u16(low, high));
    }
}

#endif

void scan(const Blocks& blocks, size_t parts, const uint8_t* table, uint16_t* out, uint16_t* best) {
#if defined(__AVX2__)
    static const bool wide = __builtin_cpu_supports("avx512bw");
    if (wide && parts % 4 == 0) {
        scan_avx512(blocks, parts, table, out, best);
    } else {
        scan_avx2(blocks, parts, table, out, best);
    }
#elif defined(__aarch64__)
    scan_neon(blocks, parts, table, out, best);
#else
    faiss::accumulate_to_mem(1, blocks.count * BLOCK, parts, blocks.codes, table, out);
    for (size_t block = 0; block < blocks.count; block++) {
        best[block] = *std::max_element(out + block * BLOCK, out + (block + 1) * BLOCK);
    }
#endif
}

const faiss::IndexIVFPQFastScan& with_codes(const Handle& handle) {
    const auto* ivf = dynamic_cast<const faiss::IndexIVFPQFastScan*>(handle.ivf);
    if (!ivf || ivf->bbs != BLOCK || ivf->lookup_table_is_3d()) {
        throw std::invalid_argument("this index has no codes to scan");
    }
    return *ivf;
}

/// Contribution of each value of each part of a code to the score of a query. Without residuals,
/// one table serves all lists, so that it does not depend on the choice of lists.
struct Tables {
    faiss::AlignedTable<uint8_t> packed;
    float step, offset;

    Tables(const faiss::IndexIVFPQFastScan& ivf, const float* x) : packed(ivf.ksub * ivf.M2) {
        faiss::AlignedTable<uint8_t> table;
        faiss::AlignedTable<uint16_t> biases;
        float normalizers[2];
        ivf.compute_LUT_uint8(1, x, {0, nullptr, nullptr}, table, biases, normalizers);
        faiss::pq4_pack_LUT_qbs(1, ivf.M2, table.get(), packed.get());
        step = 1 / normalizers[0];
        offset = normalizers[1];
    }
};

size_t blocks_of(size_t rows) {
    return (rows + BLOCK - 1) / BLOCK;
}

} // namespace

extern "C" {

/// Inner products of the query with the centroids of all lists. Lists are probed from the greatest
/// down.
void priorart_index_list_scores(PriorartStatus* status, const Handle* handle, const float* x, float* out) {
    guarded(status, [&] {
        const auto* ivf = handle->ivf;
        const auto* flat = ivf ? dynamic_cast<const faiss::IndexFlat*>(ivf->quantizer) : nullptr;
        if (!flat || static_cast<size_t>(flat->ntotal) != ivf->nlist) {
            throw std::invalid_argument("this index has no lists");
        }
        use_threads(1);
        faiss::fvec_inner_products_ny(out, x, flat->get_xb(), ivf->d, ivf->nlist);
    });
}

/// The rows of a list, in the order of its codes; none if the list does not exist. They are valid
/// until the index is changed or freed.
uint64_t priorart_index_list_rows(const Handle* handle, uint64_t list, const int64_t** out) {
    const auto* ivf = handle->ivf;
    *out = nullptr;
    if (!ivf || list >= ivf->nlist) {
        return 0;
    }
    *out = ivf->invlists->get_ids(list);
    return ivf->invlists->list_size(list);
}

/// The estimated scores of the rows of some lists, one list after another, each padded with 0 to
/// whole blocks of 32 rows; and the greatest score of each block. A number s means the score
/// `offset + step * s`.
void priorart_index_scan_lists(
        PriorartStatus* status,
        const Handle* handle,
        const float* x,
        const uint32_t* lists,
        uint64_t count,
        uint16_t* out,
        uint16_t* best,
        float* step,
        float* offset) {
    guarded(status, [&] {
        use_threads(1);
        const auto& ivf = with_codes(*handle);
        Tables tables(ivf, x);
        *step = tables.step;
        *offset = tables.offset;
        for (uint64_t n = 0; n < count; n++) {
            size_t size = ivf.invlists->list_size(lists[n]), blocks = blocks_of(size);
            if (size == 0) {
                continue;
            }
            const uint8_t* codes = ivf.invlists->get_codes(lists[n]);
            const uint8_t* next = n + 1 < count ? ivf.invlists->get_codes(lists[n + 1]) : codes;
            scan({codes, blocks, BLOCK * ivf.M2 / 2, next}, ivf.M2, tables.packed.get(), out, best);
            if (size % BLOCK) {
                std::fill(out + size, out + blocks * BLOCK, 0);
                best[blocks - 1] = *std::max_element(out + (blocks - 1) * BLOCK, out + size);
            }
            out += blocks * BLOCK;
            best += blocks;
        }
    });
}

} // extern "C"
