"""Normalisation and segmentation of the static model: the definition all runtimes are compared with.

Text -> NFKC -> lower case -> one form of each Han character -> runs of one script -> pieces (Viterbi over integer
unigram scores).
Scores are integers (1/1024 nat) so that sums, comparisons and therefore ties are exact in every language.
"""

import re
import unicodedata
from pathlib import Path

HAN, HIRAGANA, KATAKANA, HANGUL, LATIN, DIGIT, REST = range(7)
CLASS_NAMES = ["han", "hiragana", "katakana", "hangul", "latin", "digit", "rest"]

# Inclusive code-point ranges; whatever is not listed is REST and is dropped (it only separates runs).
# Explicit ranges, because the Unicode tables of two languages' libraries are never of the same version.
CLASS_RANGES = [
    (0x0030, 0x0039, DIGIT),
    (0x0061, 0x007A, LATIN),
    (0x00DF, 0x00F6, LATIN),
    (0x00F8, 0x024F, LATIN),
    (0x0300, 0x036F, LATIN),  # combining marks left over by NFKC
    (0x0370, 0x0373, LATIN),
    (0x0376, 0x0377, LATIN),
    (0x037B, 0x037D, LATIN),
    (0x0386, 0x0386, LATIN),
    (0x0388, 0x03FF, LATIN),  # Greek: alpha, beta, micro are technical words
    (0x0400, 0x0481, LATIN),
    (0x048A, 0x052F, LATIN),  # Cyrillic
    (0x1100, 0x11FF, HANGUL),
    (0x1E00, 0x1EFF, LATIN),
    (0x3005, 0x3007, HAN),
    (0x3041, 0x309F, HIRAGANA),
    (0x30A1, 0x30FA, KATAKANA),
    (0x30FC, 0x30FF, KATAKANA),
    (0x3131, 0x318E, HANGUL),
    (0x31F0, 0x31FF, KATAKANA),
    (0x3400, 0x4DBF, HAN),
    (0x4E00, 0x9FFF, HAN),
    (0xA960, 0xA97F, HANGUL),
    (0xAC00, 0xD7A3, HANGUL),
    (0xD7B0, 0xD7FF, HANGUL),
    (0xF900, 0xFAFF, HAN),
    (0x20000, 0x323AF, HAN),
]
WORD_START = "\u2581"  # put before every Latin run: "in" as a word and "in" inside a word differ
MARKED = {LATIN}

_class_of = {}


def char_class(ch):
    got = _class_of.get(ch)
    if got is None:
        cp = ord(ch)
        got = next((k for lo, hi, k in CLASS_RANGES if lo <= cp <= hi), REST)
        _class_of[ch] = got
    return got


def _never_normalised():
    """What becomes a space first: unassigned, surrogate, private and control characters, and U+FFFD.

    Unicode never changes how assigned characters normalise, so that without those of later versions every
    runtime's tables, however new, give what this Python's (3.11, Unicode 14) give.
    """
    points = [c for c in range(0x110000) if c == 0xFFFD or unicodedata.category(chr(c)) in ("Cn", "Cs", "Co", "Cc")]
    starts = [c for c, before in zip(points, [-2, *points]) if c != before + 1]
    ends = [c for c, after in zip(points, [*points[1:], -2]) if c + 1 != after]
    return re.compile("[" + "".join(f"\\U{a:08x}-\\U{b:08x}" for a, b in zip(starts, ends)) + "]")


_DROPPED = _never_normalised()


def han_file():
    """The table of Han forms: beside this file in an exported model, otherwise that of the lexical index."""
    here = Path(__file__).resolve().parent
    beside = here / "han.tsv"
    return beside if beside.exists() else here.parents[2] / "native/core/src/lexical/han.tsv"


def _han_forms():
    """han.tsv: Japanese and traditional forms of Han characters -> simplified ones, so that 電池, 电池 are one word."""
    rows = (line.split("\t") for line in han_file().read_text("utf-8").split("\n") if line)
    return {ord(form): simplified for form, simplified in rows}


HAN_FORMS = _han_forms()


def normalise(text):
    """NFKC, then lower case, each character by itself (no final sigma), then one form of each Han character."""
    if text.isascii() and text.isprintable():
        return text.lower()
    return unicodedata.normalize("NFKC", _DROPPED.sub(" ", text)).replace("Σ", "σ").lower().translate(HAN_FORMS)


def runs(text):
    """Normalised text -> list of (class, run); Latin runs carry the word-start mark, REST is dropped."""
    out, start, current = [], 0, REST
    text = normalise(text)
    for i, ch in enumerate(text):
        k = char_class(ch)
        if k != current:
            if current != REST:
                out.append((current, text[start:i]))
            start, current = i, k
    if current != REST:
        out.append((current, text[start:]))
    return [(k, WORD_START + r if k in MARKED else r) for k, r in out]


class Tokenizer:
    """Unigram segmentation. `pieces`: list of (piece, integer score); the id is the position."""

    def __init__(self, pieces, unknown_penalty=10 * 1024):
        self.ids = {p: i for i, (p, _) in enumerate(pieces)}
        self.scores = [s for _, s in pieces]
        self.unknown = min(self.scores) - unknown_penalty
        self.max_length = max(len(p) for p in self.ids)
        # candidate lengths by first character, longest first: the Viterbi loop then tries few substrings
        lengths = {}
        for p in self.ids:
            lengths.setdefault(p[0], set()).add(len(p))
        self.lengths = {c: sorted(ls, reverse=True) for c, ls in lengths.items()}
        self._cache = {}

    def segment(self, run):
        """Ids of the best segmentation of one run; unknown characters give no id.

        Ties: of two segmentations of a prefix with equal score, the one whose last piece is LONGER wins.
        """
        n = len(run)
        best = [None] * (n + 1)
        back = [None] * (n + 1)
        best[0] = 0
        ids, scores = self.ids, self.scores
        for i in range(n):
            here = best[i]
            single = False
            for length in self.lengths.get(run[i], ()):
                j = i + length
                if j > n:
                    continue
                piece = ids.get(run[i:j])
                if piece is None:
                    continue
                if length == 1:
                    single = True
                total = here + scores[piece]
                # starts are visited left to right, so the first to reach j has the longest last piece
                if best[j] is None or total > best[j]:
                    best[j], back[j] = total, (i, piece)
            if not single:
                total = here + self.unknown
                if best[i + 1] is None or total > best[i + 1]:
                    best[i + 1], back[i + 1] = total, (i, -1)
        out, j = [], n
        while j:
            i, piece = back[j]
            if piece >= 0:
                out.append(piece)
            j = i
        out.reverse()
        return out

    def best_score(self, run):
        """Score of the best segmentation with pieces shorter than the run itself; None where impossible."""
        n = len(run)
        best = [None] * (n + 1)
        best[0] = 0
        for i in range(n):
            if best[i] is None:
                continue
            for length in self.lengths.get(run[i], ()):
                j = i + length
                if j > n or length == n:
                    continue
                piece = self.ids.get(run[i:j])
                if piece is not None and (best[j] is None or best[i] + self.scores[piece] > best[j]):
                    best[j] = best[i] + self.scores[piece]
        return best[n]

    def encode(self, text):
        """Text -> list of piece ids."""
        return self.encode_runs(runs(text))

    def encode_runs(self, cut):
        """What `runs` gave -> list of piece ids."""
        out, cache = [], self._cache
        for _, run in cut:
            got = cache.get(run)
            if got is None:
                got = self.segment(run)
                if len(run) <= 12 and len(cache) < 2_000_000:
                    cache[run] = got
            out.extend(got)
        return out
