"""Trains the static model from the data folder to the export folder: one command, every stage repeatable.

python models/static/train/train.py --data ../shared/data --out /tmp/model/export --work /tmp/model/work
"""

import argparse
import json
import multiprocessing
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).parent))

import numpy as np  # noqa: E402

import calibrate  # noqa: E402
import export  # noqa: E402
import scale  # noqa: E402
import start  # noqa: E402
import vocabulary  # noqa: E402
from bag import ENGLISH, Corpus, Trainer  # noqa: E402
from collect import check_hashes, collect  # noqa: E402
from evaluate import Development  # noqa: E402
from tokenizer import Tokenizer  # noqa: E402

HERE = Path(__file__).parent
STAGES = ["collect", "teacher", "vocabulary", "segment", "start", "optimise"]
SETTINGS = json.loads((HERE / "settings.json").read_text("utf-8"))


def cpu_seconds():
    """CPU time of this process and of the finished ones it started."""
    t = os.times()
    return t.user + t.system + t.children_user + t.children_system


def say(entry):
    print(json.dumps(entry), flush=True)


class Sampler:
    """Draws batches: patents, general pairs or made sentences; languages by the square root of their number.

    `taught` is the share of a kind's pairs whose English side the teacher has read: few sentences are, and only they
    say how similar two sentences should be.
    """

    def __init__(self, work, settings, rng):
        z = np.load(work / "pairs.npz")
        self.cuts = {cut: start.sides(z, cut) for cut in ("first", "second")}
        self.key, self.rng, self.settings = z["key"], rng, settings
        names = [str(l) for l in z["langs"]]
        self.language = np.array([ENGLISH if l == "en" else i for i, l in enumerate(names)])[z["lang"]]
        alone = np.load(work / "alone.npz")
        self.alone = Corpus(alone["ids"], alone["at"])
        self.alone_rows = {
            str(l): np.flatnonzero(alone["lang"] == i) for i, l in enumerate(alone["langs"])}
        self.alone_language = {
            str(l): ENGLISH if l == "en" else names.index(str(l)) for l in alone["langs"]}
        filled = np.logical_and.reduce([np.diff(side.offsets) > 0 for cut in self.cuts.values() for side in cut])
        self.kinds = {}
        for k, kind in enumerate(z["kinds"]):
            by_lang = {str(l): np.flatnonzero((z["kind"] == k) & (z["lang"] == i) & filled) for i, l in enumerate(z["langs"])}
            self.kinds[str(kind)] = {l: rows for l, rows in by_lang.items() if len(rows)}
        # made sentences stand in groups: the first row of each
        made = np.flatnonzero((z["kinds"][z["kind"]] == "made") & filled)
        self.groups = np.split(made, np.flatnonzero(np.diff(z["key"][made])) + 1)
        self._teacher(work)
        has = {k: {l: rows[self.teacher_row[rows] >= 0] for l, rows in by.items()} for k, by in self.kinds.items()}
        self.read = {k: {l: rows for l, rows in by.items() if len(rows)} for k, by in has.items()}

    def _teacher(self, work):
        texts = (work / "teacher.txt").read_text("utf-8").split("\n")
        position = {t: i for i, t in enumerate(texts)}
        self.taught = np.load(work / "teacher.npz")["texts"]
        row = [(position.get(r[4], -1) if r[0] != "same" else -1, r[0]) for r in vocabulary.lines(work / "pairs.tsv")]
        # the text of a document says more than its title: no pull towards the title's vector
        self.teacher_row = np.array([i if kind in ("title", "term", "sentence", "made") else -1 for i, kind in row])

    def draw(self, kind, n):
        if kind == "made":
            chosen, have = [], 0
            while have < n:
                chosen.append(self.groups[self.rng.integers(len(self.groups))])
                have += len(chosen[-1])
            return np.concatenate(chosen)[:n]
        taught = int(n * self.settings["taught"].get(kind, 0))
        if taught:
            return np.concatenate([self.pick(self.read[kind], taught), self.pick(self.kinds[kind], n - taught)])
        return self.pick(self.kinds[kind], n)

    def pick(self, langs, n):
        share = np.array([len(r) ** 0.5 * self.settings["languages"].get(l, 1) for l, r in langs.items()])
        counts = self.rng.multinomial(n, share / share.sum())
        return np.concatenate([self.rng.choice(r, c) for (l, r), c in zip(langs.items(), counts)])

    def batch(self):
        s, rng = self.settings, self.rng
        size = s["batch"]
        mix = s["mixes"][rng.choice(len(s["mixes"]), p=s["mix_shares"])]
        kinds = list(mix)
        share = np.array([mix[k] for k in kinds], float)
        counts = rng.multinomial(size, share / share.sum())
        members = np.concatenate([self.draw(k, c) for k, c in zip(kinds, counts) if c])
        owners = np.arange(size)
        teacher_row = self.teacher_row[members].copy()
        joined = int(size * s["joined"])
        if joined:
            extra = rng.choice(size, joined, replace=False)
            # a second pair of the same kind makes the text longer; its owner is a row of that kind
            more = np.concatenate([rng.permutation(members)[:joined]])
            members, owners = np.concatenate([members, more]), np.concatenate([owners, extra])
            teacher_row[extra] = -1
        has = (teacher_row >= 0).astype(np.float32)
        return (members, owners, self.key[members[:size]], self.taught[teacher_row] * has[:, None], has,
                self.language[members[:size]], self.texts_alone())

    def texts_alone(self):
        """Texts of patents without a partner, as many of each language: (corpus, rows, languages)."""
        count = self.settings["alone"] // len(self.alone_rows)
        chosen = [self.rng.choice(rows, count) for rows in self.alone_rows.values()] if count else []
        languages = [np.full(count, self.alone_language[l]) for l in self.alone_rows] if count else []
        none = np.zeros(0, np.int64)
        return self.alone, np.concatenate([none, *chosen]), np.concatenate([none, *languages])


