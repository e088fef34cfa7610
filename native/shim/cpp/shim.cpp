// FAISS behind plain C functions. No exception leaves one; the first argument takes the outcome.
//
// Not FAISS's own C API: in 1.12 it has neither SearchParametersHNSW nor IndexRefineSearchParameters.

#include "shim.h"

#include <faiss/IndexFlat.h>
#include <faiss/IndexHNSW.h>
#include <faiss/IndexIVFFlat.h>
#include <faiss/IndexIVFPQFastScan.h>
#include <faiss/IndexRefine.h>
#include <faiss/IndexScalarQuantizer.h>
#include <faiss/impl/AuxIndexStructures.h>
#include <faiss/impl/IDSelector.h>
#include <faiss/impl/pq4_fast_scan.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <new>

using namespace priorart;
using faiss::idx_t;

extern "C" {

struct PriorartStatus {
    int32_t code;
    char message[508];
};

struct PriorartBuild {
    int32_t kind;
    int32_t dims;
    uint64_t nlist;
    uint64_t pq_m;
    uint64_t hnsw_m;
    uint64_t ef_construction;
    int32_t seed;
};

struct PriorartSearch {
    uint64_t nprobe;
    uint64_t ef_search;
    const uint8_t* filter; // null: every row
    uint64_t filter_bytes;
    float k_factor;
};

} // extern "C"

namespace {

constexpr auto METRIC = faiss::METRIC_INNER_PRODUCT;

template <class Body>
void guarded(PriorartStatus* status, Body body) {
    auto failed = [&](Code code, const char* what) {
        status->code = code;
        std::snprintf(status->message, sizeof(status->message), "%s", what);
    };
    status->code = OK;
    status->message[0] = 0;
    try {
        body();
    } catch (const CorruptError& e) {
        failed(CORRUPT, e.what());
    } catch (const IoError& e) {
        failed(IO, e.what());
    } catch (const std::bad_alloc&) {
        failed(OUT_OF_MEMORY, "not enough memory");
    } catch (const std::exception& e) {
        failed(FAISS, e.what());
    } catch (...) {
        failed(FAISS, "an exception of an unknown type");
    }
}

/// OpenMP's setting belongs to the calling thread and stays with it, so every call says what it wants.
void use_threads(int threads) {
    omp_set_num_threads(threads > 0 ? threads : omp_get_num_procs());
}

void prepare_clustering(faiss::ClusteringParameters& cp, int seed) {
    cp.seed = seed;
    // FAISS prints a warning to stderr below 39 points per centroid. The caller chooses nlist from the rows.
    cp.min_points_per_centroid = 1;
}

template <class Ivf>
std::unique_ptr<faiss::Index> finish_ivf(
        std::unique_ptr<Ivf> ivf,
        std::unique_ptr<faiss::Index> quantizer,
        int seed) {
    ivf->own_fields = true;
    quantizer.release();
    prepare_clustering(ivf->cp, seed);
    return ivf;
}

std::unique_ptr<faiss::Index> create_ivf_pq(const PriorartBuild& b) {
    auto quantizer = std::make_unique<faiss::IndexFlatIP>(b.dims);
    auto ivf = std::make_unique<faiss::IndexIVFPQFastScan>(
            quantizer.get(), b.dims, b.nlist, b.pq_m, 4, METRIC);
    // Fast scan by residual returns wrong results in FAISS 1.12.
    ivf->by_residual = false;
    prepare_clustering(ivf->pq.cp, b.seed);
    return finish_ivf(std::move(ivf), std::move(quantizer), b.seed);
}

std::unique_ptr<faiss::Index> create_ivf_sq(const PriorartBuild& b, faiss::ScalarQuantizer::QuantizerType type) {
    auto quantizer = std::make_unique<faiss::IndexFlatIP>(b.dims);
    auto ivf = std::make_unique<faiss::IndexIVFScalarQuantizer>(quantizer.get(), b.dims, b.nlist, type, METRIC);
    return finish_ivf(std::move(ivf), std::move(quantizer), b.seed);
}

std::unique_ptr<faiss::Index> create_refined(const PriorartBuild& b) {
    auto base = create_ivf_pq(b);
    auto exact = std::make_unique<faiss::IndexScalarQuantizer>(b.dims, faiss::ScalarQuantizer::QT_8bit, METRIC);
    auto refine = std::make_unique<faiss::IndexRefine>(base.get(), exact.get());
    refine->own_fields = refine->own_refine_index = true;
    base.release();
    exact.release();
    return refine;
}

std::unique_ptr<faiss::Index> create_hnsw(const PriorartBuild& b) {
    std::unique_ptr<faiss::IndexHNSW> hnsw;
    if (b.kind == HNSW_FLAT) {
        hnsw = std::make_unique<faiss::IndexHNSWFlat>(b.dims, b.hnsw_m, METRIC);
    } else {
        hnsw = std::make_unique<faiss::IndexHNSWSQ>(
                b.dims, faiss::ScalarQuantizer::QT_8bit, b.hnsw_m, METRIC);
    }
    hnsw->hnsw.efConstruction = b.ef_construction;
    hnsw->hnsw.rng = faiss::RandomGenerator(b.seed);
    return hnsw;
}

std::unique_ptr<faiss::Index> create(const PriorartBuild& b) {
    switch (b.kind) {
        case FLAT:
            return std::make_unique<faiss::IndexFlatIP>(b.dims);
        case IVF_FLAT: {
            auto quantizer = std::make_unique<faiss::IndexFlatIP>(b.dims);
            auto ivf = std::make_unique<faiss::IndexIVFFlat>(quantizer.get(), b.dims, b.nlist, METRIC);
            return finish_ivf(std::move(ivf), std::move(quantizer), b.seed);
        }
        case IVF_SQ8:
            return create_ivf_sq(b, faiss::ScalarQuantizer::QT_8bit);
        case IVF_SQFP16:
            return create_ivf_sq(b, faiss::ScalarQuantizer::QT_fp16);
        case IVF_PQ:
            return create_ivf_pq(b);
        case IVF_PQ_REFINE:
            return create_refined(b);
        case HNSW_FLAT:
        case HNSW_SQ8:
            return create_hnsw(b);
    }
    throw std::invalid_argument("no such index kind");
}

/// One search call's parameters in the three shapes that FAISS wants; must outlive the call. The filter goes to
/// the stage that scans (never only to a refine stage, which would filter after the candidates were cut).
struct Parameters {
    std::unique_ptr<faiss::IDSelectorBitmap> filter;
    faiss::SearchParameters plain;
    faiss::SearchParametersIVF ivf;
    faiss::SearchParametersHNSW hnsw;
    faiss::IndexRefineSearchParameters refine;
    faiss::SearchParameters* chosen = nullptr;

