"""The indexes of FAISS."""

import functools
import math
import os

import numpy as np
from library import REFINED_MOST, Library, factors, ladder

# Lists of an inverted file, in units of the square root of the number of rows: the FAISS wiki advises 4 to 16 below a
# million rows. The first is tried in full, the others near its best setting.
LISTS = (4, 8, 2, 16)
# A gather is not tried if a larger share of the rows passes: it copies most of the vectors, and a scan is faster.
GATHERED_MOST = 0.2


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
        return share <= GATHERED_MOST

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
