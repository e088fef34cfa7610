"""Graphs whose filter is compiled: hnswlib and USearch."""

import ctypes
import functools
import os

import numpy as np
from library import Library, ladder


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
