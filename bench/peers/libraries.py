"""
The libraries that `npm run bench -- peers` compares with. Each is set as its own documentation advises for a high recall;
what has to be found by trial is swept.

A library has `variants` of its index, built once by `build`. `open` loads one. `ladders` are the settings of a search: the
first is raised until the recall is reached, for each value of the second, if there is one. `bind` prepares the calls of
some questions at one setting: what a caller could prepare once (filters as bitmaps or row numbers, parameter objects) is
prepared there and is not measured. A call returns its rows, best first, or None if it wrote them to `answers`. It asks for
`data.fetch` rows.
"""

import functools
import math
import os

import numpy as np
from faiss_indexes import (
    GATHERED_MOST,
    FaissFlat,
    FaissGather,
    FaissHnsw,
    FaissIvfFlat,
    FaissIvfPq,
    FaissIvfPqPlain,
    FaissIvfRaBitQ,
    FaissIvfRaBitQ4,
    FaissIvfSq8,
)
from graphs import Hnswlib, HnswlibDocuments, Usearch
from library import REFINED_MOST, Library, ladder


class Gather(Library):
    """NumPy: the vectors of the rows that pass, times the question. The rows are ready."""

    name = "numpy gather"
    about = "exact scores of the allowed rows in NumPy, row numbers ready"

    def supports(self, share):
        return share <= GATHERED_MOST

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
