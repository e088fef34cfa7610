#include "index_read.h"

#include <faiss/IndexHNSW.h>
#include <faiss/impl/DistanceComputer.h>

#include <limits>

namespace priorart {

using namespace faiss;

namespace {

/// Most neighbours of a node on one level. FAISS's M, doubled on the lowest level, is at most 1024
/// here.
constexpr int WIDEST = 1 << 16;
constexpr int MOST_CANDIDATES = 1 << 20;

/// Checks the assumptions of an HNSW search: every node has room for its levels, every neighbour
/// exists on its level, and the entry point is on the top level.
void check_nodes(const HNSW& g, int64_t ntotal) {
    const auto& cum = g.cum_nneighbor_per_level;
    int levels = int(cum.size()) - 1;
    expect(levels >= 1 && cum[0] == 0 && g.assign_probas.size() == size_t(levels), "the graph has no levels");
    for (int l = 0; l < levels; l++) {
        expect(g.assign_probas[l] >= 0 && g.assign_probas[l] <= 1, "a level of the graph has no probability");
        expect(cum[l] < cum[l + 1] && cum[l + 1] - cum[l] <= WIDEST, "the graph's levels are not in order");
    }
    expect(int64_t(g.levels.size()) == ntotal && int64_t(g.offsets.size()) == ntotal + 1 && g.offsets[0] == 0,
           "the graph has the wrong number of rows");
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
}

/// Reads an edge. Edges of a mapped file may be unaligned.
int32_t edge(const HNSW& g, size_t j) {
    int32_t to;
    std::memcpy(&to, reinterpret_cast<const uint8_t*>(g.neighbors.data()) + j * sizeof(to), sizeof(to));
    return to;
}

/// Checks all edges, also of a mapped file, since the walk through the graph trusts them. A million
/// nodes with 64 edges each take 60 ms of processor time, no more than the checksum of the file.
void check_edges(const HNSW& g, int64_t ntotal) {
    constexpr const char* NOWHERE = "the graph has an edge to a row that does not exist";
    bool sound = true;
    for (size_t j = 0, n = g.neighbors.size(); j < n; j++) {
        // -1 means no edge.
        sound &= uint32_t(edge(g, j)) + 1 <= uint32_t(ntotal);
    }
    expect(sound, NOWHERE);
    const auto& cum = g.cum_nneighbor_per_level;
    for (int64_t i = 0; i < ntotal; i++) {
        for (int l = 1; l < g.levels[i]; l++) {
            for (size_t j = g.offsets[i] + cum[l]; j < g.offsets[i] + cum[l + 1]; j++) {
                int32_t to = edge(g, j);
                expect(to < 0 || g.levels[to] > l, NOWHERE);
            }
        }
    }
}

/// Treats NaN scores as the worst. The walk keeps its candidates in a heap, which NaN would never
/// leave.
struct RankedScores : DistanceComputer {
    std::unique_ptr<DistanceComputer> scores;

    explicit RankedScores(DistanceComputer* scores) : scores(scores) {}

    static float ranked(float score) {
        constexpr float WORST = std::numeric_limits<float>::lowest();
        return score > WORST ? score : WORST;
    }
    void set_query(const float* x) override {
        scores->set_query(x);
    }
    float operator()(idx_t i) override {
        return ranked((*scores)(i));
    }
    void distances_batch_4(idx_t a, idx_t b, idx_t c, idx_t d, float& sa, float& sb, float& sc, float& sd) override {
        scores->distances_batch_4(a, b, c, d, sa, sb, sc, sd);
        sa = ranked(sa), sb = ranked(sb), sc = ranked(sc), sd = ranked(sd);
    }
    float symmetric_dis(idx_t i, idx_t j) override {
        return ranked(scores->symmetric_dis(i, j));
    }
};

/// Vectors of a mapped file, whose components have not been checked.
struct MappedFlat : IndexFlatIP {
    using IndexFlatIP::IndexFlatIP;

    DistanceComputer* get_distance_computer() const override {
        return new RankedScores(IndexFlatIP::get_distance_computer());
    }
};

std::unique_ptr<Index> read_storage(Reader& r, bool flat) {
    expect(r.type() == (flat ? fourcc("IxFI") : fourcc("IxSQ")), "the graph's vectors are missing");
    if (!flat) {
        return read_flat_sq(r);
    }
    if (r.mapped()) {
        return read_flat_as<MappedFlat>(r);
    }
    return read_flat_as<IndexFlatIP>(r);
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
    expect(g.efConstruction > 0 && g.efConstruction <= MOST_CANDIDATES && g.efSearch > 0,
           "the graph's search width is out of range");
    check_nodes(g, h.ntotal);
    check_edges(g, h.ntotal);
    auto storage = read_storage(r, flat_storage);
    check_same(h, *storage);
    index->storage = storage.release();
    index->own_fields = true;
    return index;
}

} // namespace priorart
