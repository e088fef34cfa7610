"""Reads model.bin back and embeds with it in plain Python: what every other runtime is compared with.

    python unpack.py MODEL < texts.jsonl > out.bin

texts.jsonl: a JSON string a line. out.bin: for each text u32 count, u32 ids, f32 vector (little-endian).
Needs numpy and xxhash.
"""

import json
import struct
import sys
from pathlib import Path

import numpy as np
import tokenizer
import xxhash

BLOCK = 64 << 10


def sections(path):
    """Name -> bytes, checksums compared."""
    data = Path(path).read_bytes()
    table, directory, total, length = struct.unpack("<QQQQ", data[-40:-8])
    assert data[:8] == b"PRIORART" and data[-8:] == b"PRIOREND" and length == len(data), "not a model file"
    assert xxhash.xxh3_64_intdigest(data[table:-40]) == total, "checksum of the directory"
    for n, (expected,) in enumerate(struct.iter_unpack("<Q", data[table:directory])):
        block = data[n * BLOCK : min((n + 1) * BLOCK, table)]
        assert xxhash.xxh3_64_intdigest(block) == expected, f"checksum of block {n}"
    found, at = {}, directory
    while at < len(data) - 40:
        (size,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + size].decode()
        offset, length = struct.unpack_from("<QQ", data, at + 2 + size)
        found[name] = data[offset : offset + length]
        at += 2 + size + 16
    return found


def pieces_of(units, count):
    """All pieces of the double-array trie, by id."""
    pieces, stack = [None] * count, [(0, b"")]
    while stack:
        node, prefix = stack.pop()
        unit = units[node]
        base = unit >> 9 & 0x3FFFFF
        if unit >> 8 & 1:
            pieces[units[base] & 0x7FFFFFFF] = prefix.decode()
        for byte in range(1, 256):
            if units[base ^ byte] & 0x800000FF == byte:
                stack.append((base ^ byte, prefix + bytes([byte])))
    assert None not in pieces
    return pieces


class Model:
    """tokenize(text) -> ids, encode(text) -> vector."""

    def __init__(self, path):
        parts = sections(path)
        self.config = json.loads(parts["config"])
        scores = np.frombuffer(parts["scores"], "<i4").tolist()
        pieces = pieces_of(np.frombuffer(parts["trie"], "<u4").tolist(), len(scores))
        dimensions, unknown, _ = np.frombuffer(parts["settings"], "<i4").tolist()
        self.tokenizer = tokenizer.Tokenizer(list(zip(pieces, scores)), min(scores) - unknown)
        self.rows = np.frombuffer(parts["rows"], "i1").reshape(len(scores), dimensions)
        self.factors = np.frombuffer(parts["scales"], "<f4") * np.frombuffer(parts["weights"], "<f4")

    def tokenize(self, text):
        return self.tokenizer.encode(text)

    def encode(self, text):
        return self.vector(self.tokenize(text))

    def vector(self, ids):
        """The sum in f32, by ascending id; the length from squares summed in f64, one after the other."""
        total = np.zeros(self.rows.shape[1], "<f4")
        if ids:
            distinct, counts = np.unique(ids, return_counts=True)
            factors = self.factors[distinct] * np.sqrt(counts.astype("<f4"))
            parts = self.rows[distinct].astype("<f4") * factors[:, None]
            # accumulate, unlike sum, has one order of adding
            total = np.add.accumulate(parts, axis=0, dtype="<f4")[-1]
        squares = total.astype("<f8") ** 2
        norm = np.float32(np.sqrt(np.add.accumulate(squares)[-1]))
        return total / norm if norm > 0 else np.zeros_like(total)


def main():
    model = Model(sys.argv[1])
    out = sys.stdout.buffer
    for line in sys.stdin:
        ids = model.tokenize(json.loads(line))
        out.write(struct.pack("<I", len(ids)) + np.array(ids, "<u4").tobytes() + model.vector(ids).astype("<f4").tobytes())


if __name__ == "__main__":
    main()