    Parameters(const Handle& handle, const PriorartSearch& s) {
        if (s.filter) {
            filter = std::make_unique<faiss::IDSelectorBitmap>(s.filter_bytes, s.filter);
        }
        plain.sel = ivf.sel = hnsw.sel = filter.get();
        if (const auto* lists = ivf_of(handle)) {
            ivf.nprobe = std::clamp<size_t>(s.nprobe, 1, lists->nlist);
        }
        hnsw.efSearch = std::clamp<uint64_t>(s.ef_search, 1, std::numeric_limits<int32_t>::max());
        refine.k_factor = s.k_factor;
        refine.base_index_params = &ivf;
        switch (handle.kind) {
            case FLAT:
                chosen = &plain;
                break;
            case HNSW_FLAT:
            case HNSW_SQ8:
                chosen = &hnsw;
                break;
            case IVF_PQ_REFINE:
                chosen = &refine;
                break;
            default:
                chosen = &ivf;
        }
    }
};

} // namespace

faiss::IndexIVF* priorart::ivf_of(const Handle& handle) {
    faiss::Index* index = handle.index.get();
    if (auto* refine = dynamic_cast<faiss::IndexRefine*>(index)) {
        index = refine->base_index;
    }
    return dynamic_cast<faiss::IndexIVF*>(index);
}

