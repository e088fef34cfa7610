"""Writes the export folder: vocab.tsv, rows.npy, scales.npy, config.json, reference.py."""

import json
import shutil
from pathlib import Path

import numpy as np

import tokenizer as T
from bag import Corpus, encode
from vocabulary import lines

DIMENSIONS = 256  # of the file: those of the table, then free ones for languages (../FORMAT.md)
EVEN_TEXTS = 3000  # of each language of EVEN_LANGUAGES
EVEN_LANGUAGES = ("en", "ko", "zh")
COHORT_TEXTS = 800  # of each of them
EVEN_FROM = 16  # the first directions are shrunk to nearer the size of the 16th


def quantise(table):
    """Rows to int8 with one float32 scale a row. Returns (rows, scales)."""
    top = np.abs(table).max(1)
    scales = np.where(top > 0, top / 127, 1).astype(np.float32)
    return np.rint(table / scales[:, None]).clip(-127, 127).astype(np.int8), scales


def sampled(work, per_language, seed):
    """As many texts of patents in each of EVEN_LANGUAGES, as a Corpus."""
    z, rng = np.load(work / "alone.npz"), np.random.default_rng(seed)
    at, ids, langs = z["at"], z["ids"], [str(l) for l in z["langs"]]
    rows = [rng.choice(np.flatnonzero(z["lang"] == langs.index(l)), per_language, replace=False) for l in EVEN_LANGUAGES]
    return Corpus.of([ids[at[r] : at[r + 1]] for r in np.concatenate(rows)])


# How much the translations of a question by models/terms count, see FORMAT.md. Chosen on the sets of the bench `quality` and
# on 100 short questions; the scale of similarity is fitted without them.
TRANSLATIONS = {"share": 1, "full": 4, "most": 20}


def cohort(work, table, seed=5):
    """Vectors of texts of patents, as they read back from int8: what scale.py and the program compare questions with."""
    rows, scales = quantise(encode(sampled(work, COHORT_TEXTS, seed), table))
    return rows, scales, rows.astype(np.float32) * scales[:, None]


def even_out(work, table, power, seed=0):
    """Shrinks the directions that most texts of patents share: those of large variance, by variance ** -power.

    What all patents have in common says nothing of any of them. A linear map, so that it goes into the rows.
    """
    vectors = encode(sampled(work, EVEN_TEXTS, seed), table)
    variance, directions = np.linalg.eigh((vectors.T @ vectors / len(vectors)).astype(np.float64))
    least = np.sort(variance)[-EVEN_FROM]
    scaled = directions * np.maximum(variance, least) ** -power
    return table @ (scaled @ directions.T).astype(np.float32)


def idf(work, pieces):
    """How much a piece says, fitted on a quarter of the patent texts: log((N + 1) / (texts that hold it + 1)), scaled to 0-1."""
    tokenizer = T.Tokenizer(pieces)
    held, n = np.zeros(len(pieces)), 0
    for i, row in enumerate(lines(work / "texts.tsv")):
        if len(row[1]) >= 120 and i % 4 == 0:
            held[np.unique(np.array(tokenizer.encode(row[1]), np.int64))] += 1
            n += 1
    return (np.log((n + 1) / (held + 1)) / np.log(n + 1)).astype(np.float32)


def write(out, pieces, table, settings, calibration=None, title_share=0.0, idf=None, languages=None, cohort=None, texts=None):
    """Returns the table as it reads back, for measuring what ships."""
    out.mkdir(parents=True, exist_ok=True)
    rows, scales = quantise(table)
    with open(out / "vocab.tsv", "w", encoding="utf-8") as f:
        for piece, score in pieces:
            f.write(f"{piece}\t{score}\n")
    np.save(out / "rows.npy", np.pad(rows, ((0, 0), (0, DIMENSIONS - rows.shape[1]))))
    np.save(out / "scales.npy", scales)
    if idf is not None:
        np.save(out / "idf.npy", idf)
    config = {
        "name": settings["name"],
        "version": settings["version"],
        "dimensions": DIMENSIONS,
        "pieces": len(pieces),
        "normalisation": ["NFKC", "lower case"],
        "score_unit": "1/1024 nat, integer",
        "max_piece_length": max(len(p) for p, _ in pieces),
        "unknown_penalty": 10 * 1024,
        "unknown": "a character without a piece costs min(score) - unknown_penalty and gives no id",
        "ties": "of equal scores up to a position the longest last piece wins",
        "word_start": T.WORD_START,
        "marked_classes": [T.CLASS_NAMES[k] for k in sorted(T.MARKED)],
        "classes": T.CLASS_NAMES,
        "class_ranges": [[lo, hi, T.CLASS_NAMES[k]] for lo, hi, k in T.CLASS_RANGES],
        "pooling": "sum of the distinct pieces' rows times scale times the root of their number, then L2; no piece gives the zero vector",
        "calibration": calibration or {"midpoint": 0.5, "slope": 12.0},
        "title_share": title_share,
        "translations": TRANSLATIONS,
    }
    if languages:
        config["languages"] = languages
    if cohort:
        config["cohort"] = cohort
        np.save(out / "cohort.npy", np.pad(texts[0], ((0, 0), (0, DIMENSIONS - rows.shape[1]))))
        np.save(out / "cohort_scales.npy", texts[1])
    (out / "config.json").write_text(json.dumps(config, indent=1, ensure_ascii=False) + "\n", "utf-8")
    here = Path(__file__).parent
    shutil.copy(here / "reference.py", out / "reference.py")
    shutil.copy(here / "tokenizer.py", out / "tokenizer.py")
    shutil.copy(T.han_file(), out / "han.tsv")
    return rows.astype(np.float32) * scales[:, None]
