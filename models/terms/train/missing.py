"""Lists words of patents that the table does not translate: what a glossary should have next.

    python missing.py GROUPS TEXTS OUT

GROUPS is what build.py writes, TEXTS the texts.pickle of its work folder. OUT gets en.tsv, phrases.tsv, ko.tsv and zh.tsv: the
number of texts that hold a word, and the word, the most frequent first. Of English, what lacks Korean, Japanese or Chinese;
of Korean and Chinese, what lacks English. Half of the Korean words and of the Chinese runs are no terms: inflected forms, and runs cut
in the middle of a word.
"""

import math
import pickle
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path

import build

# Texts that hold it, at least; of phrases by their number of words.
LEAST = {"en": 3, "ko": 5, "zh": 8}
LEAST_PHRASE = {2: 12, 3: 8}
# Normalised pointwise mutual information of the words of a phrase, at least.
LEAST_TOGETHER = 0.25
NEEDED = {"ko", "ja", "zh"}
# What parts Chinese into runs: words of grammar and of patents.
BETWEEN = re.compile("[的和及与或在由于对从至为是有其该所此各每个种者之以并且而被将把可用一]|进行|通过|根据|包括|具有|设置|位于|采用|上述|[^一-鿿]")
INFLECTED = re.compile("(?:다|하는|되는|한|된|적|적인|할|히|고|어|여|며|기|으로|로|에|들|지|게|서|까|면|던|는|을|를|의|와|과)$")


def covered(groups):
    """language -> term without spaces -> languages of its groups"""
    found = defaultdict(lambda: defaultdict(set))
    for line in open(groups, encoding="utf-8"):
        members = [part.split("=", 1) for part in line.rstrip("\n").split("\t") if "=" in part]
        languages = {language.rstrip("?") for language, _ in members}
        for language, term in members:
            found[language.rstrip("?")][plain(language.rstrip("?"), term)] |= languages
    return found


def plain(language, term):
    term = build.singular(term.lower().replace("-", " ")) if language == "en" else term
    term = build.simplified(term) if language == "zh" else term
    return re.sub(r"\s", "", term)


def english(texts):
    """Counters of words, and of phrases of two and three words."""
    counts = {1: Counter(), 2: Counter(), 3: Counter()}
    for text in texts:
        words = re.findall(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*|[^\sa-z]", text.lower())
        for size, counter in counts.items():
            runs = (words[n : n + size] for n in range(len(words) - size + 1))
            own = (run for run in runs if not any(word in build.EVERYDAY or not word[0].isalpha() for word in run))
            counter.update({" ".join([*run[:-1], build.singular(run[-1])]) for run in own})
    return counts


def together(phrase, count, words, texts):
    """Normalised pointwise mutual information: 1 if its words occur together only."""
    chance = math.prod(max(words[build.singular(word)], 1) / texts for word in phrase.split(" "))
    return math.log(count / texts / chance) / -math.log(count / texts)


def korean(texts):
    counts = Counter()
    for text in texts:
        counts.update({build.PARTICLES.sub("", word) for word in re.findall("[가-힣]{2,14}", text)})
    return {word: n for word, n in counts.items() if len(word) > 1 and not INFLECTED.search(word)}


def chinese(texts):
    counts = Counter()
    for text in texts:
        counts.update({run for run in BETWEEN.split(build.simplified(text)) if 2 <= len(run) <= 7})
    return counts


def main():
    groups, pickled, out = map(Path, sys.argv[1:])
    # The pickle was written by build.py as the main program.
    sys.modules["__main__"].Texts = build.Texts
    texts = pickle.loads(pickled.read_bytes()).texts
    known = covered(groups)
    counts = english(texts["en"])
    lacks = lambda term: not NEEDED <= known["en"].get(plain("en", term), set())
    phrases = {
        phrase: n
        for size, least in LEAST_PHRASE.items()
        for phrase, n in counts[size].items()
        if n >= least and lacks(phrase) and together(phrase, n, counts[1], len(texts["en"])) >= LEAST_TOGETHER
    }
    lists = {"en": {word: n for word, n in counts[1].items() if n >= LEAST["en"] and len(word) > 3 and lacks(word)}, "phrases": phrases}
    for language, found in (("ko", korean(texts["ko"])), ("zh", chinese(texts["zh"]))):
        is_new = lambda term: "en" not in known[language].get(plain(language, term), set())
        lists[language] = {term: n for term, n in found.items() if n >= LEAST[language] and is_new(term)}
    for name, found in lists.items():
        rows = sorted(found.items(), key=lambda entry: (-entry[1], entry[0]))
        (out / f"{name}.tsv").write_text("".join(f"{n}\t{term}\n" for term, n in rows), "utf-8")
        print(name, len(rows))


if __name__ == "__main__":
    main()
