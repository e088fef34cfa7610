"""Segmentation of the pairs, the teacher's vectors, and the closed-form start."""

import multiprocessing
import random

import numpy as np
from scipy import sparse

from bag import Corpus, encode, unit
from teacher import embed_all
from tokenizer import LATIN, WORD_START, Tokenizer, char_class, runs
from vocabulary import lines

DIMS = 248  # the last 8 of 256 are kept for languages, see export.py
SIF = 1e-3
DROPPED_PIECES = 0.3
# kind of pair: shortest, longest and number of the English sides the teacher reads
TEACHER_TEXTS = {"title": (1, 400, 32_000), "term": (2, 80, 70_000), "sentence": (20, 150, 32_000), "made": (2, 200, 80_000)}
DEVELOPMENT_TEXTS = (2, 120, 4_000)


SHORTEST_ALONE = {"zh": 60, "ja": 60, "ko": 80}
_tokenizers = []


def _make(vocabularies):
    global _tokenizers
    _tokenizers = [Tokenizer(pieces) for pieces in vocabularies]


def _segment(texts):
    cut = [runs(t) for t in texts]
    return [[np.array(tokenizer.encode_runs(r), np.int32) for r in cut] for tokenizer in _tokenizers]


def segment(texts, vocabularies, processes=2, part=5000):
    """Texts -> a Corpus for each of the vocabularies, by several processes."""
    parts = [texts[i : i + part] for i in range(0, len(texts), part)]
    with multiprocessing.get_context("fork").Pool(processes, _make, (vocabularies,)) as pool:
        got = list(pool.imap(_segment, parts))
    corpora = []
    for n in range(len(vocabularies)):
        ids = [x for cuts in got for x in cuts[n]]
        offsets = np.zeros(len(ids) + 1, np.int64)
        np.cumsum([len(x) for x in ids], out=offsets[1:])
        corpora.append(Corpus(np.concatenate(ids), offsets))
    return corpora


def cut_twice(texts, pieces, seed=5, processes=2):
    """Texts -> two Corpora: cut with all pieces, and with part of the long ones struck out.

    So rows of parts learn to stand for wholes.
    """
    rng = random.Random(seed)
    kept = [i for i, p in enumerate(pieces) if len(p[0]) < 2 or rng.random() >= DROPPED_PIECES]
    first, second = segment(texts, [pieces, [pieces[i] for i in kept]], processes)
    return first, Corpus(np.array(kept, np.int32)[second.ids], second.offsets)


def segment_pairs(work, pieces, seed=5):
    """pairs.tsv -> pairs.npz: token ids of both sides cut twice, kind, language, key of the English text."""
    rows = list(lines(work / "pairs.tsv"))
    n = len(rows)
    both = [r[3] for r in rows] + [r[4] for r in rows]
    first, second = cut_twice(both, pieces, seed)
    keys = {}
    kinds, langs = sorted({r[0] for r in rows}), sorted({r[2] for r in rows})
    counts = np.bincount(first.ids, minlength=len(pieces))
    np.savez(work / "pairs.npz", pairs=n, first=first.ids, first_at=first.offsets,
             second=second.ids, second_at=second.offsets, kinds=kinds, langs=langs,
             kind=np.array([kinds.index(r[0]) for r in rows], np.int8),
             lang=np.array([langs.index(r[2]) for r in rows], np.int8),
             key=np.array([keys.setdefault(key_of(r), len(keys)) for r in rows], np.int32), counts=counts)


def segment_alone(work, pieces, longest=1500, most=25_000, seed=6):
    """texts.tsv -> alone.npz: token ids of patent texts of each language, a sample of those of any length."""
    rng = random.Random(seed)
    rows = {}
    for lang, text in lines(work / "texts.tsv"):
        if len(text) >= SHORTEST_ALONE.get(lang, 150):
            rows.setdefault(lang, []).append(text[:longest])
    languages = sorted(rows)
    chosen = [(i, t) for i, l in enumerate(languages) for t in (rows[l] if len(rows[l]) <= most else sorted(rng.sample(rows[l], most)))]
    (corpus,) = segment([t for _, t in chosen], [pieces])
    np.savez(work / "alone.npz", ids=corpus.ids, at=corpus.offsets, langs=languages, lang=np.array([i for i, _ in chosen], np.int8))


