"""Runs the peers of `npm run bench -- peers` in sequence over the same vectors, filters and questions.

Usage: peers.py FOLDER [LIBRARY...]. FOLDER is the export of export.ts. Prints a line of JSON for each library, case and
effort. Uses one thread, except in LanceDB, which has no setting for it: its processor time counts all threads.
"""

import json
import math
import os
import re
import resource
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("LANCE_CPU_THREADS", "1")
os.environ.setdefault("LANCE_LOG", "error")

import numpy as np  # noqa: E402

FOLDER = sys.argv[1]
META = json.load(open(os.path.join(FOLDER, "meta.json")))
ROWS, DIMENSIONS, K, TARGET = META["rows"], META["dimensions"], META["k"], META["recall"]
BUILT = os.path.join(FOLDER, "built")
# Maximum time of a question at which the effort is raised further.
PATIENCE_MS = 250
PASSES = 3


def load(name, dtype):
    return np.fromfile(os.path.join(FOLDER, name), dtype=dtype)


VECTORS = load("vectors.f32", np.float32).reshape(ROWS, DIMENSIONS)
CASES = json.load(open(os.path.join(FOLDER, "cases.json")))
QUESTIONS = load("questions.f32", np.float32).reshape(-1, DIMENSIONS)
BYTES = (ROWS + 7) // 8
MASKS = load("masks.u8", np.uint8).reshape(-1, BYTES)
DAYS = load("days.i32", np.int32)


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


class Asked:
    """One question under one filter."""

    def __init__(self, entry):
        self.vector = QUESTIONS[entry["question"]]
        self.filter = entry.get("filter")
        self.bits = MASKS[entry["mask"]] if "mask" in entry else None
        self._truth = None

    def allowed(self):
        """A boolean for every row."""
        return np.unpackbits(self.bits, count=ROWS, bitorder="little").astype(bool)

    def truth(self):
        if self._truth is None:
            rows = np.arange(ROWS) if self.bits is None else np.flatnonzero(self.allowed())
            scores = VECTORS[rows] @ self.vector
            best = np.argsort(-scores, kind="stable")[:K]
            self._truth = scores[best]
        return self._truth

    def recall(self, rows):
        truth = self.truth()
        if len(truth) == 0:
            return 1.0
        found = [row for row in rows if 0 <= row < ROWS]
        if self.bits is not None:
            allowed = [bool(self.bits[row >> 3] >> (row & 7) & 1) for row in found]
            assert all(allowed), "a row that the filter forbids"
        scores = VECTORS[found] @ self.vector if found else np.empty(0)
        return float(np.sum(np.sort(scores)[::-1][: len(truth)] >= truth[-1] - 1e-5)) / len(truth)


class Faiss:
    """The FAISS wiki's advice: 4·√n lists, a bitmap selector, effort by search parameters."""

    def __init__(self, name, factory):
        import faiss

        self.faiss, self.name = faiss, name
        path = os.path.join(BUILT, f"faiss-{name}-{faiss.__version__}.index")
        faiss.omp_set_num_threads(1)
        if os.path.exists(path):
            self.index = faiss.read_index(path)
        else:
            index = faiss.index_factory(DIMENSIONS, factory, faiss.METRIC_INNER_PRODUCT)
            faiss.omp_set_num_threads(os.cpu_count())
            rng = np.random.default_rng(1)
            sample = VECTORS[np.sort(rng.permutation(ROWS)[: max(50_000, 64 * LISTS)])]
            index.train(sample)
            index.add(VECTORS)
            faiss.omp_set_num_threads(1)
            faiss.write_index(index, path)
            self.index = index
        self.efforts = EFFORTS[re.match("[a-z]+", name)[0]]

    def prepare(self, asked):
        # The selector refers to the array, so both are kept.
        if asked.bits is None:
            return None
        return asked.bits, self.faiss.IDSelectorBitmap(asked.bits)

    def search(self, asked, selector, effort):
        faiss = self.faiss
        given = {} if selector is None else {"sel": selector[1]}
        if self.name == "flat":
            parameters = faiss.SearchParameters(**given)
        elif self.name.startswith("hnsw"):
            parameters = faiss.SearchParametersHNSW(efSearch=effort, **given)
        else:
            parameters = faiss.SearchParametersIVF(nprobe=effort, **given)
            if "refine" in self.name:
                parameters = faiss.IndexRefineSearchParameters(k_factor=REFINED, base_index_params=parameters)
        return self.index.search(asked.vector[None], K, params=parameters)[1][0]


LISTS = max(16, 2 ** round(math.log2(4 * math.sqrt(ROWS))))
REFINED = 10
LADDER = [2**n for n in range(0, 15)]
EFFORTS = {
    "flat": [0],
    "ivf": [n for n in LADDER if n <= LISTS],
    "hnsw": [n for n in LADDER if n >= 16],
}


class Hnswlib:
    """M 16, ef_construction 200: the example of its README. A filter is a function of the label."""

    efforts = [n for n in LADDER if n >= 16]

    def __init__(self):
        import hnswlib

        path = os.path.join(BUILT, "hnswlib.index")
        self.index = hnswlib.Index(space="ip", dim=DIMENSIONS)
        if os.path.exists(path):
            self.index.load_index(path)
        else:
            self.index.init_index(max_elements=ROWS, M=16, ef_construction=200, random_seed=1)
            self.index.add_items(VECTORS, num_threads=os.cpu_count())
            self.index.save_index(path)
        self.index.set_num_threads(1)

    def prepare(self, asked):
        return None if asked.bits is None else asked.allowed().tolist()

    def search(self, asked, allowed, effort):
        self.index.set_ef(effort)
        given = {} if allowed is None else {"filter": lambda label: allowed[label]}
        try:
            return self.index.knn_query(asked.vector, k=K, num_threads=1, **given)[0][0]
        except RuntimeError:  # Fewer than k rows were found at this ef.
            return []


