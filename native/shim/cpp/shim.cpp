// Plain C functions around FAISS. No exception leaves them; the first argument receives the status.
//
// FAISS's own C API is not used: in 1.12 it has neither SearchParametersHNSW nor
// IndexRefineSearchParameters.

#include "guarded.h"

#include <faiss/IndexFlat.h>
#include <faiss/IndexHNSW.h>
#include <faiss/IndexIVFFlat.h>
#include <faiss/IndexIVFPQFastScan.h>
#include <faiss/IndexRefine.h>
#include <faiss/IndexScalarQuantizer.h>
#include <faiss/impl/AuxIndexStructures.h>
#include <faiss/impl/IDSelector.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace priorart;
using faiss::idx_t;

extern "C" {

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

void prepare_clustering(faiss::ClusteringParameters& cp, int seed) {
    cp.seed = seed;
    // Below 39 points per centroid, FAISS prints a warning to stderr. The caller chooses nlist from
    // the number of rows.
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
    // By residual, fast scan returns wrong results in FAISS 1.12.
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
    throw std::invalid_argument("unknown index kind");
}

/// The parameters of one search in the three types of FAISS; must outlive the call. The filter is
/// passed to the scanning stage, never only to a refine stage, which would filter after the
/// candidates were cut.
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
        if (handle.ivf) {
            ivf.nprobe = std::clamp<size_t>(s.nprobe, 1, handle.ivf->nlist);
        }
        // FAISS allocates room for all candidates, so their number is limited to the rows.
        hnsw.efSearch = std::clamp<uint64_t>(s.ef_search, 1, std::max<int64_t>(handle.index->ntotal, 1));
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

faiss::IndexIVF* priorart::ivf_of(faiss::Index& index) {
    auto* refine = dynamic_cast<faiss::IndexRefine*>(&index);
    return dynamic_cast<faiss::IndexIVF*>(refine ? refine->base_index : &index);
}

extern "C" {

void priorart_index_create(PriorartStatus* status, const PriorartBuild* build, Handle** out) {
    guarded(status, [&] {
        *out = new Handle(static_cast<Kind>(build->kind), create(*build));
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

/// `scores` and `rows` have room for `queries` × `k` results. Without a hit, the row is -1.
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

/// All rows whose score for the query is at least `min_score`, unordered. The caller frees `out`.
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
        // FAISS returns scores that are strictly greater.
        float above = std::nextafter(min_score, -std::numeric_limits<float>::infinity());
        handle->index->range_search(1, x, above, result.get(), parameters.chosen);
        *out = result.release();
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
    const auto* ivf = handle->ivf;
    *out = {handle->kind,
            handle->index->d,
            static_cast<uint64_t>(handle->index->ntotal),
            ivf ? ivf->nlist : 0,
            handle->index->is_trained};
}

} // extern "C"
