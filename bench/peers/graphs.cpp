/**
 * hnswlib and USearch with a compiled filter, for peers.py. The Python interface of hnswlib takes a Python function as a
 * filter, which it calls for every candidate. That of USearch has none. Both accept a predicate in C++. A filter is a
 * bitmap of the rows that pass, or null. `labels` has room for `k` rows; a search returns how many it found, best first.
 */
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include <hnswlib/hnswlib.h>
#include <usearch/index_dense.hpp>

namespace {

struct Bitmap : hnswlib::BaseFilterFunctor {
    const uint8_t* bits;
    explicit Bitmap(const uint8_t* bits) : bits(bits) {}
    bool operator()(hnswlib::labeltype row) override { return bits[row >> 3] >> (row & 7) & 1; }
};

struct Hnswlib {
    hnswlib::InnerProductSpace space;
    hnswlib::HierarchicalNSW<float> graph;
    Hnswlib(size_t dimensions, size_t rows, size_t links, size_t construction)
        : space(dimensions), graph(&space, rows, links, construction, 1) {}
    Hnswlib(size_t dimensions, const char* path) : space(dimensions), graph(&space, path) {}
};

/** The document of a row. hnswlib keeps the number of the row behind its vector. */
struct Documents : hnswlib::BaseMultiVectorSpace<int32_t> {
    hnswlib::InnerProductSpace space;
    const int32_t* docs;
    Documents(size_t dimensions, const int32_t* docs) : space(dimensions), docs(docs) {}
    size_t get_data_size() override { return space.get_data_size(); }
    hnswlib::DISTFUNC<float> get_dist_func() override { return space.get_dist_func(); }
    void* get_dist_func_param() override { return space.get_dist_func_param(); }
    int32_t get_doc_id(const void* vector) override {
        auto* row = static_cast<const char*>(vector) + space.get_data_size();
        return docs[*reinterpret_cast<const hnswlib::labeltype*>(row)];
    }
    void set_doc_id(void*, int32_t) override {}
};

using Usearch = unum::usearch::index_dense_t;

/** Calls `add(row, thread)` for every row. */
template <typename Add> void everyRow(size_t rows, size_t threads, Add add) {
    std::atomic<size_t> next{0};
    std::vector<std::thread> workers;
    for (size_t thread = 0; thread < threads; thread++) {
        workers.emplace_back([&, thread] {
            for (size_t row = next++; row < rows; row = next++) add(row, thread);
        });
    }
    for (auto& worker : workers) worker.join();
}

}  // namespace

extern "C" {

void hnswlib_build(const float* vectors, size_t rows, size_t dimensions, size_t links, size_t construction,
                   size_t threads, const char* path) {
    Hnswlib index(dimensions, rows, links, construction);
    index.graph.addPoint(vectors, 0);
    everyRow(rows - 1, threads, [&](size_t row, size_t) {
        index.graph.addPoint(vectors + (row + 1) * dimensions, row + 1);
    });
    index.graph.saveIndex(path);
}

void* hnswlib_open(const char* path, size_t dimensions) { return new Hnswlib(dimensions, path); }

size_t hnswlib_search(void* index, const float* query, size_t k, size_t effort, const uint8_t* bits, int64_t* labels) {
    auto& graph = static_cast<Hnswlib*>(index)->graph;
    graph.setEf(effort);
    Bitmap filter(bits);
    auto found = graph.searchKnn(query, k, bits ? &filter : nullptr);
    size_t count = found.size();
    for (size_t at = count; at > 0; found.pop()) labels[--at] = static_cast<int64_t>(found.top().second);
    return count;
}

/** The best rows of the best `k` documents, at most `room`, by the search that hnswlib has for documents of many vectors. */
size_t hnswlib_search_documents(void* index, const float* query, size_t k, size_t effort, const uint8_t* bits,
                                const int32_t* docs, int64_t* labels, size_t room) {
    auto& found = *static_cast<Hnswlib*>(index);
    Bitmap filter(bits);
    Documents documents(*static_cast<size_t*>(found.space.get_dist_func_param()), docs);
    hnswlib::MultiVectorSearchStopCondition<int32_t, float> stop(documents, k, effort);
    auto rows = found.graph.searchStopConditionClosest(query, stop, bits ? &filter : nullptr);
    size_t count = std::min(room, rows.size());
    for (size_t at = 0; at < count; at++) labels[at] = static_cast<int64_t>(rows[at].second);
    return count;
}

void hnswlib_close(void* index) { delete static_cast<Hnswlib*>(index); }

/** Returns 0 if it fails. */
int usearch_build(const float* vectors, size_t rows, size_t dimensions, size_t threads, const char* path) {
    using namespace unum::usearch;
    auto index = Usearch::make(metric_punned_t(dimensions, metric_kind_t::ip_k, scalar_kind_t::f16_k));
    if (!index || !index.index.try_reserve(index_limits_t(rows, threads))) return 0;
    std::atomic<bool> failed{false};
    everyRow(rows, threads, [&](size_t row, size_t thread) {
        if (!index.index.add(row, vectors + row * dimensions, thread)) failed = true;
    });
    return !failed && index.index.save(path) ? 1 : 0;
}

/** Returns null if it fails. */
void* usearch_open(const char* path) {
    using namespace unum::usearch;
    auto state = Usearch::make(path);
    if (!state) return nullptr;
    auto* index = new Usearch(std::move(state.index));
    if (index->try_reserve(index_limits_t(index->size(), 1))) return index;
    delete index;
    return nullptr;
}

/** Name of the instructions that its distances use. */
const char* usearch_kernel(void* index) { return static_cast<Usearch*>(index)->metric().isa_name(); }

size_t usearch_search(void* index, const float* query, size_t k, size_t effort, const uint8_t* bits, int64_t* labels) {
    auto& graph = *static_cast<Usearch*>(index);
    graph.change_expansion_search(effort);
    auto allows = [bits](uint64_t row) { return bits[row >> 3] >> (row & 7) & 1; };
    auto found = bits ? graph.filtered_search(query, k, allows, 0) : graph.search(query, k, 0);
    for (size_t at = 0; at < found.size(); at++) labels[at] = static_cast<int64_t>(found[at].member.key);
    return found.size();
}

void usearch_close(void* index) { delete static_cast<Usearch*>(index); }
}