class Usearch:
    """Half precision, its other defaults. Its Python interface has no filter."""

    efforts = [n for n in LADDER if n >= 16]
    filters = False

    def __init__(self):
        from usearch.index import Index

        path = os.path.join(BUILT, "usearch.index")
        self.index = Index(ndim=DIMENSIONS, metric="ip", dtype="f16")
        if os.path.exists(path):
            self.index.load(path)
        else:
            self.index.add(np.arange(ROWS), VECTORS)
            self.index.save(path)

    def prepare(self, asked):
        return None

    def search(self, asked, _, effort):
        self.index.expansion_search = effort
        return self.index.search(asked.vector, K, threads=1).keys


class Lance:
    """IVF_PQ with refinement, and indexes over the columns of the filters, applied before the search."""

    efforts = [1, 2, 4, 8, 16, 32, 64, 128, 256]

    def __init__(self):
        import lancedb
        import pyarrow as pa

        db = lancedb.connect(os.path.join(BUILT, f"lance-{lancedb.__version__}"))
        if os.path.exists(os.path.join(BUILT, "lance.done")):
            self.table = db.open_table("passages")
            return
        prefixes = [line.rstrip("\n").split("\t") for line in open(os.path.join(FOLDER, "classes.tsv"))]
        data = pa.table({
            "row": pa.array(np.arange(ROWS, dtype=np.int64)),
            "day": pa.array(DAYS),
            "classes": pa.array(prefixes, type=pa.list_(pa.string())),
            "vector": pa.FixedSizeListArray.from_arrays(pa.array(VECTORS.reshape(-1)), DIMENSIONS),
        })
        self.table = db.create_table("passages", data, mode="overwrite")
        # From its documentation: partitions of about 4,096 rows, a sub-vector for 8 dimensions.
        self.table.create_index(
            metric="dot",
            vector_column_name="vector",
            index_type="IVF_PQ",
            num_partitions=max(1, ROWS // 4096),
            num_sub_vectors=DIMENSIONS // 8,
        )
        self.table.create_scalar_index("day", index_type="BTREE")
        self.table.create_scalar_index("classes", index_type="LABEL_LIST")
        open(os.path.join(BUILT, "lance.done"), "w").close()

    def prepare(self, asked):
        if asked.filter is None:
            return None
        if "class" in asked.filter:
            return f"array_has(classes, '{asked.filter['class']}')"
        return f"day >= {asked.filter['from']} AND day <= {asked.filter['to']}"

    def search(self, asked, where, effort):
        query = self.table.search(asked.vector, vector_column_name="vector").distance_type("dot")
        query = query.nprobes(effort).refine_factor(30).limit(K).select(["row", "_distance"])
        if where is not None:
            query = query.where(where, prefilter=True)
        return query.to_arrow()["row"].to_pylist()


LIBRARIES = {
    "faiss flat": lambda: Faiss("flat", "Flat"),
    "faiss ivf-sq8": lambda: Faiss("ivf-sq8", f"IVF{LISTS},SQ8"),
    "faiss ivf-pq-refine": lambda: Faiss("ivf-pq-refine", f"IVF{LISTS},PQ{DIMENSIONS // 2}x4fs,Refine(SQfp16)"),
    "faiss hnsw32": lambda: Faiss("hnsw32", "HNSW32"),
    "hnswlib": Hnswlib,
    "usearch": Usearch,
    "lancedb": Lance,
}


def measured(peer, asked, prepared, effort):
    """Recall, and of the middle pass the median time and the mean processor time of a question, ms."""
    recall = float(np.mean([one.recall(peer.search(one, state, effort)) for one, state in zip(asked, prepared)]))
    passes = []
    for _ in range(PASSES if recall >= TARGET else 1):
        times = []
        before = cpu()
        for one, state in zip(asked, prepared):
            started = time.perf_counter()
            peer.search(one, state, effort)
            times.append((time.perf_counter() - started) * 1e3)
        passes.append(((cpu() - before) * 1e3 / len(asked), float(np.median(times))))
    used, middle = sorted(passes)[len(passes) // 2]
    return recall, used, middle


def run(name, peer):
    for case in CASES:
        entries = [Asked(entry) for entry in case["asked"]]
        if any(one.bits is not None for one in entries) and not getattr(peer, "filters", True):
            print(json.dumps({"library": name, "case": case["name"], "unsupported": True}), flush=True)
            continue
        prepared = [peer.prepare(one) for one in entries]
        for effort in peer.efforts:
            recall, used, middle = measured(peer, entries, prepared, effort)
            line = {"library": name, "case": case["name"], "effort": effort, "recall": recall}
            print(json.dumps({**line, "cpuMs": used, "p50Ms": middle}), flush=True)
            if recall >= TARGET or middle > PATIENCE_MS:
                break


os.makedirs(BUILT, exist_ok=True)
wanted = sys.argv[2:] or list(LIBRARIES)
for name in wanted:
    try:
        started, before = time.perf_counter(), cpu()
        peer = LIBRARIES[name]()
        print(json.dumps({
            "library": name,
            "builtSeconds": time.perf_counter() - started,
            "builtCpuSeconds": cpu() - before,
        }), flush=True)
        run(name, peer)
        del peer
    except Exception as error:  # A failure of one peer does not stop the others.
        print(json.dumps({"library": name, "failed": f"{type(error).__name__}: {error}"}), flush=True)
