#include "index_read.h"
#include "packed_lists.h"

#include <faiss/IndexIVFFlat.h>
#include <faiss/IndexIVFPQFastScan.h>
#include <faiss/IndexRefine.h>
#include <faiss/invlists/BlockInvertedLists.h>

namespace priorart {

using namespace faiss;

Header read_header(Reader& r) {
    Header h;
    h.d = r.one<int32_t>();
    h.ntotal = r.one<int64_t>();
    r.one<int64_t>();
    r.one<int64_t>();
    expect(r.flag(), "the index was never trained");
    expect(r.one<int32_t>() == METRIC_INNER_PRODUCT, "the metric is not the inner product");
    // These bounds prevent overflow in the products of sizes below.
    expect(h.d > 0 && h.d <= 1 << 16, "the number of dimensions is out of range");
    expect(h.ntotal >= 0 && h.ntotal < int64_t(1) << 40, "the number of rows is out of range");
    return h;
}

void check_same(const Header& outer, const Index& inner) {
    expect(inner.d == outer.d && inner.ntotal == outer.ntotal, "two parts of the index differ in size");
}

static ScalarQuantizer read_sq(Reader& r, int d) {
    auto type = r.one<int32_t>();
    auto rangestat = r.one<int32_t>();
    auto rangestat_arg = r.one<float>();
    expect(type == ScalarQuantizer::QT_8bit || type == ScalarQuantizer::QT_fp16, "an unknown scalar quantizer");
    expect(rangestat >= 0 && rangestat <= ScalarQuantizer::RS_optim, "an unknown scalar quantizer range");
    ScalarQuantizer sq(d, static_cast<ScalarQuantizer::QuantizerType>(type));
    sq.rangestat = static_cast<ScalarQuantizer::RangeStat>(rangestat);
    sq.rangestat_arg = rangestat_arg;
    expect(r.one<uint64_t>() == size_t(d), "the scalar quantizer has the wrong number of dimensions");
    expect(r.one<uint64_t>() == sq.code_size, "the scalar quantizer has the wrong code size");
    sq.trained = r.vector<float>();
    expect(sq.trained.size() == (type == ScalarQuantizer::QT_8bit ? 2u * d : 0u),
           "the scalar quantizer has the wrong number of ranges");
    check_components(sq.trained.data(), sq.trained.size());
    check_components(&sq.rangestat_arg, 1);
    return sq;
}

std::unique_ptr<IndexScalarQuantizer> read_flat_sq(Reader& r) {
    Header h = read_header(r);
    auto index = std::make_unique<IndexScalarQuantizer>(h.d, ScalarQuantizer::QT_8bit, METRIC_INNER_PRODUCT);
    index->sq = read_sq(r, h.d);
    expect(index->sq.qtype == ScalarQuantizer::QT_8bit, "an unknown scalar quantizer");
    expect(r.count(1) == size_t(h.ntotal) * index->sq.code_size, "the number of code bytes is wrong");
    index->codes = r.view<uint8_t>(size_t(h.ntotal) * index->sq.code_size);
    index->ntotal = h.ntotal;
    index->is_trained = true;
    return index;
}

namespace {

std::unique_ptr<IndexFlatIP> read_quantizer(Reader& r, const Header& outer, size_t nlist) {
    expect(r.type() == fourcc("IxFI"), "the coarse quantizer is not a flat index");
    auto flat = read_flat_as<IndexFlatIP>(r);
    expect(flat->d == outer.d && size_t(flat->ntotal) == nlist, "the coarse quantizer has the wrong size");
    if (!flat->codes.is_owned) {
        // Copied to aligned memory: it is small, and every search reads it.
        flat->codes = MaybeOwnedVector<uint8_t>(
                std::vector<uint8_t>(flat->codes.data(), flat->codes.data() + flat->codes.size()));
        check_components(flat->codes.data(), nlist * flat->d);
    }
    return flat;
}

void check_ids(const idx_t* ids, size_t n, int64_t ntotal) {
    for (size_t i = 0; i < n; i++) {
        expect(ids[i] >= 0 && ids[i] < ntotal, "a list names a row that does not exist");
    }
}

/// `check_codes` checks the codes of a list's rows.
template <class Check>
std::unique_ptr<InvertedLists> read_lists(
        Reader& r,
        size_t nlist,
        size_t code_size,
        int64_t ntotal,
        Check check_codes) {
    expect(r.type() == fourcc("ilar"), "the inverted lists are of an unknown type");
    expect(r.one<uint64_t>() == nlist, "the number of inverted lists is wrong");
    expect(r.one<uint64_t>() == code_size, "the code size of the inverted lists is wrong");
    uint32_t form = r.type();
    expect(form == fourcc("full") || form == fourcc("sprs"), "the sizes of the inverted lists are missing");
    std::vector<uint64_t> sizes = r.vector<uint64_t>();
    if (form == fourcc("sprs")) {
        expect(sizes.size() % 2 == 0, "the sizes of the inverted lists are not pairs");
        std::vector<uint64_t> full(nlist, 0);
        for (size_t i = 0; i < sizes.size(); i += 2) {
            expect(sizes[i] < nlist, "a size belongs to a list that does not exist");
            full[sizes[i]] = sizes[i + 1];
        }
        sizes.swap(full);
    }
    expect(sizes.size() == nlist, "the number of inverted lists is wrong");
    auto lists = std::make_unique<ArrayInvertedLists>(nlist, code_size);
    uint64_t sum = 0;
    for (size_t i = 0; i < nlist; i++) {
        expect(sizes[i] <= size_t(ntotal) - sum, "the inverted lists hold more rows than the index");
        sum += sizes[i];
        lists->codes[i] = r.view<uint8_t>(sizes[i] * code_size);
        lists->ids[i] = r.view<idx_t>(sizes[i]);
        if (!r.mapped()) {
            check_codes(lists->codes[i].data(), sizes[i]);
            check_ids(lists->ids[i].data(), sizes[i], ntotal);
        }
    }
    expect(sum == size_t(ntotal), "the inverted lists hold fewer rows than the index");
    return lists;
}

/// Reads lists of blocks of codes. `place` returns the memory for the ids and codes of a list,
/// given its number of rows. Always copied, since the fast scan kernels need codes on 32-byte
/// boundaries.
template <class Place>
void read_block_lists(Reader& r, const BlockInvertedLists& shape, int64_t ntotal, Place place) {
    expect(r.type() == fourcc("ilbl"), "the inverted lists are of an unknown type");
    expect(r.one<uint64_t>() == shape.nlist, "the number of inverted lists is wrong");
    expect(r.one<uint64_t>() == InvertedLists::INVALID_CODE_SIZE, "the code size of the inverted lists is wrong");
    expect(r.one<uint64_t>() == shape.n_per_block && r.one<uint64_t>() == shape.block_size,
           "the inverted lists have the wrong block size");
    uint64_t sum = 0;
    for (size_t i = 0; i < shape.nlist; i++) {
        size_t n = r.count(sizeof(idx_t));
        expect(n <= size_t(ntotal) - sum, "the inverted lists hold more rows than the index");
        sum += n;
        size_t bytes = (n + shape.n_per_block - 1) / shape.n_per_block * shape.block_size;
        auto [ids, codes] = place(i, n, bytes);
        r.bytes(ids, n * sizeof(idx_t));
        check_ids(ids, n, ntotal);
        expect(r.count(1) == bytes, "an inverted list has the wrong number of code bytes");
        r.bytes(codes, bytes);
    }
    expect(sum == size_t(ntotal), "the inverted lists hold fewer rows than the index");
}

struct Place {
    idx_t* ids;
    uint8_t* codes;
};

struct IvfHead {
    Header h;
    size_t nlist, nprobe;
    std::unique_ptr<IndexFlatIP> quantizer;
};

IvfHead read_ivf_head(Reader& r) {
    IvfHead head;
    head.h = read_header(r);
    head.nlist = r.one<uint64_t>();
    head.nprobe = r.one<uint64_t>();
    expect(head.nlist > 0, "the index has no inverted lists");
    head.quantizer = read_quantizer(r, head.h, head.nlist);
    expect(r.one<uint8_t>() == DirectMap::NoMap && r.one<uint64_t>() == 0, "the index has a direct map");
    return head;
}

template <class Ivf>
std::unique_ptr<Index> finish_ivf(std::unique_ptr<Ivf> ivf, IvfHead& head) {
    ivf->own_fields = true;
    head.quantizer.release();
    ivf->ntotal = head.h.ntotal;
    ivf->nprobe = head.nprobe;
    ivf->is_trained = true;
    return ivf;
}

void take_lists(IndexIVF& ivf, std::unique_ptr<InvertedLists> lists) {
    ivf.replace_invlists(lists.get(), true);
    lists.release();
}

std::unique_ptr<Index> read_ivf_flat(Reader& r) {
    IvfHead head = read_ivf_head(r);
    auto ivf = std::make_unique<IndexIVFFlat>(
            head.quantizer.get(), head.h.d, head.nlist, METRIC_INNER_PRODUCT, false);
    auto check = [&](const uint8_t* codes, size_t rows) { check_components(codes, rows * head.h.d); };
    take_lists(*ivf, read_lists(r, head.nlist, ivf->code_size, head.h.ntotal, check));
    return finish_ivf(std::move(ivf), head);
}

std::unique_ptr<Index> read_ivf_sq(Reader& r, Kind& kind) {
    IvfHead head = read_ivf_head(r);
    ScalarQuantizer sq = read_sq(r, head.h.d);
    kind = sq.qtype == ScalarQuantizer::QT_8bit ? IVF_SQ8 : IVF_SQFP16;
    expect(r.one<uint64_t>() == sq.code_size, "the code size is wrong");
    bool by_residual = r.flag();
    auto ivf = std::make_unique<IndexIVFScalarQuantizer>(
            head.quantizer.get(), head.h.d, head.nlist, sq.qtype, METRIC_INNER_PRODUCT, by_residual, false);
    ivf->sq = sq;
    auto check = [&](const uint8_t* codes, size_t rows) {
        if (kind == IVF_SQFP16) {
            check_halves(codes, rows * head.h.d);
        }
    };
    take_lists(*ivf, read_lists(r, head.nlist, sq.code_size, head.h.ntotal, check));
    return finish_ivf(std::move(ivf), head);
}

std::unique_ptr<Index> read_ivf_pq(Reader& r) {
    IvfHead head = read_ivf_head(r);
    expect(!r.flag(), "the product quantizer works on residuals");
    size_t code_size = r.one<uint64_t>();
    auto bbs = r.one<int32_t>();
    size_t m2 = r.one<uint64_t>();
    auto implem = r.one<int32_t>();
    r.one<uint64_t>(); // qbs2, a tuning value that the constructor sets
    size_t d = head.h.d;
    expect(r.one<uint64_t>() == d, "the product quantizer has the wrong number of dimensions");
    size_t m = r.one<uint64_t>();
    expect(m > 0 && m <= d && d % m == 0, "the product quantizer does not divide the dimensions");
    expect(r.one<uint64_t>() == 4, "the product quantizer does not have 4-bit codes");
    expect(bbs == 32 && implem == 0, "the layout of the fast scan is not supported");
    auto ivf = std::make_unique<IndexIVFPQFastScan>(
            head.quantizer.get(), d, head.nlist, m, 4, METRIC_INNER_PRODUCT, bbs);
    expect(code_size == ivf->code_size && m2 == ivf->M2, "the product quantizer has the wrong code size");
    size_t centroids = ivf->pq.centroids.size();
    ivf->pq.centroids = r.vector<float>();
    expect(ivf->pq.centroids.size() == centroids, "the product quantizer has the wrong number of centroids");
    check_components(ivf->pq.centroids.data(), centroids);
    auto& lists = dynamic_cast<BlockInvertedLists&>(*ivf->invlists);
    if (r.mapped()) {
        auto packed = std::make_unique<PackedLists>(head.nlist, lists.n_per_block, lists.block_size, r.left());
        read_block_lists(r, lists, head.h.ntotal, [&](size_t list, size_t rows, size_t bytes) {
            expect(bytes <= r.left(), "the file ends before its data does");
            auto& made = packed->make(list, rows, bytes);
            return Place{made.ids, made.codes};
        });
        packed->trim();
        take_lists(*ivf, std::move(packed));
    } else {
        read_block_lists(r, lists, head.h.ntotal, [&](size_t list, size_t rows, size_t bytes) {
            expect(bytes <= r.left(), "the file ends before its data does");
            lists.ids[list].resize(rows);
            lists.codes[list].resize(bytes);
            return Place{lists.ids[list].data(), lists.codes[list].data()};
        });
    }
    return finish_ivf(std::move(ivf), head);
}

std::unique_ptr<Index> read_refine(Reader& r) {
    Header h = read_header(r);
    expect(r.type() == fourcc("IwPf"), "the refined index is not an IVF-PQ fast scan index");
    auto base = read_ivf_pq(r);
    check_same(h, *base);
    expect(r.type() == fourcc("IxSQ"), "the refine stage is not a scalar quantizer");
    auto exact = read_flat_sq(r);
    check_same(h, *exact);
    auto refine = std::make_unique<IndexRefine>(base.get(), exact.get());
    refine->own_fields = refine->own_refine_index = true;
    base.release();
    exact.release();
    refine->k_factor = r.one<float>();
    return refine;
}

std::unique_ptr<Handle> read_any(Reader& r) {
    uint32_t type = r.type();
    if (type == fourcc("IxFI")) {
        return std::make_unique<Handle>(Handle{FLAT, read_flat_as<IndexFlatIP>(r)});
    } else if (type == fourcc("IwFl")) {
        return std::make_unique<Handle>(Handle{IVF_FLAT, read_ivf_flat(r)});
    } else if (type == fourcc("IwSq")) {
        Kind kind;
        auto index = read_ivf_sq(r, kind);
        return std::make_unique<Handle>(Handle{kind, std::move(index)});
    } else if (type == fourcc("IwPf")) {
        return std::make_unique<Handle>(Handle{IVF_PQ, read_ivf_pq(r)});
    } else if (type == fourcc("IxRF")) {
        return std::make_unique<Handle>(Handle{IVF_PQ_REFINE, read_refine(r)});
    } else if (type == fourcc("IHNf")) {
        return std::make_unique<Handle>(Handle{HNSW_FLAT, read_hnsw(r, true)});
    } else if (type == fourcc("IHNs")) {
        return std::make_unique<Handle>(Handle{HNSW_SQ8, read_hnsw(r, false)});
    }
    throw CorruptError("not an index file, or an index kind that is not supported");
}

} // namespace

std::unique_ptr<Handle> read_index_file(const char* path, bool map) {
    Reader reader(path, map);
    auto handle = read_any(reader);
    expect(reader.at_end(), "the file has bytes after the index");
    return handle;
}

} // namespace priorart
