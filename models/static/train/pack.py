"""Packs an exported model into one file (see ../FORMAT.md).

    python pack.py EXPORT_FOLDER OUT

EXPORT_FOLDER holds vocab.tsv (piece TAB integer score, id = line), rows.npy (int8), scales.npy, config.json
and, where the model has them, weights.npy and idf.npy. Characters and their classes are those of tokenizer.py.
The same input gives the same bytes. Needs numpy and xxhash.
"""

import json
import os
import struct
import sys
import unicodedata
from pathlib import Path

import numpy as np
import tokenizer
import xxhash

LIMIT = 60_000_000
BLOCK = 64 << 10
CODE_POINTS = 0x110000
CLASSES = 32
UNICODE = "14.0.0"
MULTIPLE = 1 << 26
COMBINES = 1 << 27


class Container:
    """The writer of native/core/src/file.rs."""

    def __init__(self):
        self.bytes = bytearray(b"PRIORART" + struct.pack("<I", 1)).ljust(64, b"\0")
        self.sections = []

    def align(self):
        self.bytes += bytes(-len(self.bytes) % 64)

    def section(self, name, data):
        self.align()
        self.sections.append((name.encode(), len(self.bytes), len(data)))
        self.bytes += data

    def finish(self):
        self.align()
        blocks = range(0, len(self.bytes), BLOCK)
        table = b"".join(struct.pack("<Q", xxhash.xxh3_64_intdigest(self.bytes[at : at + BLOCK])) for at in blocks)
        directory = b"".join(
            struct.pack("<H", len(name)) + name + struct.pack("<QQ", offset, length)
            for name, offset, length in self.sections
        )
        at = len(self.bytes)
        tail = table + directory
        length = at + len(tail) + 40
        footer = struct.pack("<QQQQ", at, at + len(table), xxhash.xxh3_64_intdigest(tail), length) + b"PRIOREND"
        return bytes(self.bytes) + tail + footer


def followers():
    """Characters that a composition may draw to the character before them, besides combining marks."""
    found = {chr(c) for c in [*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)]}
    for code in range(CODE_POINTS):
        parts = unicodedata.decomposition(chr(code)).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            found.add(chr(int(parts[1], 16)))
    return found


def characters():
    """The table of characters: blocks, entries, text."""
    drawn = followers()
    entries = np.zeros(CODE_POINTS, dtype=np.uint32)
    text, place, results = bytearray(), {}, set()
    for code in range(CODE_POINTS):
        char = chr(code)
        if code == 0xFFFD or unicodedata.category(char) in ("Cn", "Cs", "Co", "Cc"):
            char = " "  # as tokenizer.normalise has it
        first = unicodedata.normalize("NFKD", char)[0]
        combines = COMBINES if unicodedata.combining(first) or first in drawn else 0
        folded = "".join(c.lower() for c in unicodedata.normalize("NFKC", char)).translate(tokenizer.HAN_FORMS)
        results.update(folded)
        if len(folded) == 1:
            entries[code] = ord(folded) | class_of(folded) << 21 | combines
            continue
        if folded not in place:
            place[folded] = len(text)
            encoded = folded.encode()
            assert len(encoded) < 256
            text += bytes([len(encoded)]) + encoded
        entries[code] = place[folded] | MULTIPLE | combines
    assert len(text) < 1 << 21
    for char in results:
        entry = int(entries[ord(char)])
        assert entry & 0x1FFFFF == ord(char) and not entry & MULTIPLE, f"U+{ord(char):04X} is not stable"
    blocks, unique = [], {}
    for at in range(0, CODE_POINTS, 256):
        block = entries[at : at + 256].tobytes()
        blocks.append(unique.setdefault(block, len(unique)))
    return np.array(blocks, dtype="<u2").tobytes(), b"".join(unique), bytes(text)


def class_of(char):
    """The class as the file has it: 0 separates, the others are the tokenizer's, plus one."""
    number = tokenizer.char_class(char)
    if number == tokenizer.REST:
        return 0
    assert 0 <= number < CLASSES - 1, f"class {number}"
    return number + 1