def optimise_all(work, settings, development):
    """Mean of the tables of several optimisations from one start; each overrides some settings (its seed at least).

    Two processes, each with one thread: which of them takes which member changes nothing in its table.
    """
    members = [{**settings, **own} for own in settings["members"]]
    with multiprocessing.get_context("fork").Pool(2, _share, (work, development)) as pool:
        pool.map(_member, enumerate(members), chunksize=1)
    tables = [np.load(work / f"member-{n}.npy") for n in range(len(members))]
    return sum(tables) / np.float32(len(tables))


_shared = ()


def _share(*shared):
    global _shared
    _shared = shared


def _member(numbered):
    n, settings = numbered
    work, development = _shared
    began = time.process_time()
    table = np.load(work / "start.npy")
    table = optimise(work, table, settings, development, lambda entry: say({"member": n, **entry}))
    np.save(work / f"member-{n}.npy", table)
    say({"member": n, "cpu_s": round(time.process_time() - began), **development.measure(table, quick=True)})


def optimise(work, table, settings, development, log):
    """Trains in place; returns the mean of the tables of the last part."""
    rng = np.random.default_rng(settings["seed"])
    sampler = Sampler(work, settings, rng)
    trainer = Trainer(table, settings["losses"], settings["limit"], settings["dropout"], rng)
    steps, mean, taken = settings["steps"], np.zeros_like(table), 0
    began, running = time.process_time(), 0.0
    for step in range(1, steps + 1):
        progress = step / steps
        rate = settings["rate"] * min(1, step / 100) * (1 if progress < 0.5 else 2 - 2 * progress + 0.1)
        members, owners, keys, teacher, has, languages, alone = sampler.batch()
        cut = "second" if rng.random() < settings["second_cut"] else "first"
        running += trainer.step(*sampler.cuts[cut], members, owners, settings["batch"], keys, teacher, has, rate, languages, alone)
        if progress > settings["average_from"] and step % 25 == 0:
            mean += table
            taken += 1
        if step % settings["report"] == 0:
            figures = development.measure(table, quick=True) if step % (10 * settings["report"]) == 0 else {}
            log({"step": step, "loss": round(running / settings["report"], 4), "cpu_s": round(time.process_time() - began), **figures})
            running = 0.0
    return mean / taken if taken else table


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("/tmp/static-model"))
    parser.add_argument("--from-stage", default="collect", choices=STAGES)
    parser.add_argument("--to-stage", default="optimise", choices=STAGES)
    parser.add_argument("--set", action="append", default=[], help="key=json, overrides settings.json")
    a = parser.parse_args()
    settings = {**SETTINGS, **{k: json.loads(v) for k, v in (s.split("=", 1) for s in a.set)}}
    todo = STAGES[STAGES.index(a.from_stage) : STAGES.index(a.to_stage) + 1]
    began = cpu_seconds()

    def log(entry):
        say({"total_cpu_s": round(cpu_seconds() - began), **entry})

    if "collect" in todo:
        check_hashes(a.data, HERE / "data.sha256")
        collect(a.data, a.work, settings["seed"], settings["made_groups"])
        log({"stage": "collect"})
    if "teacher" in todo:
        start.teach(a.work)
        log({"stage": "teacher"})
    if "vocabulary" in todo:
        vocabulary.build(a.work, settings["unigram_pieces"], settings["pieces"])
        log({"stage": "vocabulary"})
    if a.to_stage in ("collect", "teacher"):
        return
    pieces = vocabulary.load(a.work / "vocab.tsv")
    if "segment" in todo:
        start.segment_pairs(a.work, pieces)
        start.segment_alone(a.work, pieces)
        log({"stage": "segment"})
    development = Development(a.data, a.work, Tokenizer(pieces))
    if "start" in todo:
        table = start.closed_form(a.work, pieces)
        np.save(a.work / "start.npy", table)
        log({"stage": "closed form", **development.measure(table)})
        export.write(a.out, pieces, table, settings)
    if "optimise" not in todo:
        return
    table = optimise_all(a.work, settings, development)
    table = export.even_out(a.work, table, settings["even"])
    np.save(a.work / "final.npy", table)
    tokenizer = Tokenizer(pieces)
    collection, title_share, report = calibrate.fit(a.work, tokenizer, table)
    log({"stage": "title", "title_share": title_share, **report})
    texts = export.cohort(a.work, table)
    pools = scale.kipris_pools(collection, title_share, np.arange(len(collection.gold)), texts[2])
    fixtures = scale.fixture_pool(HERE.parents[2] / "fixtures", tokenizer, table, title_share, texts[2])
    calibration, languages, cohort, report = scale.fit(fixtures, pools, start.DIMS)
    log({"stage": "calibrated", **calibration, **report})
    idf = export.idf(a.work, pieces)
    shipped = export.write(a.out, pieces, table, settings, calibration, title_share, idf, languages, cohort, texts)
    log({"stage": "int8", **development.measure(shipped)})


if __name__ == "__main__":
    main()
