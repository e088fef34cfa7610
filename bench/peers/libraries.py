"""
The libraries that `npm run bench -- peers` compares with. Each is set as its own documentation advises for a high recall;
what has to be found by trial is swept.

A library has `variants` of its index, built once by `build`. `open` loads one. `ladders` are the settings of a search: the
first is raised until the recall is reached, for each value of the second, if there is one. `bind` prepares the calls of
some questions at one setting: what a caller could prepare once (filters as bitmaps or row numbers, parameter objects) is
prepared there and is not measured. A call returns its rows, best first, or None if it wrote them to `answers`. It asks for
`data.fetch` rows.
"""

import ctypes
import functools
import math
import os

import numpy as np

# Highest factor between two efforts that are tried.
STEP = 1.3
# Lists of an inverted file, in units of the square root of the number of rows: the FAISS wiki advises 4 to 16 below a
# million rows. The first is tried in full, the others near its best setting.
LISTS = (4, 8, 2, 16)
# Candidates that are scored exactly, per result, at most.
REFINED_MOST = 100


def ladder(low, high):
    """Whole numbers from low to high in steps of at most STEP, or of 1."""
    values = [low]
    while values[-1] < high:
        values.append(min(high, max(values[-1] + 1, math.floor(values[-1] * STEP))))
    return values


def factors(low, high):
    """Numbers from low to high in steps of STEP."""
    count = math.ceil(math.log(high / low) / math.log(STEP))
    return [low * (high / low) ** (n / count) for n in range(count + 1)]


class Library:
    variants = [None]
    # Whether it groups rows by document itself. Such a library is compared for documents only.
    groups = False

    def __init__(self, data, built, threads):
        self.data, self.built, self.threads = data, built, threads

    def path(self, name):
        return os.path.join(self.built, name)

    def build(self, variant):
        pass

    def supports(self, share):
        """Whether it can apply a filter that this share of the rows passes."""
        return True


class Gather(Library):
    """NumPy: the vectors of the rows that pass, times the question. The rows are ready."""

    name = "numpy gather"
    about = "exact scores of the allowed rows in NumPy, row numbers ready"
    # Above this share it copies most of the vectors; a scan is faster.
    most = 0.2

    def supports(self, share):
        return share <= self.most

    def open(self, variant):
        return None

    def ladders(self, variant, share):
        return [[0]]

    def bind(self, index, asked, setting, answers):
        return [functools.partial(self.search, one.vector, one.rows()) for one in asked]

    def search(self, vector, rows):
        scores = self.data.vectors[rows] @ vector
        k = self.data.fetch
        if len(rows) > k:
            best = np.argpartition(scores, len(rows) - k)[-k:]
            rows, scores = rows[best], scores[best]
        return rows[np.argsort(-scores)]


class Faiss(Library):
    """FAISS, called below its Python wrapper, with parameters and filters ready."""

    def __init__(self, data, built, threads):
        super().__init__(data, built, threads)
        import faiss

        self.faiss = faiss
        faiss.omp_set_num_threads(threads)

    def file(self, name):
        return self.path(f"faiss-{self.faiss.__version__}-{name}.index")

    def cached(self, name, make):
        path = self.file(name)
        if not os.path.exists(path):
            self.faiss.write_index(make(), f"{path}.tmp")
            os.replace(f"{path}.tmp", path)
        return path

    def read(self, name):
        return self.faiss.read_index(self.file(name))

    def selector(self, one):
        return None if one.bits is None else self.faiss.IDSelectorBitmap(one.bits)

    def bind(self, index, asked, setting, answers):
        faiss, k = self.faiss, self.data.fetch
        distances = np.empty(k, np.float32)
        calls = []
        for n, one in enumerate(asked):
            selector = self.selector(one)
            parameters = self.parameters({} if selector is None else {"sel": selector}, setting)
            call = functools.partial(
                index.search_c if hasattr(index, "search_c") else index.search,
                1, faiss.swig_ptr(one.vector), k, faiss.swig_ptr(distances), faiss.swig_ptr(answers[n]), parameters,
            )
            # The parameters refer to these without owning them.
            call.kept = (selector, parameters, distances, one)
            calls.append(call)
        return calls


