"""The input of a comparison, as export.ts writes it, and what is measured of one search."""

import json
import os
import time

import numpy as np

# Scores that differ by less count as equal, as in truth.ts.
TIE = 1e-6
# Depths at which recall is measured.
DEPTHS = (10, 50)


class Asked:
    """One question under one filter."""

    def __init__(self, data, entry, truth):
        self.data = data
        self.vector = data.questions[entry["question"]]
        self.filter = entry.get("filter")
        self.bits = data.masks[entry["mask"]] if "mask" in entry else None
        self.truth = truth[~np.isnan(truth)]

    def rows(self):
        """Numbers of the rows that pass the filter."""
        allowed = np.unpackbits(self.bits, count=self.data.rows, bitorder="little")
        return np.flatnonzero(allowed)

    def recall(self, answer):
        """Recall at each depth. truth.ts judges the answers that count; this one guides the choice of settings."""
        found = answer[: int(np.argmax(answer < 0))] if (answer < 0).any() else answer
        scores = self.data.vectors[found] @ self.vector
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
        self.k = json.load(open(os.path.join(questions_folder, "questions.json")))["k"]
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