extern "C" {

void priorart_index_create(PriorartStatus* status, const PriorartBuild* build, Handle** out) {
    guarded(status, [&] {
        *out = new Handle{static_cast<Kind>(build->kind), create(*build)};
    });
}

void priorart_index_free(Handle* handle) {
    delete handle;
}

void priorart_index_train(PriorartStatus* status, Handle* handle, uint64_t rows, const float* x, int32_t threads) {
    guarded(status, [&] {
        use_threads(threads);
        handle->index->train(rows, x);
    });
}

void priorart_index_add(PriorartStatus* status, Handle* handle, uint64_t rows, const float* x, int32_t threads) {
    guarded(status, [&] {
        use_threads(threads);
        handle->index->add(rows, x);
    });
}

/// `scores` and `rows` hold `queries` times `k` places. A place without a hit gets row -1.
void priorart_index_search(
        PriorartStatus* status,
        const Handle* handle,
        uint64_t queries,
        const float* x,
        uint64_t k,
        const PriorartSearch* search,
        float* scores,
        int64_t* rows) {
    guarded(status, [&] {
        use_threads(1);
        Parameters parameters(*handle, *search);
        handle->index->search(queries, x, k, scores, rows, parameters.chosen);
    });
}

/// Every row whose score for the one query is at least `min_score`, in no order. The caller frees `out`.
void priorart_index_range_search(
        PriorartStatus* status,
        const Handle* handle,
        const float* x,
        float min_score,
        const PriorartSearch* search,
        faiss::RangeSearchResult** out) {
    guarded(status, [&] {
        use_threads(1);
        Parameters parameters(*handle, *search);
        auto result = std::make_unique<faiss::RangeSearchResult>(1);
        // FAISS keeps what is strictly greater.
        float above = std::nextafter(min_score, -std::numeric_limits<float>::infinity());
        handle->index->range_search(1, x, above, result.get(), parameters.chosen);
        *out = result.release();
    });
}

/// The estimated score of every row, by its 4-bit codes: row r scores `offset + step * out[r]`. FAISS's own search of
/// all lists keeps the best k in a reservoir; who wants thousands of rows, or groups of rows, is better off with all of
/// them, and they cost no more than reading the codes. Only for the kinds with a product quantizer.
void priorart_index_code_scores(
        PriorartStatus* status,
        const Handle* handle,
        const float* x,
        uint16_t* out,
        float* step,
        float* offset) {
    guarded(status, [&] {
        use_threads(1);
        const auto* ivf = dynamic_cast<const faiss::IndexIVFPQFastScan*>(ivf_of(*handle));
        if (!ivf || ivf->bbs != 32 || ivf->lookup_table_is_3d()) {
            throw std::invalid_argument("this index has no codes that are scanned as a whole");
        }
        faiss::AlignedTable<uint8_t> table, packed(ivf->ksub * ivf->M2);
        faiss::AlignedTable<uint16_t> biases, scores;
        float normalizers[2];
        // Without residuals there is one table for all lists, so no list has to be chosen before it is made.
        ivf->compute_LUT_uint8(1, x, {0, nullptr, nullptr}, table, biases, normalizers);
        faiss::pq4_pack_LUT_qbs(1, ivf->M2, table.get(), packed.get());
        *step = 1 / normalizers[0];
        *offset = normalizers[1];
        for (size_t list = 0; list < ivf->nlist; list++) {
            size_t size = ivf->invlists->list_size(list);
            if (size == 0) {
                continue;
            }
            size_t padded = (size + 31) / 32 * 32;
            if (scores.size() < padded) {
                scores.resize(padded);
            }
            faiss::InvertedLists::ScopedCodes codes(ivf->invlists, list);
            faiss::InvertedLists::ScopedIds rows(ivf->invlists, list);
            faiss::accumulate_to_mem(1, padded, ivf->M2, codes.get(), packed.get(), scores.get());
            for (size_t at = 0; at < size; at++) {
                if (static_cast<uint64_t>(rows[at]) >= static_cast<uint64_t>(ivf->ntotal)) {
                    throw CorruptError("a list names a row that there is not");
                }
                out[rows[at]] = scores[at];
            }
        }
    });
}

uint64_t priorart_range_hits(const faiss::RangeSearchResult* result, const float** scores, const int64_t** rows) {
    *scores = result->distances;
    *rows = result->labels;
    return result->lims[1];
}

void priorart_range_free(faiss::RangeSearchResult* result) {
    delete result;
}

void priorart_index_write(PriorartStatus* status, const Handle* handle, const char* path) {
    guarded(status, [&] { write_index_file(*handle, path); });
}

void priorart_index_read(PriorartStatus* status, const char* path, bool map, Handle** out) {
    guarded(status, [&] { *out = read_index_file(path, map).release(); });
}

struct PriorartShape {
    int32_t kind;
    int32_t dims;
    uint64_t rows;
    uint64_t nlist;
    bool trained;
};

void priorart_index_shape(const Handle* handle, PriorartShape* out) {
    const auto* ivf = ivf_of(*handle);
    *out = {handle->kind,
            handle->index->d,
            static_cast<uint64_t>(handle->index->ntotal),
            ivf ? ivf->nlist : 0,
            handle->index->is_trained};
}

} // extern "C"