def key_of(row):
    """Pairs of one key are not each other's negatives: one English text, or one group of made sentences."""
    return f"made {row[1]}" if row[0] == "made" else row[4].lower()


def sides(z, cut):
    """The foreign and the English corpus of a cut ("first" or "second")."""
    ids, at, n = z[cut], z[f"{cut}_at"], int(z["pairs"])
    return Corpus(ids, at[: n + 1]), Corpus(ids, at[n:])


def teach(work, seed=3):
    """The teacher's vectors of a sample of the English texts, and the PCA common to all of them."""
    rng = random.Random(seed)
    by_kind = {kind: set() for kind in TEACHER_TEXTS}
    for r in lines(work / "pairs.tsv"):
        low, high, _ = TEACHER_TEXTS.get(r[0], (0, 0, 0))
        if low <= len(r[4]) <= high:
            by_kind[r[0]].add(r[4])
    texts = set()
    for kind, (_, _, count) in TEACHER_TEXTS.items():
        got = sorted(by_kind[kind])
        texts.update(got if len(got) <= count else rng.sample(got, count))
    texts = sorted(texts)
    vectors = embed_all(texts)
    # principal directions about the origin: cosines are what must survive
    _, basis = np.linalg.eigh((vectors.T @ vectors).astype(np.float64))
    basis = basis[:, ::-1][:, :DIMS].astype(np.float32)
    kept = float(((vectors @ basis) ** 2).sum() / len(texts))
    print("teacher texts", len(texts), "kept by PCA", round(kept, 4), flush=True)
    np.savez(work / "teacher.npz", basis=basis, texts=unit(vectors @ basis)[0])
    (work / "teacher.txt").write_text("\n".join(texts), "utf-8")
    low, high, count = DEVELOPMENT_TEXTS
    texts = sorted({r[4] for r in lines(work / "dev.tsv") if r[0] in ("term", "sentence") and low <= len(r[4]) <= high})
    texts = sorted(rng.sample(texts, min(count, len(texts))))
    np.savez(work / "teacher-dev.npz", texts=unit(embed_all(texts) @ basis)[0])
    (work / "teacher-dev.txt").write_text("\n".join(texts), "utf-8")


def closed_form(work, pieces):
    """English piece = teacher x SIF; foreign piece = length-normalised sum of the English vectors of its pairs."""
    z = np.load(work / "pairs.npz")
    taught = np.load(work / "teacher.npz")
    counts = z["counts"].astype(np.float64)
    weight = (SIF / (SIF + counts / counts.sum())).astype(np.float32)[:, None]
    table = np.zeros((len(pieces), DIMS), np.float32)
    latin = np.array([char_class(p[-1]) == LATIN for p, _ in pieces])
    words = [p.removeprefix(WORD_START) for p, is_latin in zip([p for p, _ in pieces], latin) if is_latin]
    table[latin] = embed_all(words) @ taught["basis"]
    table *= weight
    kind = z["kinds"][z["kind"]]
    use = (kind != "same") & (kind != "made")
    foreign, english = sides(z, "first")
    vectors = encode(english, table, 128)
    # English texts the teacher has read: its own vector is better than the bag's
    vectors = vectors - vectors[use].mean(0)
    m = foreign.matrix(len(pieces), 128)
    length = np.maximum(np.diff(m.indptr), 1).astype(np.float32)
    m = sparse.diags(use / np.sqrt(length)) @ m
    summed = unit((m.T @ vectors).astype(np.float32))[0]
    table[~latin] = summed[~latin] * weight[~latin]
    never = np.flatnonzero(~table.any(1))
    print("rows without a pair", len(never), flush=True)
    compose(table, pieces, never)
    return table


def compose(table, pieces, rows):
    """Gives pieces that no pair taught the sum of the rows of their own parts."""
    unknown = set(int(i) for i in rows)
    keep = [i for i in range(len(pieces)) if i not in unknown or len(pieces[i][0]) == 1]
    parts = Tokenizer([pieces[i] for i in keep])
    for i in unknown:
        ids = [keep[j] for j in parts.segment(pieces[i][0])]
        table[i] = table[ids].sum(0) if ids else 0
