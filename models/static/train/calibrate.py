"""Fits the share of the title, on one half of the held-out KIPRIS records (by hash of the number), reported on the other.

A document is indexed as the program does it: each passage (abstract, claims) coloured with its titles in both
languages, the score of a document that of its best passage. Three kinds of query, one of each for a record:
- its English title, with that title taken out of its own document's colour;
- its Korean title, likewise;
- the first sentence of its abstract, a long question, with the abstract taken out of its own document.
Documents of the same main group of the IPC as the query's are no pairs at all: nobody judged them, and many are
relevant. `scale.py` fits what is shown as 0.5 on the same pool.
"""

import hashlib
import json
import random
import re

import numpy as np
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
        self.texts = [p for part in parts for p in part] + others
        self.passages = vectors(self.texts)
        korean, english = vectors([r["title"] for r in records]), vectors([r["title_en"] for r in records])
        both = vectors([f"{r['title']}\n{r['title_en']}" for r in records])
        self.colours = {"English title": korean, "Korean title": english, "first sentence": both}
        self.both = both
        asked = [i for i, r in enumerate(records) if r["held_out"] and r["title_en"] and r["abstract"] and r["claims"]]
        self.gold = np.array(asked)
        self.half = np.array([half(records[i]["number"]) for i in asked])
        self.asked_texts = {
            "English title": [records[i]["title_en"] for i in asked], "Korean title": [records[i]["title"] for i in asked],
            "first sentence": [first_sentence(records[i]["abstract"]) for i in asked],
        }
        self.queries = {kind: vectors(texts) for kind, texts in self.asked_texts.items()}
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


def fit(work, tokenizer, table):
    """(collection, title_share, report): fitted on half 0, reported on half 1."""
    collection = Collection(work, tokenizer, table)
    rows, test = np.flatnonzero(collection.half == 0), np.flatnonzero(collection.half == 1)
    by_share = {}
    for share in SHARES:
        scores = collection.scores(share)
        by_share[share] = [[round(found(scores[k][part], collection.gold[part]), 4) for k in KINDS] for part in (rows, test)]
    means = {s: np.mean(by_share[s][0]) for s in SHARES}
    title_share = min(s for s in SHARES if means[s] >= max(means.values()) - NEARLY)
    return collection, title_share, {"R@10 of the halves by share": by_share, "kinds": KINDS}
