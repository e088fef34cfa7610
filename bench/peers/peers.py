"""
Runs the libraries of `npm run bench -- peers` one after another over the same vectors, filters and questions.

Usage: peers.py build|measure FOLDER QUESTIONS_FOLDER [LIBRARY...]

`build` builds the indexes that are not there yet, with all processors. `measure` uses one thread. It reads the recall that
a library has to reach for each case from needs.json, finds the cheapest setting that reaches it, and writes the answers
and times of that setting. It prints a line of JSON for each result.
"""

import gc
import itertools
import json
import os
import re
import sys
import time

MODE, FOLDER, QUESTIONS, *WANTED = sys.argv[1:]
THREADS = str(os.cpu_count() if MODE == "build" else 1)
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "LANCE_CPU_THREADS", "LANCE_IO_THREADS", "RAYON_NUM_THREADS"):
    os.environ[name] = THREADS
# Threads that wait for others leave the processor to them.
os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
os.environ.setdefault("LANCE_LOG", "error")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np  # noqa: E402
from data import DEPTHS, Data, run  # noqa: E402
from libraries import LIBRARIES  # noqa: E402
from tuning import border, settle  # noqa: E402

# Questions for the choice of a setting. The choice is then settled with all questions.
SAMPLE = 64
# A setting is dropped after FIRST questions if their recall is more than FAR_BELOW less than the recall that is needed.
FIRST = 16
FAR_BELOW = 0.1
# A setting that takes more than TOO_DEAR times the time of the cheapest one found so far is not tried further.
TOO_DEAR = 1.6
# Passes over all questions; the one with the median processor time counts.
PASSES = 3
# A setting is not tried further if a question takes more than PATIENCE_TIMES the processor time that it takes the fastest
# library so far. The limit is at least the first of PATIENCE_MS and at most the second, ms of processor time. For a
# million rows, these two are five times as high.
PATIENCE_TIMES = 20
PATIENCE_MS = (2, 20)
# A library that takes this many times the time of the fastest one is measured with FEW questions, once.
FAR_SLOWER = 2
FEW = 100


def say(line):
    print(json.dumps(line), flush=True)


