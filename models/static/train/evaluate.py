"""Development measures. Nothing here is trained on; see README.md for how each set was split off."""

import csv
import io
import json
import multiprocessing
import random
from collections import defaultdict

import numpy as np
from scipy.stats import spearmanr

import patents as patents_module
from bag import Corpus, encode, unit


MANY_CHARACTERS = 300_000
_tokenizer = None


def _keep(tokenizer):
    global _tokenizer
    _tokenizer = tokenizer


def _encode(text):
    return _tokenizer.encode(text)


class Development:
    """All sets, segmented once; measure(table) gives a dict of figures."""

    def __init__(self, data, work, tokenizer, quick=False):
        self.sts, self.near = {}, {}
        self.tokenizer = tokenizer
        self._sts(data / "evaluation")
        self._kipris(work)
        self._english(data / "patents")
        self._parallel(work, 500 if quick else 1000)
        self._near(work)

    def _corpus(self, texts):
        texts = list(texts)
        if sum(map(len, texts)) < MANY_CHARACTERS:
            return Corpus.of([self.tokenizer.encode(t) for t in texts])
        with multiprocessing.get_context("fork").Pool(2, _keep, (self.tokenizer,)) as pool:
            return Corpus.of(pool.map(_encode, texts, chunksize=100))

    def _sts(self, folder):
        def add(name, rows):
            a, b, gold = zip(*rows)
            self.sts[name] = (self._corpus(a), self._corpus(b), np.array(gold, float))

        rows = []
        for line in (folder / "stsb-test.csv").read_text("utf-8").split("\n"):
            f = next(csv.reader(io.StringIO(line)), []) if "\t" not in line else line.split("\t")
            if len(f) >= 7 and f[4].replace(".", "").isdigit():
                rows.append((f[5], f[6], float(f[4])))
            elif len(f) == 3 and f[2].replace(".", "").isdigit():
                rows.append((f[0], f[1], float(f[2])))
        add("stsb", rows)
        rows = []
        for line in (folder / "korsts-test.tsv").read_text("utf-8").split("\n")[1:]:
            f = line.split("\t")
            if len(f) >= 7:
                rows.append((f[5], f[6], float(f[4])))
        add("korsts", rows)
        rows = []
        for line in (folder / "jsts-valid.json").read_text("utf-8").split("\n"):
            if line.strip():
                d = json.loads(line)
                rows.append((d["sentence1"], d["sentence2"], float(d["label"])))
        add("jsts", rows)

    def _kipris(self, work):
        records = json.loads((work / "kipris.json").read_text("utf-8"))
        self.pool = self._corpus([" ".join([r["title"], r["abstract"], *r["claims"]]) for r in records])
        passages, owner = [], []
        for i, r in enumerate(records):
            parts = [p for p in [r["abstract"], *r["claims"][:20]] if p]
            passages += parts
            owner += [i] * len(parts)
        self.passages, self.passage_owner = self._corpus(passages), np.array(owner)
        self.titles = self._corpus([r["title"] for r in records])
        self.heads = self._corpus([f"{r['title']} {r['abstract']}" for r in records])
        asked = [i for i, r in enumerate(records) if r["held_out"] and r["title_en"]]
        self.asked = np.array(asked)
        self.queries = self._corpus([records[i]["title_en"] for i in asked])
        self.korean_queries = self._corpus([records[i]["title"] for i in asked])

    def _english(self, patents):
        """Scored phrase pairs, and paper -> patent among 941 (the patents' own texts were trained on, papers never)."""
        rows = patents_module.read_csv(patents / "MIXED/phrase-matching/wonkicho__train.csv.gz")[1:]
        rows = random.Random(5).sample(sorted(rows), 6000)
        self.sts["phrases"] = (self._corpus([r[1] for r in rows]), self._corpus([r[2] for r in rows]), np.array([float(r[4]) for r in rows]))
        rows = [line.split("\t") for line in (patents / "DERIVED/pap2pat_pairs.tsv").read_text("utf-8").split("\n")[1:] if line]
        self.papers = self._corpus([f"{r[2]} {r[3]}" for r in rows])
        self.patents = self._corpus([f"{r[4]} {r[5]} {r[6]}" for r in rows])

    def _parallel(self, work, size):
        """Sentences of at least 30 English characters and dictionary terms, by language, and without English."""
        rng = random.Random(7)
        groups = defaultdict(dict)
        for line in open(work / "dev.tsv", encoding="utf-8"):
            kind, source, lang, foreign, english = line.rstrip("\n").split("\t")
            if kind == "sentence" and len(english) < 30:
                continue
            groups[kind, lang].setdefault(english.lower(), foreign)
        self.pairs = {}

        def add(name, rows):
            rows = sorted(rows)
            rows = rows if len(rows) <= size else rng.sample(rows, size)
            if len(rows) >= 30:
                self.pairs[name] = (self._corpus([a for a, _ in rows]), self._corpus([b for _, b in rows]), len(rows))

        wanted = [(kind, lang) for kind in ("sentence", "term") for lang in ("ko", "ja", "zh")]
        for kind, lang in [*wanted, ("european", "de"), ("european", "fr"), ("title", "fr")]:
            rows, used = [], set()
            for e, f in sorted(groups[kind, lang].items()):
                if f not in used:
                    used.add(f)
                    rows.append((f, e))
            add(f"{kind} {lang}-en", rows)
        for a, b in (("ko", "ja"), ("zh", "ja"), ("ko", "zh")):
            shared = sorted(set(groups["sentence", a]) & set(groups["sentence", b]))
            add(f"sentence {a}-{b}", [(groups["sentence", a][e], groups["sentence", b][e]) for e in shared])

    def _near(self, work):
        """Held-out texts in each language, in pairs near and far, with the teacher's similarity of their English sides."""
        if not (work / "teacher-dev.npz").exists():
            return
        vectors = np.load(work / "teacher-dev.npz")["texts"]
        row = {t: i for i, t in enumerate((work / "teacher-dev.txt").read_text("utf-8").split("\n"))}
        groups = defaultdict(dict)
        for line in open(work / "dev.tsv", encoding="utf-8"):
            _, _, lang, foreign, english = line.rstrip("\n").split("\t")
            if english in row:
                groups[lang].setdefault(english, foreign)
                groups["en"].setdefault(english, english)
        rng = np.random.default_rng(3)
        for lang in ("en", "ko", "ja", "zh"):
            english = sorted(groups[lang])
            t = vectors[[row[e] for e in english]]
            sims = t @ t.T
            np.fill_diagonal(sims, -1)
            order = np.argsort(-sims, axis=1)[:, :20]
            n = np.arange(len(t))
            other = np.concatenate([order[:, 0], order[n, rng.integers(1, 20, len(t))], rng.permutation(len(t))])
            n = np.concatenate([n, n, n])
            n, other = n[n != other], other[n != other]
            self.near[lang] = (self._corpus([groups[lang][e] for e in english]), n, other, sims[n, other])

    def language_probe(self, table):
        """Accuracy with which a linear probe tells ko, ja, zh and en sentences apart: the lower, the less of it they hold."""
        sides = [(self.pairs[f"sentence {lang}-en"][0], i) for i, lang in enumerate(("ko", "ja", "zh"))]
        sides.append((self.pairs["sentence ko-en"][1], 3))
        vectors = [encode(corpus, table) for corpus, _ in sides]
        x = np.concatenate([v[half::2] for half in (0, 1) for v in vectors])
        label = np.concatenate([np.full(len(v[half::2]), i) for half in (0, 1) for v, (_, i) in zip(vectors, sides)])
        middle = sum(len(v[0::2]) for v in vectors)
        x = np.hstack([x, np.ones((len(x), 1), np.float32)])
        train, test = x[:middle].astype(np.float64), x[middle:]
        targets = np.eye(len(sides))[label[:middle]]
        probe = np.linalg.solve(train.T @ train + 1e-2 * np.eye(train.shape[1]), train.T @ targets)
        return float(((test @ probe).argmax(1) == label[middle:]).mean())

    def measure(self, table, quick=False):
        out = {}
        for lang, (texts, a, b, wanted) in self.near.items():
            v = encode(texts, table)
            out[f"like teacher {lang}"] = spearmanr(np.einsum("ij,ij->i", v[a], v[b]), wanted).statistic
        for name, (a, b, gold) in self.sts.items():
            cos = np.einsum("ij,ij->i", encode(a, table), encode(b, table))
            out[name] = spearmanr(cos, gold).statistic
        q = encode(self.queries, table)
        sims = q @ encode(self.pool, table).T
        out.update(recall("kipris", sims, self.asked))
        if not quick:
            out["language probe"] = self.language_probe(table)
            titles, heads = encode(self.titles, table), encode(self.heads, table)
            passages, owner = encode(self.passages, table), self.passage_owner
            out.update(recall("kipris titles", q @ titles.T, self.asked))
            out.update(recall("kipris heads", q @ heads.T, self.asked))
            out.update(recall("kipris passages", best_of(q @ passages.T, owner, sims.shape), self.asked))
            for share in (0.5, 1.0):
                with_head = unit(passages + share * heads[owner])[0]
                out.update(recall(f"kipris passages + {share} head", best_of(q @ with_head.T, owner, sims.shape), self.asked))
            with_title = unit(passages + 0.5 * titles[owner])[0]
            out.update(recall("kipris passages + 0.5 title", best_of(q @ with_title.T, owner, sims.shape), self.asked))
            papers = encode(self.papers, table) @ encode(self.patents, table).T
            out.update(recall("paper-patent", papers, np.arange(len(papers))))
            ko = encode(self.korean_queries, table)
            out.update(recall("kipris ko title", ko @ encode(self.pool, table).T, self.asked))
            out.update(recall("kipris ko title, passages", best_of(ko @ passages.T, owner, sims.shape), self.asked))
        for name, (a, b, n) in self.pairs.items():
            s = encode(a, table) @ encode(b, table).T
            out[name] = float((s.argmax(1) == np.arange(n)).mean())
        return {k: round(float(v), 4) for k, v in out.items()}


def best_of(scores, owner, shape):
    """Best passage of each document (owner ascending)."""
    out = np.full(shape, -1, np.float32)
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    out[:, owner[first]] = np.maximum.reduceat(scores, first, axis=1)
    return out


def recall(name, sims, gold):
    """R@10, R@100 and MRR; ties count against the model."""
    own = sims[np.arange(len(gold)), gold][:, None]
    rank = (sims >= own).sum(1)
    return {f"{name} R@10": float((rank <= 10).mean()), f"{name} R@100": float((rank <= 100).mean()), f"{name} MRR": float((1 / rank).mean())}
