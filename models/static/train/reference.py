"""encode(text): the definition of the static model's vectors, which every runtime is compared with.

Lies beside vocab.tsv, rows.npy, scales.npy, config.json and tokenizer.py in the export folder.
    python reference.py < texts > vectors        one text a line, one JSON array a line
"""

import json
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from tokenizer import Tokenizer  # noqa: E402


class Reference:
    def __init__(self, folder=HERE):
        with open(folder / "vocab.tsv", encoding="utf-8") as f:
            pieces = [(p, int(s)) for p, s in (line.rstrip("\n").split("\t") for line in f)]
        self.config = json.loads((folder / "config.json").read_text("utf-8"))
        self.tokenizer = Tokenizer(pieces, self.config["unknown_penalty"])
        self.rows, self.scales = np.load(folder / "rows.npy", mmap_mode="r"), np.load(folder / "scales.npy")

    def encode(self, text):
        """Text -> float32 (dimensions,), length 1, or all zero where the text holds no known piece."""
        ids, counts = np.unique(self.tokenizer.encode(text), return_counts=True)
        total = np.zeros(self.config["dimensions"], np.float32)
        for i, count in zip(ids.astype(int), counts):
            total += self.rows[i].astype(np.float32) * (self.scales[i] * np.sqrt(np.float32(count)))
        length = np.sqrt(np.sum(total.astype(np.float64) ** 2))
        return (total / length).astype(np.float32) if length > 0 else total


_reference = None


def encode(text):
    global _reference
    _reference = _reference or Reference()
    return _reference.encode(text)


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps([round(float(x), 7) for x in encode(line.rstrip("\n"))]))
