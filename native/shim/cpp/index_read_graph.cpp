#include "index_read.h"

#include <faiss/IndexHNSW.h>

namespace priorart {

using namespace faiss;

namespace {

/// What HNSW search relies on: every node has room for its levels, every neighbour exists on the level on which it
/// is a neighbour, and the entry point is on the top level.
void check_graph(const HNSW& g, int64_t ntotal, bool contents) {
    const auto& cum = g.cum_nneighbor_per_level;
    int levels = int(cum.size()) - 1;
    expect(levels >= 1 && cum[0] == 0 && g.assign_probas.size() == size_t(levels), "the graph has no levels");
    for (int l = 0; l < levels; l++) {
        expect(cum[l] < cum[l + 1], "the graph's levels are not in order");
    }
    expect(int64_t(g.levels.size()) == ntotal && int64_t(g.offsets.size()) == ntotal + 1 && g.offsets[0] == 0,
           "the graph has another number of rows");
    for (int64_t i = 0; i < ntotal; i++) {
        expect(g.levels[i] >= 1 && g.levels[i] <= levels &&
                       g.offsets[i + 1] == g.offsets[i] + size_t(cum[g.levels[i]]),
               "the graph's rows are not in order");
    }
    expect(g.offsets[ntotal] == g.neighbors.size(), "the graph has the wrong number of edges");
    if (ntotal == 0) {
        expect(g.entry_point == -1 && g.max_level == -1, "an empty graph has an entry point");
        return;
    }
    expect(g.entry_point >= 0 && g.entry_point < ntotal && g.max_level == g.levels[g.entry_point] - 1,
           "the graph's entry point is wrong");
    for (int64_t i = 0; contents && i < ntotal; i++) {
        for (int l = 0; l < g.levels[i]; l++) {
            for (size_t j = g.offsets[i] + cum[l]; j < g.offsets[i] + cum[l + 1]; j++) {
                auto to = g.neighbors[j];
                expect(to >= -1 && to < ntotal && (to < 0 || l == 0 || g.levels[to] > l),
                       "the graph has an edge to nowhere");
            }
        }
    }
}

} // namespace

std::unique_ptr<Index> read_hnsw(Reader& r, bool flat_storage) {
    Header h = read_header(r);
    expect(h.ntotal <= INT32_MAX, "the graph has more rows than it can number");
    std::unique_ptr<IndexHNSW> index;
    if (flat_storage) {
        index = std::make_unique<IndexHNSWFlat>();
    } else {
        index = std::make_unique<IndexHNSWSQ>();
    }
    index->d = h.d;
    index->ntotal = h.ntotal;
    index->metric_type = METRIC_INNER_PRODUCT;
    index->is_trained = true;
    HNSW& g = index->hnsw;
    g.assign_probas = r.vector<double>();
    g.cum_nneighbor_per_level = r.vector<int>();
    g.levels = r.vector<int>();
    g.offsets = r.vector<size_t>();
    g.neighbors = r.view<HNSW::storage_idx_t>(r.count(sizeof(HNSW::storage_idx_t)));
    g.entry_point = r.one<int32_t>();
    g.max_level = r.one<int32_t>();
    g.efConstruction = r.one<int32_t>();
    g.efSearch = r.one<int32_t>();
    r.one<int32_t>();
    expect(g.efConstruction > 0 && g.efSearch > 0, "the graph's search width is out of range");
    check_graph(g, h.ntotal, !r.mapped());
    expect(r.type() == (flat_storage ? fourcc("IxFI") : fourcc("IxSQ")), "the graph's vectors are missing");
    std::unique_ptr<Index> storage;
    if (flat_storage) {
        storage = read_flat(r);
    } else {
        storage = read_flat_sq(r);
    }
    check_same(h, *storage);
    index->storage = storage.release();
    index->own_fields = true;
    return index;
}

} // namespace priorart
