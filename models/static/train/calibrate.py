"""Fits what depends on documents: the share of the title, and similarity = 1 / (1 + exp(-slope * (cosine - midpoint))).

Both on one half of the held-out KIPRIS records (by hash of the number), reported on the other half. A document is
indexed as the program does it: each passage (abstract, claims) coloured with its titles in both languages, the score
of a document that of its best passage. Three kinds of query, one of each for a record:
- its English title, with that title taken out of its own document's colour;
- its Korean title, likewise;
- the first sentence of its abstract, a long question, with the abstract taken out of its own document.
0.5 is to be the cosine at which half of the pairs are relevant when a query is scored against 10,000 documents: a
logistic regression over all (query, document) pairs of a pool of 10,000, in which each query has one relevant
document. Documents of the same main group of the IPC as the query's are no pairs at all: nobody judged them, and
many are relevant.
"""

import hashlib
import json
import random
import re

import numpy as np
from scipy.optimize import minimize

from bag import Corpus, encode, unit
from evaluate import best_of
from vocabulary import lines

POOL = 10_000
CLAIMS = 20
SHARES = (0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
NEARLY = 0.01  # the least share that comes as near to the best one's R@10: what is left of a passage is its own
KINDS = ("English title", "Korean title", "first sentence")


def first_sentence(text):
    """A question of some length: the abstract's first sentence, up to 300 characters."""
    return re.split(r"(?<=[다요]\.)\s", text, maxsplit=1)[0][:300]


def half(number):
    return int(hashlib.sha256(f"half {number}".encode()).hexdigest(), 16) % 2


class Collection:
    """Vectors of records, other texts and queries; `scores(share)` gives each kind's (queries × documents) cosines."""

    def __init__(self, work, tokenizer, table, seed=11):
        def vectors(texts):
            return encode(Corpus.of([tokenizer.encode(t) for t in texts]), table)

        records = json.loads((work / "kipris.json").read_text("utf-8"))
        own = {text for r in records for text in [r["title"], r["abstract"], *r["claims"]]}
        others = sorted({t[1] for t in lines(work / "texts.tsv") if len(t[1]) >= 120} - own)
        others = random.Random(seed).sample(others, POOL - len(records))
        parts = [[r["abstract"], *r["claims"][:CLAIMS]] for r in records]
        owner = [i for i, p in enumerate(parts) for _ in p]
        self.owner = np.array([*owner, *range(len(records), POOL)])
        self.of_records = np.arange(len(owner))
        self.is_abstract = np.flatnonzero(np.diff(self.owner[: len(owner)], prepend=-1))
        self.passages = vectors([p for part in parts for p in part] + others)
        korean, english = vectors([r["title"] for r in records]), vectors([r["title_en"] for r in records])
        both = vectors([f"{r['title']}\n{r['title_en']}" for r in records])
        self.colours = {"English title": korean, "Korean title": english, "first sentence": both}
        self.both = both
        asked = [i for i, r in enumerate(records) if r["held_out"] and r["title_en"] and r["abstract"] and r["claims"]]
        self.gold = np.array(asked)
        self.half = np.array([half(records[i]["number"]) for i in asked])
        self.queries = {
            "English title": english[asked], "Korean title": korean[asked],
            "first sentence": vectors([first_sentence(records[i]["abstract"]) for i in asked]),
        }
        groups = [{re.sub(r"/.*|\s", "", c) for c in r["ipc"]} for r in records]
        self.unjudged = np.zeros((len(asked), POOL), bool)
        for n, i in enumerate(asked):
            self.unjudged[n, [j for j, g in enumerate(groups) if j != i and g & groups[i]]] = True

    def scores(self, share):
        n, owner = len(self.of_records), self.owner
        coloured = self.passages.copy()
        coloured[:n] = unit(self.passages[:n] + share * self.both[owner[:n]])[0]
        out = {}
        for kind in KINDS:
            q = self.queries[kind]
            got = best_of(q @ coloured.T, owner, (len(q), POOL))
            # a query's own document, without what the query was taken from
            for row, i in enumerate(self.gold):
                own = np.flatnonzero(owner[:n] == i)[1 if kind == "first sentence" else 0 :]
                got[row, i] = (unit(self.passages[own] + share * self.colours[kind][i])[0] @ q[row]).max()
            out[kind] = got
        return out


def found(scores, gold, places=10):
    own = scores[np.arange(len(gold)), gold][:, None]
    return float(((scores >= own).sum(1) <= places).mean())


def logistic(own, others):
    """(midpoint, slope) by maximum likelihood; the others as a fine histogram: millions of pairs, two parameters."""
    count, edge = np.histogram(others, bins=4000, range=(-1, 1))
    centre = (edge[:-1] + edge[1:]) / 2

    def cost(p):
        midpoint, slope = p[0], np.exp(p[1])
        return np.logaddexp(0, -slope * (own - midpoint)).sum() + (count * np.logaddexp(0, slope * (centre - midpoint))).sum()

    best = minimize(cost, [0.6, np.log(15)], method="Nelder-Mead", options={"xatol": 1e-5, "fatol": 1e-3, "maxiter": 4000})
    return float(best.x[0]), float(np.exp(best.x[1]))


def pairs_of(scores, collection, kinds, rows):
    own = np.concatenate([scores[k][rows, collection.gold[rows]] for k in kinds]).astype(np.float64)
    others = []
    for k in kinds:
        judged = ~collection.unjudged[rows]
        judged[np.arange(len(rows)), collection.gold[rows]] = False
        others.append(scores[k][rows][judged])
    return own, np.concatenate(others)


def fit(work, tokenizer, table):
    """(calibration, title_share, report): fitted on half 0, reported on half 1."""
    collection = Collection(work, tokenizer, table)
    rows, test = np.flatnonzero(collection.half == 0), np.flatnonzero(collection.half == 1)
    by_share = {}
    for share in SHARES:
        scores = collection.scores(share)
        by_share[share] = [[round(found(scores[k][part], collection.gold[part]), 4) for k in KINDS] for part in (rows, test)]
    means = {s: np.mean(by_share[s][0]) for s in SHARES}
    title_share = min(s for s in SHARES if means[s] >= max(means.values()) - NEARLY)
    scores = collection.scores(title_share)
    midpoint, slope = logistic(*pairs_of(scores, collection, KINDS, rows))
    report = {"R@10 of the halves by share": by_share, "kinds": KINDS}
    for kind in (*KINDS, None):
        own, others = pairs_of(scores, collection, [kind] if kind else KINDS, test)
        asked = len(own)
        report[kind or "all"] = {
            "own midpoint": round(logistic(own, others)[0], 4),
            "relevant at 0.5 and above": round(float((own >= midpoint).mean()), 4),
            "others a query at 0.5 and above": round(float((others >= midpoint).sum() / asked), 3),
            "median own cosine": round(float(np.median(own)), 4),
        }
    return {"midpoint": round(midpoint, 4), "slope": round(slope, 3)}, title_share, report