class FaissFlat(Faiss):
    name = "faiss flat"
    about = "IndexFlat in float32, bitmap"

    def single(self):
        """An index of one row: a search of it costs what a call costs."""
        index = self.faiss.IndexFlatIP(self.data.dimensions)
        index.add(self.data.vectors[:1])
        return index

    def open(self, variant):
        index = self.faiss.IndexFlatIP(self.data.dimensions)
        index.add(self.data.vectors)
        return index

    def ladders(self, variant, share):
        return [[0]]

    def parameters(self, given, setting):
        return self.faiss.SearchParameters(**given)


class FaissGather(FaissFlat):
    name = "faiss gather"
    about = "IndexFlat in float32 with an IDSelectorArray: exact scores of the allowed rows, row numbers ready"

    def supports(self, share):
        return share <= Gather.most

    def selector(self, one):
        return self.faiss.IDSelectorArray(one.rows())


class FaissIvf(Faiss):
    """An inverted file. The centroids of one number of lists are trained once for all codecs."""

    codec = None
    refined = True
    rotated = False

    def __init__(self, data, built, threads):
        super().__init__(data, built, threads)
        self.lists = {factor: max(16, round(factor * math.sqrt(data.rows))) for factor in LISTS}
        self.variants = list(LISTS)

    def train(self, factor):
        faiss, data = self.faiss, self.data

        def make():
            centroids = faiss.IndexFlatIP(data.dimensions)
            index = faiss.IndexIVFFlat(centroids, data.dimensions, self.lists[factor], faiss.METRIC_INNER_PRODUCT)
            index.train(data.vectors)
            return centroids

        self.cached(f"centroids-{self.lists[factor]}", make)

    def rotation(self):
        faiss, d = self.faiss, self.data.dimensions
        rotation = faiss.RandomRotationMatrix(d, d)
        rotation.init(1)
        return rotation

    def base(self, factor):
        """The trained and filled index, without refinement."""
        faiss, data = self.faiss, self.data
        centroids = self.read(f"centroids-{self.lists[factor]}")
        vectors, rotation = data.vectors, None
        if self.rotated:
            rotation = self.rotation()
            vectors = rotation.apply(vectors)
            turned = faiss.IndexFlatIP(data.dimensions)
            turned.add(rotation.apply(centroids.reconstruct_n(0, centroids.ntotal)))
            centroids = turned
        index = self.empty(centroids, data.dimensions, centroids.ntotal)
        index.train(vectors[np.random.default_rng(1).permutation(data.rows)[:65_536]])
        index.add(vectors)
        return index if rotation is None else faiss.IndexPreTransform(rotation, index)

    def build(self, factor):
        faiss, data = self.faiss, self.data
        self.train(factor)
        self.cached(f"{self.codec}-{self.lists[factor]}", lambda: self.base(factor))

        def exact():
            index = faiss.IndexScalarQuantizer(data.dimensions, faiss.ScalarQuantizer.QT_fp16,
                                               faiss.METRIC_INNER_PRODUCT)
            index.train(data.vectors[:1])
            index.add(data.vectors)
            return index

        if self.refined:
            self.cached("fp16", exact)

    def open(self, factor):
        index = self.read(f"{self.codec}-{self.lists[factor]}")
        if not self.refined:
            return index
        if not hasattr(self, "exact"):
            self.exact = self.read("fp16")
        return self.faiss.IndexRefine(index, self.exact)

    def ladders(self, factor, share):
        lists = ladder(1, self.lists[factor])
        return [lists, factors(1, REFINED_MOST)] if self.refined else [lists]

    def parameters(self, given, setting):
        faiss = self.faiss
        parameters = self.probing(given, setting[0])
        if self.rotated:
            inner = parameters
            parameters = faiss.SearchParametersPreTransform(index_params=inner)
            parameters.kept = inner
        if not self.refined:
            return parameters
        whole = faiss.IndexRefineSearchParameters(k_factor=setting[1], base_index_params=parameters)
        whole.kept = parameters
        return whole

    def probing(self, given, nprobe):
        return self.faiss.SearchParametersIVF(nprobe=nprobe, **given)

    def described(self, factor, setting):
        refined = f", k_factor {setting[1]:.3g}" if self.refined else ""
        return f"{self.lists[factor]} lists, nprobe {setting[0]}{refined}"


