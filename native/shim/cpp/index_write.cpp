#include "index_format.h"

#include <faiss/IndexFlat.h>
#include <faiss/IndexHNSW.h>
#include <faiss/IndexIVFFlat.h>
#include <faiss/IndexIVFPQFastScan.h>
#include <faiss/IndexRefine.h>
#include <faiss/IndexScalarQuantizer.h>
#include <faiss/invlists/BlockInvertedLists.h>

#include <cstdio>
#include <vector>

namespace priorart {

using namespace faiss;

namespace {

class Writer {
  public:
    explicit Writer(const char* path) : path_(path), file_(std::fopen(path, "wb")) {
        if (!file_) {
            io_error("cannot create", path_);
        }
        // Fewer, larger writes for thousands of small lists.
        std::setvbuf(file_, nullptr, _IOFBF, 1 << 20);
    }
    ~Writer() {
        if (file_) {
            std::fclose(file_);
        }
    }
    Writer(const Writer&) = delete;

    void bytes(const void* data, size_t n) {
        if (n > 0 && std::fwrite(data, 1, n, file_) != n) {
            io_error("cannot write", path_);
        }
    }
    template <class T>
    void one(const T& value) {
        bytes(&value, sizeof(T));
    }
    template <class V>
    void vector(const V& v) {
        one<uint64_t>(v.size());
        bytes(v.data(), v.size() * sizeof(*v.data()));
    }
    void finish() {
        std::FILE* file = file_;
        file_ = nullptr;
        if (std::fclose(file) != 0) {
            io_error("cannot write", path_);
        }
    }