def spread(asked, count):
    """Every nth question, about `count` in all, and n."""
    every = max(1, len(asked) // count)
    return asked[::every], every


class Case:
    """One library in one case: finds a setting and measures it."""

    def __init__(self, library, name, share, asked, need, fetches, fastest):
        self.library, self.name, self.share, self.asked, self.need = library, name, share, asked, need
        self.data, self.fetches = library.data, fetches[:1] if library.groups else fetches
        self.fastest = fastest
        size = max(1, library.data.rows / 200_000)
        low, high = PATIENCE_MS
        self.patience = min(high * size, max(low * size, PATIENCE_TIMES * fastest))
        self.best = np.zeros(len(DEPTHS))
        # Cost of a setting that is too dear to be tried.
        self.bound = float("inf")

    def once(self, index, asked, setting, patience=None):
        """Times and answers of one pass; None if it takes too long. Rows are grouped by document after the measurement."""
        answers = np.full((len(asked), self.data.fetch), -1, np.int64)
        found = run(self.library.bind(index, asked, setting, answers), patience)
        if found is None:
            return None
        times, returned = found
        results = np.full((len(asked), self.data.k), -1, np.int64)
        for n, rows in enumerate(returned):
            rows = self.data.results(answers[n] if rows is None else np.asarray(rows))
            results[n, : len(rows)] = rows
        return times, results

    def judge(self, index, asked, setting):
        """Whether a setting reaches the recall, and its processor time; None if it takes too long."""
        if len(asked) > FIRST:
            first = self.judge(index, asked[:FIRST], setting)
            if first is None or self.last.min() < -FAR_BELOW:
                return first
        found = self.once(index, asked, setting, min(self.patience, self.bound))
        if found is None:
            return None
        recalls = np.mean([one.recall(answer) for one, answer in zip(asked, found[1])], axis=0)
        self.last = recalls - self.need
        if len(asked) > FIRST and tuple(recalls) > tuple(self.best):
            self.best = recalls
        return bool((recalls >= self.need).all()), float(found[0][:, 0].mean())

    def chosen(self, indexes):
        """
        The cheapest setting, as (variant, rows to fetch, setting, whether few questions suffice); None if none reaches the
        recall.
        """
        sample, _ = spread(self.asked, SAMPLE)
        found = []
        for fetch, (variant, index) in itertools.product(self.fetches, indexes.items()):
            self.data.fetch = fetch
            ladders = self.library.ladders(variant, self.share)
            efforts, depths = ladders[0], ladders[1] if len(ladders) > 1 else [None]

            def judge(effort, depth, over=sample, fetch=fetch, index=index, efforts=efforts, depths=depths):
                self.data.fetch = fetch
                result = self.judge(index, over, pair(efforts[effort], depths[depth]))
                if over is sample and result is not None and result[0]:
                    self.bound = min(self.bound, TOO_DEAR * result[1])
                return result

            near = min(found, key=lambda one: one[0])[2] if found else None
            settings = border(efforts, depths, judge, near)
            found += [(*one, variant, fetch, efforts, depths, judge) for one in settings]
        self.bound = float("inf")
        found.sort(key=lambda one: one[0])
        for cost, effort, depth, variant, fetch, efforts, depths, judge in found[:8]:
            few = cost > FAR_SLOWER * self.fastest
            asked = spread(self.asked, FEW)[0] if few else self.asked
            settled = settle(effort, len(efforts), lambda at: judge(at, depth, asked))
            if settled is not None:
                return variant, fetch, pair(efforts[settled], depths[depth]), few
        return None

    def measured(self, index, fetch, setting, few):
        self.data.fetch = fetch
        asked, every = spread(self.asked, FEW) if few else (self.asked, 1)
        self.once(index, asked, setting)
        passes = [self.once(index, asked, setting) for _ in range(1 if few else PASSES)]
        times, answers = sorted(passes, key=lambda one: one[0][:, 0].sum())[len(passes) // 2]
        name = re.sub(r"[^a-z0-9.]+", "-", f"{self.library.name}-{self.name}".lower())
        folder = os.path.join(QUESTIONS, "answers")
        answers.astype(np.int32).tofile(os.path.join(folder, f"{name}.i32"))
        times.astype(np.float64).tofile(os.path.join(folder, f"{name}.f64"))
        return {"every": every, "questions": len(asked), "file": os.path.join(folder, name)}, times[:, 0].mean()


def pair(effort, depth):
    return (effort,) if depth is None else (effort, depth)


def described(library, variant, fetch, setting):
    found = [library.described(variant, setting)] if hasattr(library, "described") else []
    if library.data.docs is not None and not library.groups:
        found.append(f"{fetch} passages")
    return ", ".join(found)


def call_cost(library, asked):
    """Mean processor time of a search of one row, ms."""
    answers = np.empty((len(asked), library.data.fetch), np.int64)
    calls = library.bind(library.single(), asked, (0,), answers)
    run(calls)
    return float(run(calls)[0][:, 0].mean())


def measure(library, data, needs, fetches, fastest):
    if library.name == "faiss flat":
        say({"library": library.name, "callMs": call_cost(library, data.cases[0][2])})
    indexes = {variant: library.open(variant) for variant in library.variants}
    for name, share, asked in data.cases:
        line = {"library": library.name, "case": name}
        if not library.supports(share):
            say({**line, "unreached": "not for this filter"})
            continue
        case = Case(library, name, share, asked, needs[name], fetches[name], fastest.get(name, float("inf")))
        choice = case.chosen(indexes)
        if choice is None:
            say({**line, "unreached": "recall not reached in time", "best": case.best.tolist()})
            continue
        variant, fetch, setting, few = choice
        files, cost = case.measured(indexes[variant], fetch, setting, few)
        fastest[name] = min(fastest.get(name, float("inf")), cost)
        say({**line, **files, "setting": described(library, variant, fetch, setting)})


def main():
    data = Data(FOLDER, QUESTIONS)
    built = os.path.join(FOLDER, "built")
    os.makedirs(built, exist_ok=True)
    os.makedirs(os.path.join(QUESTIONS, "answers"), exist_ok=True)
    needs, fetches, fastest = {}, {}, {}
    if MODE == "measure":
        needs = json.load(open(os.path.join(QUESTIONS, "needs.json")))
        fetches = data.fetches(needs)
    unknown = set(WANTED) - {kind.name for kind in LIBRARIES}
    if unknown:
        sys.exit(f"no library {', '.join(unknown)}; there are {', '.join(kind.name for kind in LIBRARIES)}")
    for kind in LIBRARIES:
        if WANTED and kind.name not in WANTED or kind.groups and data.docs is None:
            continue
        try:
            library = kind(data, built, int(THREADS))
            started, before = time.perf_counter(), time.process_time()
            if MODE == "build":
                for variant in library.variants:
                    library.build(variant)
                seconds, used = time.perf_counter() - started, time.process_time() - before
                say({"library": kind.name, "builtSeconds": seconds, "builtCpuSeconds": used, "about": kind.about})
            else:
                measure(library, data, needs, fetches, fastest)
        except Exception as error:  # A failure of one library does not stop the others; the page names it.
            say({"library": kind.name, "failed": f"{type(error).__name__}: {error}"})
        library = None
        gc.collect()


main()
