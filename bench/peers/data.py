"""The input of a comparison, as export.ts writes it, and what is measured of one search."""

import json
import os
import time

import numpy as np

# Scores that differ by less count as equal, as in truth.ts.
TIE = 1e-6
# Depths at which recall is measured.
DEPTHS = (10, 50)
# Factor between two numbers of rows that are tried for documents, and how many are.
FETCH_STEP = 1.2
FETCHES = 3
# Rounding of means of recalls.
ROUNDING = 1e-9


class Asked:
    """One question under one filter. `truth` are the best scores of passages or of documents, as Data says."""

    def __init__(self, data, entry, truth):
        self.data = data
        self.number = entry["question"]
        self.vector = data.questions[self.number]
        self.filter = entry.get("filter")
        self.bits = data.masks[entry["mask"]] if "mask" in entry else None
        self.truth = truth[~np.isnan(truth)]

    def rows(self):
        """Numbers of the rows that pass the filter."""
        allowed = np.unpackbits(self.bits, count=self.data.rows, bitorder="little")
        return np.flatnonzero(allowed)

    def recall(self, answer):
        """Recall at each depth. truth.ts judges the answers that count; this one guides the choice of settings."""
        scores = self.data.vectors[self.data.results(answer)] @ self.vector
        recalls = []
        for depth in DEPTHS:
            wanted = min(depth, len(self.truth))
            recalls.append(float(np.sum(scores[:wanted] >= self.truth[wanted - 1] - TIE)) / wanted)
        return recalls


class Data:
    def __init__(self, folder, questions_folder):
        def load(name, dtype, at=folder):
            return np.fromfile(os.path.join(at, name), dtype=dtype)

        meta = json.load(open(os.path.join(folder, "meta.json")))
        self.rows, self.dimensions = meta["rows"], meta["dimensions"]
        self.folder, self.questions_folder = folder, questions_folder
        asked = json.load(open(os.path.join(questions_folder, "questions.json")))
        self.k = asked["k"]
        # Rows that a library is asked for. More than k if they are grouped by document.
        self.fetch = self.k
        # The document of each row; None if each row is a result of its own.
        self.docs = load("docs.i32", np.int32) if asked["unit"] == "documents" else None
        self.vectors = load("vectors.f32", np.float32).reshape(self.rows, self.dimensions)
        self.questions = load("questions.f32", np.float32, questions_folder).reshape(-1, self.dimensions)
        self.masks = load("masks.u8", np.uint8, questions_folder).reshape(-1, (self.rows + 7) // 8)
        truth = load("truth.f32", np.float32, questions_folder).reshape(-1, self.k)
        self.cases = []
        at = 0
        for case in json.load(open(os.path.join(questions_folder, "cases.json"))):
            asked = [Asked(self, entry, truth[at + n]) for n, entry in enumerate(case["asked"])]
            at += len(asked)
            self.cases.append((case["name"], case["share"], asked))

    def classes(self):
        """The classes of each row."""
        lines = open(os.path.join(self.folder, "classes.tsv"))
        return [line.rstrip("\n").split("\t") for line in lines][: self.rows]

    def results(self, answer):
        """The rows of an answer; of documents the best row of each, at most k."""
        found = answer[: int(np.argmax(answer < 0))] if (answer < 0).any() else answer
        if self.docs is not None:
            found = found[np.sort(np.unique(self.docs[found], return_index=True)[1])]
        return found[: self.k]

    def fetches(self, needs):
        """
        For each case, the numbers of rows to ask for: the least one whose documents reach the recall in an exact scan, and
        two larger ones for searches that miss some of these rows.
        """
        if self.docs is None:
            return {name: [self.k] for name, _, _ in self.cases}
        steps = [self.k]
        while steps[-1] < self.rows // 4:
            steps.append(round(steps[-1] * FETCH_STEP))
        recalls = {name: [] for name, _, _ in self.cases}
        places = {}
        for name, _, asked in self.cases:
            for one in asked:
                places.setdefault(one.number, []).append((name, one))
        for number, list_ in places.items():
            scores = self.vectors @ self.questions[number]
            for name, one in list_:
                rows = None if one.bits is None else one.rows()
                own = scores if rows is None else scores[rows]
                # Rows behind the last document of the truth change nothing.
                best = np.flatnonzero(own >= one.truth[-1] - TIE)
                best = best[np.argsort(-own[best], kind="stable")]
                best = best if rows is None else rows[best]
                recalls[name].append([one.recall(self.results(best[:step])) for step in steps])
        found = {}
        for name, own in recalls.items():
            enough = (np.mean(own, axis=0) >= np.array(needs[name]) - ROUNDING).all(axis=1)
            first = int(np.argmax(enough)) if enough.any() else len(steps) - 1
            found[name] = steps[first : first + FETCHES]
        return found

    def days(self):
        return np.fromfile(os.path.join(self.folder, "days.i32"), dtype=np.int32)


def run(calls, patience_ms=None):
    """
    Runs each call once. Returns processor time and time on the clock of each, ms, and what each returned; None if the
    calls take more processor time than `patience_ms` in the mean.
    """
    times = np.empty((len(calls), 2))
    returned = []
    started = time.process_time()
    for n, call in enumerate(calls):
        cpu, wall = time.process_time_ns(), time.perf_counter_ns()
        returned.append(call())
        times[n] = (time.process_time_ns() - cpu) / 1e6, (time.perf_counter_ns() - wall) / 1e6
        if patience_ms is not None and n >= 7 and (time.process_time() - started) * 1e3 > patience_ms * (n + 1):
            return None
    return times, returned