  private:
    std::string path_;
    std::FILE* file_;
};

void write_index(Writer& w, const Index& index);

void write_header(Writer& w, uint32_t type, const Index& index) {
    w.one(type);
    w.one<int32_t>(index.d);
    w.one<int64_t>(index.ntotal);
    w.one<int64_t>(1 << 20);
    w.one<int64_t>(1 << 20);
    w.one<uint8_t>(index.is_trained);
    w.one<int32_t>(index.metric_type);
}

void write_ivf(Writer& w, const IndexIVF& ivf) {
    w.one<uint64_t>(ivf.nlist);
    w.one<uint64_t>(ivf.nprobe);
    write_index(w, *ivf.quantizer);
    w.one<uint8_t>(DirectMap::NoMap);
    w.one<uint64_t>(0);
}

void write_sq(Writer& w, const ScalarQuantizer& sq) {
    w.one<int32_t>(sq.qtype);
    w.one<int32_t>(sq.rangestat);
    w.one(sq.rangestat_arg);
    w.one<uint64_t>(sq.d);
    w.one<uint64_t>(sq.code_size);
    w.vector(sq.trained);
}

void write_pq(Writer& w, const ProductQuantizer& pq) {
    w.one<uint64_t>(pq.d);
    w.one<uint64_t>(pq.M);
    w.one<uint64_t>(pq.nbits);
    w.vector(pq.centroids);
}

void write_lists(Writer& w, const InvertedLists& lists) {
    w.one(fourcc("ilar"));
    w.one<uint64_t>(lists.nlist);
    w.one<uint64_t>(lists.code_size);
    std::vector<uint64_t> full, sparse;
    for (size_t i = 0; i < lists.nlist; i++) {
        full.push_back(lists.list_size(i));
        if (full.back() > 0) {
            sparse.push_back(i);
            sparse.push_back(full.back());
        }
    }
    bool dense = sparse.size() / 2 > lists.nlist / 2;
    w.one(dense ? fourcc("full") : fourcc("sprs"));
    w.vector(dense ? full : sparse);
    for (size_t i = 0; i < lists.nlist; i++) {
        w.bytes(lists.get_codes(i), full[i] * lists.code_size);
        w.bytes(lists.get_ids(i), full[i] * sizeof(idx_t));
    }
}

/// Writes lists of blocks. Each block has `rows` rows and `bytes` bytes.
void write_block_lists(Writer& w, const InvertedLists& lists, size_t rows, size_t bytes) {
    w.one(fourcc("ilbl"));
    w.one<uint64_t>(lists.nlist);
    w.one<uint64_t>(lists.code_size);
    w.one<uint64_t>(rows);
    w.one<uint64_t>(bytes);
    for (size_t i = 0; i < lists.nlist; i++) {
        size_t size = lists.list_size(i), code_bytes = (size + rows - 1) / rows * bytes;
        w.one<uint64_t>(size);
        w.bytes(lists.get_ids(i), size * sizeof(idx_t));
        w.one<uint64_t>(code_bytes);
        w.bytes(lists.get_codes(i), code_bytes);
    }
}

void write_graph(Writer& w, const HNSW& g) {
    w.vector(g.assign_probas);
    w.vector(g.cum_nneighbor_per_level);
    w.vector(g.levels);
    w.vector(g.offsets);
    w.vector(g.neighbors);
    w.one<int32_t>(g.entry_point);
    w.one<int32_t>(g.max_level);
    w.one<int32_t>(g.efConstruction);
    w.one<int32_t>(g.efSearch);
    w.one<int32_t>(1);
}

void write_index(Writer& w, const Index& index) {
    if (auto* flat = dynamic_cast<const IndexFlat*>(&index)) {
        write_header(w, fourcc("IxFI"), index);
        w.one<uint64_t>(flat->codes.size() / sizeof(float));
        w.bytes(flat->codes.data(), flat->codes.size());
    } else if (auto* sq = dynamic_cast<const IndexScalarQuantizer*>(&index)) {
        write_header(w, fourcc("IxSQ"), index);
        write_sq(w, sq->sq);
        w.vector(sq->codes);
    } else if (auto* ivf = dynamic_cast<const IndexIVFFlat*>(&index)) {
        write_header(w, fourcc("IwFl"), index);
        write_ivf(w, *ivf);
        write_lists(w, *ivf->invlists);
    } else if (auto* ivsq = dynamic_cast<const IndexIVFScalarQuantizer*>(&index)) {
        write_header(w, fourcc("IwSq"), index);
        write_ivf(w, *ivsq);
        write_sq(w, ivsq->sq);
        w.one<uint64_t>(ivsq->code_size);
        w.one<uint8_t>(ivsq->by_residual);
        write_lists(w, *ivsq->invlists);
    } else if (auto* fast = dynamic_cast<const IndexIVFPQFastScan*>(&index)) {
        write_header(w, fourcc("IwPf"), index);
        write_ivf(w, *fast);
        w.one<uint8_t>(fast->by_residual);
        w.one<uint64_t>(fast->code_size);
        w.one<int32_t>(fast->bbs);
        w.one<uint64_t>(fast->M2);
        w.one<int32_t>(fast->implem);
        w.one<uint64_t>(fast->qbs2);
        write_pq(w, fast->pq);
        write_block_lists(w, *fast->invlists, fast->bbs, fast->bbs * fast->M2 / 2);
    } else if (auto* refine = dynamic_cast<const IndexRefine*>(&index)) {
        write_header(w, fourcc("IxRF"), index);
        write_index(w, *refine->base_index);
        write_index(w, *refine->refine_index);
        w.one(refine->k_factor);
    } else if (auto* hnsw = dynamic_cast<const IndexHNSW*>(&index)) {
        bool flat_storage = dynamic_cast<const IndexFlat*>(hnsw->storage);
        write_header(w, flat_storage ? fourcc("IHNf") : fourcc("IHNs"), index);
        write_graph(w, hnsw->hnsw);
        write_index(w, *hnsw->storage);
    } else {
        throw std::logic_error("an index of a type that this program does not create");
    }
}

} // namespace

void write_index_file(const Handle& handle, const char* path) {
    Writer writer(path);
    write_index(writer, *handle.index);
    writer.finish();
}

} // namespace priorart
