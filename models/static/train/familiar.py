"""Which entries of a dictionary are words of patents: a general dictionary holds ten others for each of them."""

import re
from collections import Counter


class Familiar:
    """How much the words of an English gloss are those of patents: dictionaries' entries of patents come first."""

    def __init__(self, texts):
        self.counts = Counter(w for text in texts for w in set(re.findall(r"[a-z]{2,}", text.lower())))

    def __call__(self, gloss):
        """The rarest word's number of texts; glosses of many words say little."""
        words = re.findall(r"[a-z]{2,}", re.sub(r"\([^)]*\)", " ", gloss.lower()))
        return 0 if not words or len(words) > 6 else min(self.counts[w] for w in words)