class DoubleArray:
    """A double-array trie, filled node by node; free places are taken first come, first served."""

    OPEN_BLOCKS = 16

    def __init__(self):
        self.units, self.free, self.bases = [], [], set()
        self.grow()

    def grow(self):
        """One more block of 256 places; places in blocks that are nearly full are given up."""
        at = len(self.units)
        self.units += [0] * 256
        self.free = [place for place in self.free if place >= at - 256 * (self.OPEN_BLOCKS - 1)]
        self.free += range(max(at, 1), at + 256)

    def base_for(self, labels):
        first = labels[0]
        while True:
            for place in self.free:
                base = place ^ first
                if base not in self.bases and all(self.taken.get(base ^ label) is None for label in labels):
                    return base
            self.grow()

    def build(self, pieces):
        """pieces: (bytes, id), sorted by bytes, each once."""
        self.taken = {0: True}
        stack = [(0, 0, len(pieces), 0)]
        while stack:
            node, low, high, depth = stack.pop()
            ends = len(pieces[low][0]) == depth
            groups, at = [], low + ends
            while at < high:
                label, start = pieces[at][0][depth], at
                while at < high and pieces[at][0][depth] == label:
                    at += 1
                groups.append((label, start, at))
            labels = [0] * ends + [label for label, _, _ in groups]
            base = self.base_for(labels)
            assert base < 1 << 22
            self.bases.add(base)
            for label in labels:
                self.taken[base ^ label] = True
                self.free.remove(base ^ label)
            self.units[node] |= base << 9 | ends << 8
            if ends:
                self.units[base] = 1 << 31 | pieces[low][1]
            for label, start, end in groups:
                self.units[base ^ label] = label
                stack.append((base ^ label, start, end, depth + 1))
        return np.array(self.units, dtype="<u4")


def read_vocabulary(path):
    pieces, scores = [], []
    for line in path.read_text(encoding="utf-8").split("\n"):
        if line:
            piece, score = line.split("\t")
            pieces.append(piece.encode())
            scores.append(int(score))
    assert len(set(pieces)) == len(pieces), "a piece occurs twice"
    assert all(piece and 0 not in piece for piece in pieces), "an empty piece, or one with NUL"
    return pieces, np.array(scores, dtype="<i4")


def pack(folder):
    """The bytes of model.bin."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    assert unicodedata.unidata_version == UNICODE, (
        f"the table of characters is that of Unicode {UNICODE} (Python 3.11), this Python has {unicodedata.unidata_version}"
    )
    pieces, scores = read_vocabulary(folder / "vocab.tsv")
    rows = np.load(folder / "rows.npy")
    assert rows.dtype == np.int8 and rows.shape == (len(pieces), config["dimensions"]), (rows.dtype, rows.shape)
    unknown = int(scores.min()) - config.get("unknown_penalty", 10 * 1024)
    marked = sum(1 << number + 1 for number in tokenizer.MARKED)
    config["unicode"] = UNICODE
    config.setdefault("title_share", 0.0)
    out = Container()
    out.section("config", json.dumps(config, ensure_ascii=False, sort_keys=True).encode())
    out.section("settings", np.array([config["dimensions"], unknown, marked], dtype="<i4").tobytes())
    out.section("word_start", tokenizer.WORD_START.encode())
    blocks, entries, text = characters()
    out.section("characters.blocks", blocks)
    out.section("characters.entries", entries)
    out.section("characters.text", text)
    numbered = sorted((piece, id) for id, piece in enumerate(pieces))
    out.section("trie", DoubleArray().build(numbered).tobytes())
    out.section("scores", scores.tobytes())
    out.section("rows", np.ascontiguousarray(rows).tobytes())
    for name, required in [("scales", True), ("weights", True), ("idf", False)]:
        path = folder / f"{name}.npy"
        if name == "weights" and not path.exists():
            values = np.ones(len(pieces), dtype="<f4")
        elif path.exists() or required:
            values = np.load(path).astype("<f4").reshape(-1)
        else:
            continue
        assert values.shape == (len(pieces),) and np.isfinite(values).all(), name
        out.section(name, values.tobytes())
    if (folder / "cohort.npy").exists():
        out.section("cohort", np.ascontiguousarray(np.load(folder / "cohort.npy")).astype(np.int8).tobytes())
        out.section("cohort_scales", np.load(folder / "cohort_scales.npy").astype("<f4").tobytes())
    return out.finish()


def main():
    folder, out = Path(sys.argv[1]), Path(sys.argv[2])
    data = pack(folder)
    assert len(data) <= LIMIT, f"{len(data)} bytes, at most {LIMIT} are allowed"
    temporary = out.with_suffix(".tmp")
    temporary.write_bytes(data)
    os.replace(temporary, out)
    print(f"{out}: {len(data):,} bytes, xxh3 {xxhash.xxh3_64_hexdigest(data)}")


if __name__ == "__main__":
    main()