class FaissIvfFlat(FaissIvf):
    name = "faiss ivf-flat"
    about = "IndexIVFFlat in float32"
    codec, refined = "flat", False

    def empty(self, centroids, d, lists):
        return self.faiss.IndexIVFFlat(centroids, d, lists, self.faiss.METRIC_INNER_PRODUCT)


class FaissIvfSq8(FaissIvf):
    name = "faiss ivf-sq8-refine"
    about = "IndexIVFScalarQuantizer, 8 bits, of residuals, refined by fp16"
    codec = "sq8"

    def empty(self, centroids, d, lists):
        faiss = self.faiss
        return faiss.IndexIVFScalarQuantizer(centroids, d, lists, faiss.ScalarQuantizer.QT_8bit,
                                             faiss.METRIC_INNER_PRODUCT)


class FaissIvfPq(FaissIvf):
    name = "faiss ivf-pq-refine"
    about = "IndexIVFPQFastScan, 4 bits for 2 dimensions, of residuals, refined by fp16"
    codec = "pqr"
    by_residual = True

    def empty(self, centroids, d, lists):
        index = self.faiss.IndexIVFPQFastScan(centroids, d, lists, d // 2, 4, self.faiss.METRIC_INNER_PRODUCT)
        index.by_residual = self.by_residual
        return index


class FaissIvfPqPlain(FaissIvfPq):
    name = "faiss ivf-pq-plain-refine"
    about = "the same of the vectors themselves"
    codec = "pq"
    by_residual = False


class FaissIvfRaBitQ(FaissIvf):
    name = "faiss ivf-rabitq-refine"
    about = "IndexIVFRaBitQFastScan, 1 bit a dimension after a random rotation, refined by fp16"
    codec, rotated, bits = "rabitq1", True, 1

    def empty(self, centroids, d, lists):
        return self.faiss.IndexIVFRaBitQFastScan(centroids, d, lists, self.faiss.METRIC_INNER_PRODUCT, 32, True,
                                                 self.bits)


class FaissIvfRaBitQ4(FaissIvfRaBitQ):
    name = "faiss ivf-rabitq4-refine"
    about = "the same with 4 bits a dimension"
    codec, bits = "rabitq4", 4


class FaissHnsw(Faiss):
    name = "faiss hnsw"
    about = "IndexHNSWFlat, M 32, efConstruction 200"

    def build(self, variant):
        def make():
            index = self.faiss.IndexHNSWFlat(self.data.dimensions, 32, self.faiss.METRIC_INNER_PRODUCT)
            index.hnsw.efConstruction = 200
            index.add(self.data.vectors)
            return index

        self.cached("hnsw32", make)

    def open(self, variant):
        return self.read("hnsw32")

    def ladders(self, variant, share):
        return [ladder(self.data.fetch, max(self.data.fetch, self.data.rows // 4))]

    def parameters(self, given, setting):
        return self.faiss.SearchParametersHNSW(efSearch=setting[0], **given)

    def described(self, variant, setting):
        return f"efSearch {setting[0]}"


class Graph(Library):
    """A graph of graphs.cpp, which applies a filter in C++."""

    def library(self):
        # Loads the kernels of USearch, which graphs.cpp refers to.
        import usearch  # noqa: F401

        if "PRIORART_GRAPHS" not in os.environ:
            raise RuntimeError("graphs.cpp was not compiled")
        found = ctypes.CDLL(os.environ["PRIORART_GRAPHS"])
        for name in (f"{self.prefix}_open", "usearch_kernel"):
            getattr(found, name).restype = ctypes.c_void_p
        found.usearch_kernel.restype = ctypes.c_char_p
        search = getattr(found, f"{self.prefix}_search")
        search.restype = ctypes.c_size_t
        search.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p,
                           ctypes.c_void_p]
        return found

    def ladders(self, variant, share):
        return [ladder(self.data.fetch, max(self.data.fetch, self.data.rows // 4))]

    def bind(self, index, asked, setting, answers):
        found, handle = index
        search = getattr(found, f"{self.prefix}_search")
        answers[:] = -1
        return [
            functools.partial(
                self.search, search, handle, one.vector.ctypes.data, self.data.fetch, setting[0],
                None if one.bits is None else one.bits.ctypes.data, answers[n].ctypes.data,
            )
            for n, one in enumerate(asked)
        ]

    @staticmethod
    def search(search, *given):
        search(*given)

    def described(self, variant, setting):
        of = "" if variant is None else f"M {variant[0]}, ef_construction {variant[1]}, "
        return f"{of}ef {setting[0]}"


class Hnswlib(Graph):
    name = "hnswlib"
    prefix = "hnswlib"
    about = "compiled from its headers for this processor, filter in C++; M 16 and 32 (its documentation: 12 to 48)"
    variants = [(16, 200), (32, 400)]

    def file(self, variant):
        return self.path(f"hnswlib-{variant[0]}-{variant[1]}.index")

    def build(self, variant):
        path = self.file(variant)
        if not os.path.exists(path):
            size = ctypes.c_size_t
            self.library().hnswlib_build(
                ctypes.c_void_p(self.data.vectors.ctypes.data), size(self.data.rows), size(self.data.dimensions),
                size(variant[0]), size(variant[1]), size(self.threads), f"{path}.tmp".encode())
            os.replace(f"{path}.tmp", path)

    def open(self, variant):
        found = self.library()
        return found, found.hnswlib_open(self.file(variant).encode(), ctypes.c_size_t(self.data.dimensions))


class HnswlibDocuments(Hnswlib):
    """The search of hnswlib for documents of many vectors; `ef_collection` is a number of documents."""

    name = "hnswlib multi-vector"
    about = "the same graphs, with MultiVectorSearchStopCondition"
    groups = True
    # Rows of a document that an answer has room for.
    ROOM = 100

    def bind(self, index, asked, setting, answers):
        found, handle = index
        search = found.hnswlib_search_documents
        search.restype = ctypes.c_size_t
        size, pointer = ctypes.c_size_t, ctypes.c_void_p
        search.argtypes = [pointer, pointer, size, size, pointer, pointer, pointer, size]
        rows = np.empty((len(asked), self.ROOM * self.data.k), np.int64)
        return [
            functools.partial(
                self.found, rows[n], search, handle, one.vector.ctypes.data, self.data.k, setting[0],
                None if one.bits is None else one.bits.ctypes.data, self.data.docs.ctypes.data, rows[n].ctypes.data,
                rows.shape[1],
            )
            for n, one in enumerate(asked)
        ]

    @staticmethod
    def found(rows, search, *given):
        return rows[: search(*given)]

    def described(self, variant, setting):
        return f"M {variant[0]}, ef_construction {variant[1]}, ef_collection {setting[0]}"


class Usearch(Graph):
    name = "usearch"
    prefix = "usearch"
    about = "compiled from its headers with the kernels of its package, filter in C++; half precision, defaults"

    def build(self, variant):
        path = self.path("usearch.index")
        if not os.path.exists(path):
            size = ctypes.c_size_t
            if not self.library().usearch_build(
                ctypes.c_void_p(self.data.vectors.ctypes.data), size(self.data.rows), size(self.data.dimensions),
                size(self.threads), f"{path}.tmp".encode()):
                raise RuntimeError("usearch_build failed")
            os.replace(f"{path}.tmp", path)

    def open(self, variant):
        found = self.library()
        handle = found.usearch_open(self.path("usearch.index").encode())
        if not handle:
            raise RuntimeError("usearch_open failed")
        return found, handle


class Scann(Library):
    """It has no filter: it is asked for more rows, and those that the filter forbids are dropped."""

    name = "scann"
    about = "tree, anisotropic hashing of 2 dimensions a block, exact reordering; filters drop rows of a longer answer"
    # A filter that fewer rows pass would need too long an answer.
    least = 0.05
    variants = [2, 1, 4]

    def leaves(self, factor):
        return max(16, round(factor * math.sqrt(self.data.rows)))

    def supports(self, share):
        return share >= self.least

    def build(self, factor):
        from scann.scann_ops.py import scann_ops_pybind

        folder = self.path(f"scann-{self.leaves(factor)}")
        if os.path.exists(os.path.join(folder, "done")):
            return
        os.makedirs(folder, exist_ok=True)
        builder = scann_ops_pybind.builder(self.data.vectors, self.data.k, "dot_product")
        builder = builder.tree(num_leaves=self.leaves(factor), num_leaves_to_search=100,
                               training_sample_size=min(250_000, self.data.rows))
        builder = builder.score_ah(2, anisotropic_quantization_threshold=0.2).reorder(100)
        searcher = builder.set_n_training_threads(self.threads).build()
        searcher.serialize(folder, relative_path=True)
        open(os.path.join(folder, "done"), "w").close()

    def open(self, factor):
        from scann.scann_ops.py import scann_ops_pybind

        searcher = scann_ops_pybind.load_searcher(self.path(f"scann-{self.leaves(factor)}"))
        searcher.set_num_threads(1)
        return searcher.searcher

    def ladders(self, factor, share):
        k = self.data.fetch
        most = min(self.data.rows, round(k * REFINED_MOST / share))
        return [ladder(1, self.leaves(factor)), ladder(round(k / share), most)]

    def bind(self, index, asked, setting, answers):
        return [functools.partial(self.search, index, one, *setting) for one in asked]

    def search(self, index, one, leaves, reordered):
        if one.bits is None:
            return index.search(one.vector, self.data.fetch, reordered, leaves)[0]
        rows = index.search(one.vector, reordered, reordered, leaves)[0]
        allowed = one.bits[rows >> 3] >> (rows & 7).astype(np.uint8) & 1
        return rows[allowed.astype(bool)][: self.data.fetch]

    def described(self, factor, setting):
        return f"{self.leaves(factor)} leaves, {setting[0]} searched, {setting[1]} reordered"


class Lance(Library):
    """IVF_PQ with refinement, and indexes over the columns of the filters, applied before the search."""

    name = "lancedb"
    about = "IVF_PQ, a sub-vector for 8 dimensions, partitions of 4,096 rows, refined; evaluates the filter each time"

    def build(self, variant):
        import lancedb
        import pyarrow as pa

        done = self.path("lance.done")
        if os.path.exists(done):
            return
        db = lancedb.connect(self.path("lance"))
        data = pa.table({
            "row": pa.array(np.arange(self.data.rows, dtype=np.int64)),
            "day": pa.array(self.data.days()),
            "classes": pa.array(self.data.classes(), type=pa.list_(pa.string())),
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(self.data.vectors.reshape(-1)), self.data.dimensions),
        })
        table = db.create_table("passages", data, mode="overwrite")
        table.create_index(metric="dot", vector_column_name="vector", index_type="IVF_PQ",
                           num_partitions=self.partitions(), num_sub_vectors=self.data.dimensions // 8)
        table.create_scalar_index("day", index_type="BTREE")
        table.create_scalar_index("classes", index_type="LABEL_LIST")
        open(done, "w").close()

    def partitions(self):
        return max(1, self.data.rows // 4096)

    def open(self, variant):
        import lancedb

        return lancedb.connect(self.path("lance")).open_table("passages")

    def ladders(self, variant, share):
        return [ladder(1, self.partitions()), [1, 3, 10, 30, 100]]

    def bind(self, index, asked, setting, answers):
        return [functools.partial(self.search, index, one, self.where(one), *setting) for one in asked]

    @staticmethod
    def where(one):
        if one.filter is None:
            return None
        if "class" in one.filter:
            return f"array_has(classes, '{one.filter['class']}')"
        return f"day >= {one.filter['from']} AND day <= {one.filter['to']}"

    def search(self, table, one, where, nprobes, refined):
        query = table.search(one.vector, vector_column_name="vector").distance_type("dot")
        query = query.nprobes(nprobes).refine_factor(refined).limit(self.data.fetch).select(["row", "_distance"])
        if where is not None:
            query = query.where(where, prefilter=True)
        return query.to_arrow()["row"].to_numpy()

    def described(self, variant, setting):
        return f"nprobes {setting[0]}, refine_factor {setting[1]}"


# Exact ones, then the fastest: later ones that are far slower are measured with fewer questions.
LIBRARIES = (FaissGather, Gather, FaissFlat, FaissIvfPq, FaissIvfPqPlain, FaissIvfSq8, FaissIvfRaBitQ, FaissIvfRaBitQ4,
             FaissIvfFlat, Scann, Hnswlib, HnswlibDocuments, Usearch, FaissHnsw, Lance)
