"""Writes the export folder: vocab.tsv, rows.npy, scales.npy, config.json, reference.py."""

import json
import shutil
from pathlib import Path

import numpy as np

import tokenizer as T
from vocabulary import lines


def quantise(table):
    """Rows to int8 with one float32 scale a row. Returns (rows, scales)."""
    top = np.abs(table).max(1)
    scales = np.where(top > 0, top / 127, 1).astype(np.float32)
    return np.rint(table / scales[:, None]).clip(-127, 127).astype(np.int8), scales


def idf(work, pieces):
    """How much a piece says, fitted on a quarter of the patent texts: log((N + 1) / (texts that hold it + 1)), scaled to 0-1."""
    tokenizer = T.Tokenizer(pieces)
    held, n = np.zeros(len(pieces)), 0
    for i, row in enumerate(lines(work / "texts.tsv")):
        if len(row[1]) >= 120 and i % 4 == 0:
            held[np.unique(np.array(tokenizer.encode(row[1]), np.int64))] += 1
            n += 1
    return (np.log((n + 1) / (held + 1)) / np.log(n + 1)).astype(np.float32)


def write(out, pieces, table, settings, calibration=None, title_share=0.0, idf=None):
    """Returns the table as it reads back, for measuring what ships."""
    out.mkdir(parents=True, exist_ok=True)
    rows, scales = quantise(table)
    with open(out / "vocab.tsv", "w", encoding="utf-8") as f:
        for piece, score in pieces:
            f.write(f"{piece}\t{score}\n")
    np.save(out / "rows.npy", rows)
    np.save(out / "scales.npy", scales)
    if idf is not None:
        np.save(out / "idf.npy", idf)
    config = {
        "name": settings["name"],
        "version": settings["version"],
        "dimensions": table.shape[1],
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
        "pooling": "sum of rows times scale, then L2; no piece gives the zero vector",
        "calibration": calibration or {"midpoint": 0.5, "slope": 12.0},
        "title_share": title_share,
    }
    (out / "config.json").write_text(json.dumps(config, indent=1, ensure_ascii=False) + "\n", "utf-8")
    here = Path(__file__).parent
    shutil.copy(here / "reference.py", out / "reference.py")
    shutil.copy(here / "tokenizer.py", out / "tokenizer.py")
    return rows.astype(np.float32) * scales[:, None]
