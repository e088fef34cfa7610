"""Makes the table of term translations: which words of other languages mean the same in patents.

    python models/terms/train/build.py --data ../shared/data --out groups.tsv [--work FOLDER]

groups.tsv has a line for each sense of an English term: `en=lidar`, `ko=라이다`, `zh=激光雷达` and so on, separated by
tabs, best first within a language. A line that begins with `synonyms` or `one-way` has synonyms within a language, too; with
`one-way`, its first term is only looked up.
`cargo run --release -p priorart-core --example pack_terms` packs it.

A pair of a foreign and an English term is a candidate if a dictionary or a mining step gives it. It is kept if patents use
both terms and there is evidence that they mean the same: a trusted source, two sources, or vectors of the default model.
"""

import argparse
import gzip
import math
import pickle
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
STATIC = HERE.parent.parent / "static"
sys.path.insert(0, str(STATIC / "train"))

import patents as P  # noqa: E402
from spellings import Spellings  # noqa: E402
from unpack import Model  # noqa: E402

LANGUAGES = ("ko", "ja", "zh", "fr")
# The columns of a glossary.
GLOSSARY = ("en", "ko", "ja", "zh", "de", "fr")
# The glossaries of single words.
WORDS = ("words.tsv", "patent-words.tsv")
# What a source alone proves: 2 = the pair stands, 1 = with a likely vector, 0 = only beside another source.
TRUST = {
    "own": 2, "glossary-patent-terms": 2, "glossary-cjk-compsci": 2, "glossary-ontologies": 2, "dict-jmdict-fields": 1, "dict-cedict": 1,
    "dict-jmdict": 1, "dict-wiktionary": 1, "dict-ejdict": 1, "osm-id-tagging": 0, "dict-cow": 0, "dict-hanja-bridge": 0,
    "titles": 1, "classification": 1, "brackets": 1, "sound": 2,
}
DICTIONARIES = [source for source in TRUST if source.startswith(("dict-", "glossary-", "osm-"))]
FIELDS = set("comp chem engr physics elec electr math biol biochem bot med anat geol astron telec internet archit mining metal "
             "pharm electronics mech zool genet physiol psychanal photo print agric textiles aviat rail food".split())
# Words that a technical term neither is nor begins with.
EVERYDAY = set(
    "a an the of and or in on at by for from with without to into onto over under up down out off be is are was were been do does "
    "did done have has had not no yes this that these those it its he she his her they them their we our you your i my me who whom "
    "which what when where why how very more most much many few some any all each every both other another such same so than then "
    "there here now also only even just about after before again against between during while until because if but as too well "
    "can could may might must shall should will would one two three four five six seven eight nine ten first second third new old "
    "good bad big small large great little long short high low early late way thing person people man woman time day year place "
    "make making made use used using say said get give given take taken come go see know known think first last own able said "
    "method device system apparatus part type kind sort form case example present invention embodiment wherein thereof".split())
MOST_WORDS = 5
LEAST_COSINE = {2: 0.30, 1: 0.42, 0: 0.55}
TWO_SOURCES = 0.30
# What a pair of four equal consonants needs: this cosine, or this distance of its sounds with vowels.
LEAST_ALIKE = 0.3
MOST_SPOKEN = 0.12
SAME_SENSE = 0.45
SHARED_SENSE = 0.25
EACH_LANGUAGE = 3
BELOW_BEST = 0.2
# Texts of patents that hold a term, at least; and the share of the English ones, at most.
LEAST_TEXTS = {"en": 3, "ko": 2, "zh": 2}
MOST_SHARE = 0.08
SPACE = re.compile(r"\s+")


def folded(text):
    return SPACE.sub(" ", unicodedata.normalize("NFKC", text)).strip().lower()


def english_term(gloss):
    """The term of a gloss: without brackets, articles and "to"; None if it is an explanation."""
    text = folded(re.sub(r"\[[^\]]*\]|\([^)]*\)|（[^）]*）", " ", gloss))
    text = re.sub(r"^(?:an?|the|to|to be) ", "", text)
    text = re.sub(r"[‐‑–]", "-", text).strip(" .")
    words = re.findall(r"[a-z0-9][a-z0-9'+-]*", text)
    if not words or len(words) > MOST_WORDS or not re.fullmatch(r"[a-z0-9 '+-]+", text) or len(text) < 2:
        return None
    if words[0] in EVERYDAY or words[-1] in EVERYDAY or any(w in ("of", "in", "for", "that", "which") for w in words):
        return None
    return None if text.isdigit() or len(text) < 3 and len(words) == 1 and text.isalpha() and not text.isupper() else text


def singular(text):
    """A plural's singular, roughly; terms meet by it while sources are compared."""
    if len(text) > 4 and text.endswith("ies"):
        return text[:-3] + "y"
    if len(text) > 4 and re.search(r"(?:s|x|z|ch|sh)es$", text):
        return text[:-2]
    return text[:-1] if len(text) > 3 and text.endswith("s") and not re.search(r"(?:ss|us|is|ics)$", text) else text


def key_of(english):
    return singular(english.replace("-", " "))


HAN_FORMS = dict(
    line.split("\t") for line in (HERE.parents[2] / "native/core/src/lexical/han.tsv").read_text("utf-8").rstrip("\n").split("\n"))


def simplified(text):
    return "".join(HAN_FORMS.get(c, c) for c in text)


def foreign_term(language, text):
    """The written form of a foreign headword; None if it is no term: one character, a sentence, another script."""
    text = folded(re.sub(r"\[[^\]]*\]|\([^)]*\)|（[^）]*）|\.\.\.|…", " ", text)).strip(" .,-")
    text = re.sub(r"[・·･]", "", text) if language in ("ja", "zh") else text
    text = text.replace(" ", "") if language in ("ja", "zh") else text
    if language == "zh":
        text = simplified(text)
    pattern = {
        "ko": r"[가-힣]{2,12}(?: [가-힣]{1,8}){0,3}",
        "ja": r"(?=.*[ァ-ヺ一-鿿])[ぁ-ゖァ-ヺー一-鿿々a-z]{2,14}",
        "zh": r"[一-鿿]{2,10}",
        "fr": r"[a-zàâçéèêëîïôûùœ'-]{4,40}(?: [a-zàâçéèêëîïôûùœ'-]{2,30}){0,3}",
    }[language]
    if not re.fullmatch(pattern, text):
        return None
    if language == "ko" and re.search(r"(?:다|하는|되는|한|된|적|적인|할|히)$", text) and not re.search(r"(?:라이다|저항|제한|권한|기한|무한|상한|하한|흔적|면적|체적|용적|누적|표적|목적|집적|축적|퇴적)$", text):
        return None
    if language == "ja" and re.search(r"(?:する|した|な|の|に|い|る|と|て)$", text):
        return None
    if language == "zh" and re.search(r"[的地得了着]$", text):
        return None
    return text


def dictionary_pairs(data):
    """(language, foreign, english, source) of the dictionaries."""
    for source in DICTIONARIES:
        with gzip.open(data / "parallel" / f"{source}.tsv.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                row = line.rstrip("\n").split("\t")
                if source == "dict-jmdict-fields":
                    if len(row) < 4 or not FIELDS & set(row[3].split()):
                        continue
                if len(row) < 3 or row[0] not in LANGUAGES:
                    continue
                foreign = foreign_term(row[0], row[1])
                for gloss in re.split(r"[;；]", row[2]) if foreign else ():
                    english = english_term(gloss)
                    if english:
                        yield row[0], foreign, english, source


def own_pairs():
    """Terms that were written for this table."""
    for line in (HERE / "own.tsv").read_text("utf-8").rstrip("\n").split("\n"):
        english, *others = line.split("\t")
        for language, terms in zip(LANGUAGES, others):
            yield from ((language, term, english, "own") for term in terms.split("|"))


def compound_groups():
    """Compounds and materials, written for this table, with their formulae: groups of their own, before all others."""
    groups = []
    for line in (HERE / "compounds.tsv").read_text("utf-8").rstrip("\n").split("\n"):
        columns = zip(("en", "ko", "ja", "zh", "formula"), line.split("\t"))
        groups.append([(language, term) for language, terms in columns for term in terms.split("|") if term])
    return groups


def glossary_lines(path):
    """The members of each line of a glossary."""
    for line in path.read_text("utf-8").rstrip("\n").split("\n"):
        columns = [[term for term in terms.split("|") if term] for terms in line.split("\t")]
        yield [(language, term) for language, terms in zip(GLOSSARY, columns, strict=True) for term in terms]


def word_lines():
    """The members of each line of the glossaries of single words."""
    for name in WORDS:
        yield from glossary_lines(HERE / "glossary" / name)


def glossary_groups():
    """
    Subjects of patents in six languages, written for this table, by the classes of the CPC: groups before those of other
    sources, whose members of one language mean the same. A line adds to the first one that has its English term.
    """
    words = {members[0][1] for members in word_lines()}
    # Case does not count, so `pet` would ask for positron emission tomography.
    is_word = lambda term: term.isupper() and term.lower() in words
    groups = {}
    for path in sorted((HERE / "glossary").glob("*.tsv")):
        if path.name in WORDS:
            continue
        for line in glossary_lines(path):
            members = line[:1] + [member for member in line[1:] if member[0] != "en" or not is_word(member[1])]
            own = groups.setdefault(key_of(members[0][1].lower()), [])
            own += [member for member in members if member not in own]
    return [[member for language in GLOSSARY for member in group if member[0] == language] for group in groups.values()]


def word_groups(subjects):
    """
    Single words, a line for each sense, as (mark, members). If another English term of a line says which sense it is, as
    `machine learning` of `learning`, the word is only looked up: 機械学習 does not ask for `learning`. English terms of
    the subjects and compounds with a line of their own belong to these alone: 渗透 of `osmosis` is wider than
    `reverse osmosis`.
    """
    lines = list(word_lines())
    known = {key_of(term.lower()) for group in subjects for language, term in group if language == "en"}
    compounds = {key_of(members[0][1].lower()) for members in lines if " " in members[0][1]}
    for members in lines:
        word = members[0][1]
        is_sense = lambda term: re.search(rf"\b{re.escape(word.lower())}\b", term.lower())
        others = [term for language, term in members[1:] if language == "en"]
        # A participle with a compound asks for that: `implanted` for `ion implantation`.
        is_participle = re.fullmatch(r"\w+(?:ed|ing)", word) and any(" " in term for term in others)
        one_way = bool(is_participle) or any(map(is_sense, others))
        # `learn` beside `learning` is as wide, and `implanting` beside `ion implantation`.
        starts = {part[:4].lower() for part in word.split(" ") if one_way or " " in word}
        is_wide = lambda term: " " not in term and term[:4].lower() in starts
        is_left_out = lambda term: key_of(term.lower()) in known | compounds or is_wide(term)
        if " " not in word or key_of(word.lower()) not in known:
            kept = [m for m in members[1:] if m[0] != "en" or not is_left_out(m[1])]
            yield "one-way" if one_way else "synonyms", [members[0], *kept]


def with_fragments_asked(groups):
    """Groups whose short Korean terms are only looked up if they mostly stand inside other words (fragments.py)."""
    lines = (HERE / "fragments.tsv").read_text("utf-8").splitlines()
    fragments = {("ko", line.split("\t")[0]) for line in lines}
    return [[("ko?", term) if (language, term) in fragments else (language, term) for language, term in group] for group in groups]


def in_one_spelling(groups):
    """
    Groups whose English terms that differ by spaces and hyphens alone are spelled as the first one: `carbon nano tube` of a
    dictionary would hide `carbon nanotube`.
    """
    first = {}
    for group in groups:
        own = []
        for language, term in group:
            # `CAR-T` is not `cart`, and `poly(lactic acid)` has other stems than `polylactic acid`.
            if language == "en" and not re.search(r"\b\w\b|^poly\b", term):
                term = first.setdefault(re.sub(r"[\s-]", "", term.lower()), term)
            if (language, term) not in own:
                own.append((language, term))
        yield own


class Texts:
    """Texts of patents by language, and in how many of them a term occurs."""

    def __init__(self, root, reserved):
        import collect

        pairs, texts, _, _ = collect.in_domain(root, __import__("random").Random(1), reserved)
        self.texts = {language: sorted(set(texts[language])) for language in ("en", *LANGUAGES)}
        self.titles = sorted({(p[2], p[3], p[4]) for p in pairs if p[0] == "title" and p[2] != "de"})

    def count_latin(self, language, wanted):
        """Texts that hold a phrase of words; plurals count as singulars."""
        longest = max((len(w.split()) for w in wanted), default=1)
        counts = Counter()
        for text in self.texts[language]:
            words = re.findall(r"[^\W_]+(?:'[^\W_]+)?", text.lower())
            own = words if language != "en" else [singular(w) for w in words]
            seen = set()
            for n, (written, word) in enumerate(zip(words, own)):
                phrase = word
                if phrase in wanted:
                    seen.add(phrase)
                for more in range(1, longest):
                    if n + more >= len(words):
                        break
                    phrase = " ".join([*words[n:n + more], own[n + more]])
                    if phrase in wanted:
                        seen.add(phrase)
            counts.update(seen)
        return counts

    def count_runs(self, language, wanted):
        """Texts that hold a term of a script without spaces, or of Hangul, whose spaces do not count."""
        lengths = sorted({len(w) for w in wanted})
        beginnings = {w[:2] for w in wanted}
        counts = Counter()
        for text in self.texts[language]:
            text = text.lower().replace(" ", "")
            if language == "zh":
                text = simplified(text)
            seen = set()
            for n in range(len(text) - 1):
                if text[n:n + 2] in beginnings:
                    seen.update(c for size in lengths if (c := text[n:n + size]) in wanted)
            counts.update(seen)
        return counts


# Sound

INITIALS = ["K", "K", "N", "T", "T", "R", "M", "P", "P", "S", "S", "", "S", "S", "S", "K", "T", "P", ""]
FINALS = ["", "K", "K", "KS", "N", "NS", "N", "T", "R", "RK", "RM", "RP", "RS", "RT", "RP", "R", "M", "P", "PS", "S", "S", "N", "S",
          "S", "K", "T", "P", ""]


# Roughly the vowel that English spells for each of Korean; none for the one that only parts consonants.
VOWELS = ["a", "e", "a", "e", "o", "e", "o", "e", "o", "ua", "e", "oe", "o", "u", "uo", "ue", "ui", "u", "", "i", "i"]


def sound_of_hangul(text, vowels=False):
    """Classes of consonants in upper case; with vowels in lower case."""
    out = []
    for c in text:
        code = ord(c) - 0xAC00
        if 0 <= code < 11172:
            out += [INITIALS[code // 588], VOWELS[code % 588 // 28] if vowels else "", FINALS[code % 28]]
    return squeezed("".join(out))


def sound_of_latin(text, vowels=False):
    text = re.sub(r"[^a-z]", "", text)
    for old, new in (("sch", "S"), ("tch", "S"), ("ch", "K" if text.startswith("chr") else "S"), ("ph", "P"), ("th", "S"), ("sh", "S"),
                     ("ck", "K"), ("x", "KS"), ("qu", "Ku"), ("ng", "N"), ("ce", "Se"), ("ci", "Si"), ("cy", "Sy"), ("gh", "K"),
                     ("ee", "i"), ("ea", "i"), ("oo", "u"), ("ou", "u"), ("y", "i"), ("w", "u")):
        text = text.replace(old, new)
    table = {**dict.fromkeys("bpfv", "P"), **dict.fromkeys("dt", "T"), **dict.fromkeys("kgcq", "K"), **dict.fromkeys("szj", "S"),
             "m": "M", "n": "N", "l": "R", "r": "R", **({v: v for v in "aeiou"} if vowels else {})}
    return squeezed("".join(c if c.isupper() else table.get(c, "") for c in re.sub(r"e$", "", text)))


def squeezed(text):
    return re.sub(r"(.)\1+", r"\1", text)


def weight_of(c):
    """An R costs little, because Korean drops it at the end of a syllable, and a vowel, because its spelling varies."""
    return 0.35 if c.islower() else 0.4 if c == "R" else 1.0


def edits(a, b):
    """The least cost of edits that make a sound another."""
    last = [0.0]
    for c in b:
        last.append(last[-1] + weight_of(c))
    for x in a:
        row = [last[0] + weight_of(x)]
        for n, y in enumerate(b):
            change = 0.0 if x == y else 0.25 if x.islower() and y.islower() else 1.3 if x.islower() or y.islower() else \
                0.6 if {x, y} <= set("TS") else 1.0
            row.append(min(last[n] + change, last[n + 1] + weight_of(x), row[n] + weight_of(y)))
        last = row
    return last[-1]


def sound_distance(a, b):
    """Least share of edits between the consonants of two words."""
    return edits(a, b) / max(len(a), len(b), 1)


def spoken_distance(korean, english):
    """Least share of edits between two words with their vowels."""
    a, b = sound_of_hangul(korean, vowels=True), sound_of_latin(english, vowels=True)
    return edits(a, b) / max(sum(map(weight_of, a)), sum(map(weight_of, b)), 1)


PARTICLES = re.compile(r"(?:에서의|으로의|으로써|으로서|에서는|에서|에게|으로|까지|부터|보다|들은|들을|들의|들이|들|은|는|이|가|을|를|의|에|로|와|과|도)$")


def sound_pairs(texts, vectors):
    """Korean words of patents that sound like an English word of patents: near it by vector, or long and like it in each vowel."""
    korean = Counter()
    for text in texts.texts["ko"]:
        words = set(re.findall(r"[가-힣]{2,12}", text))
        korean.update(words | {PARTICLES.sub("", w) for w in words})
    korean = {w: sound_of_hangul(w) for w, n in korean.items() if n >= 4 and len(w) >= 2}
    english = Counter()
    for text in texts.texts["en"]:
        english.update({singular(w) for w in re.findall(r"[a-z]{4,24}", text.lower())})
    english = [w for w, n in english.items() if n >= 4 and w not in EVERYDAY]
    place = {w: n for n, w in enumerate(english)}
    sounds = {w: sound_of_latin(w) for w in english}
    alike = defaultdict(list)
    for word, sound in sounds.items():
        alike[sound].append(word)
    theirs = vectors(english)
    words = [w for w, sound in korean.items() if len(sound) >= 2]
    for start in range(0, len(words), 2000):
        part = words[start:start + 2000]
        cosines = vectors(part) @ theirs.T
        near = np.argpartition(-cosines, 12, axis=1)[:, :12]
        for word, row, similar in zip(part, near, cosines):
            own = korean[word]
            same = alike[own]
            if len(own) >= 4 and len(same) == 1 and len(word) >= 4:
                # Few consonants are told apart, so a verb's form may have those of a rare word.
                if similar[place[same[0]]] >= LEAST_ALIKE or not NOT_LAST.search(word) and spoken_distance(word, same[0]) <= MOST_SPOKEN:
                    yield "ko", word, same[0], "sound"
                continue
            best = max(row, key=lambda n: similar[n] - 0.8 * sound_distance(own, sounds[english[n]]))
            distance = sound_distance(own, sounds[english[best]])
            if similar[best] >= 0.5 and distance <= 0.2 and (len(word) > 2 or similar[best] >= 0.65):
                yield "ko", word, english[best], "sound"


# Co-occurrence in titles

def grams(language, text, wanted):
    """The terms of a list that a text holds."""
    if language in ("ko", "ja", "zh"):
        text = text.lower().replace(" ", "")
        text = simplified(text) if language == "zh" else text
        return {text[n:n + size] for n in range(len(text)) for size in range(2, 9) if text[n:n + size] in wanted}
    words = re.findall(r"[^\W_]+", text.lower())
    own = [singular(w) if language == "en" else w for w in words]
    return {g for n in range(len(words)) for size in range(1, 4)
            if n + size <= len(words) and (g := " ".join([*words[n:n + size - 1], own[n + size - 1]])) in wanted}


def frequent(language, titles, least):
    """Terms that occur in that many titles: words and phrases, or runs of characters that stand for themselves."""
    counts = Counter()
    for title in titles:
        if language in ("ko", "zh", "ja"):
            runs = re.findall(r"[가-힣]+" if language == "ko" else r"[一-鿿]+", simplified(title) if language == "zh" else title)
            runs = [PARTICLES.sub("", r) if len(r) > 2 else r for r in runs] if language == "ko" else runs
            own = set(runs) | {r[n:n + size] for r in runs for size in range(2, 9) for n in range(len(r) - size + 1)} if language != "ko" else set(runs)
        else:
            words = re.findall(r"[^\W\d_]{3,}", title.lower())
            own = {singular(w) if language == "en" else w for w in words} | {
                f"{a} {singular(b) if language == 'en' else b}" for a, b in zip(words, words[1:])}
        counts.update(own)
    kept = {g: n for g, n in counts.items() if n >= least and len(g) >= 2 and not (set(g.split()) & EVERYDAY)}
    # A part of a term that mostly occurs within it is no term.
    within = Counter()
    for g, n in kept.items():
        parts = (g[1:], g[:-1]) if language != "en" and " " not in g else (g.split(" ")[0], g.split(" ")[-1])
        for part in parts:
            within[part] = max(within[part], n)
    return {g for g, n in kept.items() if within[g] < (0.5 if language != "en" else 0.8) * n}


def title_pairs(titles, language, source, least=4, dice=0.5):
    """Terms that occur in the same pairs of titles: a Dice coefficient far above chance."""
    pairs = [(foreign, english) for own, foreign, english in titles if own == language]
    theirs, ours = frequent(language, [p[0] for p in pairs], least), frequent("en", [p[1] for p in pairs], least)
    both, first, second = Counter(), Counter(), Counter()
    for foreign, english in pairs:
        a, b = grams(language, foreign, theirs), grams("en", english, ours)
        first.update(a)
        second.update(b)
        both.update((x, y) for x in a for y in b)
    found = {(x, y): 2 * n / (first[x] + second[y]) for (x, y), n in both.items() if n >= least}
    best_first, best_second = defaultdict(float), defaultdict(float)
    for (x, y), value in found.items():
        best_first[x], best_second[y] = max(best_first[x], value), max(best_second[y], value)
    for (x, y), value in found.items():
        if value >= dice and value >= 0.9 * max(best_first[x], best_second[y]):
            yield language, x, y, source


BRACKETS = re.compile(r"([가-힣]{2,14}(?: [가-힣]{2,10}){0,3}|[ァ-ヺー一-鿿]{2,12})\s?[(（]\s?([A-Za-z][A-Za-z0-9 -]{1,48})\s?[)）,;:]")
# What stands before a phrase that lacks its beginning: B형 of B형 간염 바이러스(HBV).
CUT_OFF = re.compile(r"[A-Za-z0-9][가-힣-]?\s?$")
# What an English text explains in brackets: "light detection and ranging (LIDAR)".
EXPLAINED = re.compile(r"([A-Za-z][A-Za-z -]{4,100}) \(([A-Za-z-]{2,8})\)")
# Ends of Korean words that no term has, and of those that no term begins with.
NOT_LAST = re.compile(r"(?:도록|하고|되고|하여|되어|하기|하지|되지|시키|시키고|하거나|되며|하며|으로|에서|부터|까지|에게|들을|들은|들이|[가-힣]{2}(?<!회)(?<!정)(?<!협)의)$")
NOT_FIRST = re.compile(r"(?:또는|혹은|및|상기|하기|본|그|각|해당|갖는|있는|없는|다른|[가-힣]{2,}(?:과|와|을|를|의|에|에서|인|된|는|은|한|로|게|써))$")
SMALL_WORDS = {"of", "and", "the", "for", "in", "to", "on", "by", "with", "a", "an", "or"}


def is_abbreviation(text):
    """Whether letters stand for words: LED, mRNA, PoE. Words in capitals are longer."""
    letters = text.replace("-", "")
    return len(letters) <= 6 and " " not in text and sum(c.isupper() for c in letters) >= 2


def initials(words):
    return "".join(word[:1] for word in words if word not in SMALL_WORDS)


def expansion(abbreviation, before):
    """
    The words before a bracket that an abbreviation stands for: those that begin with its letters, or else by the algorithm of
    Schwartz and Hearst (2003). None if none do.
    """
    letters = abbreviation.replace("-", "").lower()
    words = re.split(r"[ -]+", before.lower())[-min(len(letters) + 5, 2 * len(letters)):]
    for size in range(2, len(words) + 1):
        if initials(words[-size:]) == letters and words[-size] not in SMALL_WORDS:
            return " ".join(words[-size:])
    text = " ".join(words)
    at = len(text)
    for n in range(len(letters) - 1, -1, -1):
        at -= 1
        while at >= 0 and not (text[at] == letters[n] and (n > 0 or at == 0 or text[at - 1] == " ")):
            at -= 1
        if at < 0:
            return None
    found = text[at:]
    return found if letters not in found.split(" ") and len(found) >= 2 * len(letters) else None


def expansions(texts):
    """What abbreviations stand for in English texts of patents, the commonest: in two of them, or by its initials."""
    counts = defaultdict(Counter)
    for text in texts:
        for abbreviation, found in {(given.lower(), expansion(given, before)) for before, given in EXPLAINED.findall(text) if is_abbreviation(given)}:
            if found:
                counts[abbreviation][singular(found)] += 1
    sure = lambda short, words, n: n >= 2 or initials(words.split(" ")) == short.replace("-", "")  # noqa: E731
    return {short: [words for words, n in found.most_common(3) if sure(short, words, n)] for short, found in counts.items()}


def nearness(language, term, english, vectors):
    """Cosine of a term and of what an abbreviation stands for; -1 if the term is too short to say all of it, as "receptor" is for EGFR."""
    words = [w for w in english.split(" ") if w not in EVERYDAY]
    if len(term.replace(" ", "")) < (1.6 if language == "ko" else 1.2) * len(words):
        return -1.0
    a, b = vectors([term, english])
    return float(a @ b)


def cuts_of(language, term):
    """The ends of some words before a bracket that may be the term."""
    if language != "ko":
        return {term[k:] for k in range(len(term) - 1)}
    words = term.split(" ")
    cuts = (words[k:] for k in range(len(words)) if not any(NOT_FIRST.fullmatch(word) for word in words[k:-1]))
    return {" ".join(cut) for cut in cuts if not NOT_LAST.search(cut[-1])}


def bracket_pairs(texts, vectors):
    """
    Terms that texts explain in brackets, without the words before them: "상기 하이드로겔(hydrogel)". Reference signs and
    numbers stand in brackets, too, so what has a digit is left out, and an abbreviation counts for a term that says what it
    stands for.
    """
    known = expansions(texts.texts["en"])
    for language in ("ko", "ja", "zh"):
        seen = defaultdict(set)
        short = defaultdict(lambda: defaultdict(set))
        for n, text in enumerate(texts.texts[language]):
            for found in BRACKETS.finditer(text):
                term, given = found.groups()
                english = english_term(given if len(given) > 2 or given.isupper() else "")
                if not english or re.search(r"[0-9]|^[ivxIVX]+$", given.strip()):
                    continue
                if is_abbreviation(given.strip()):
                    if not CUT_OFF.search(text[max(0, found.start() - 3):found.start()]):
                        short[english][term].add(n)
                else:
                    for cut in cuts_of(language, term):
                        seen[cut, english].add(n)
        for (term, english), where in seen.items():
            # The longest that occurs about as often, so that words before it do not count.
            longer = max((len(w) for (t, e), w in seen.items() if e == english and t != term and t.endswith(term)), default=0) \
                if len(where) > 1 and language != "ko" else 0
            if sounds_alike(language, term, english):
                yield language, term, english, "sound"
            elif len(where) >= 2 and longer < 0.8 * len(where) or language == "ko" and len(term) >= 3:
                yield language, term, english, "brackets"
        for english, phrases in short.items():
            yield from abbreviation_pairs(language, english, phrases, known.get(english, []), vectors)


def abbreviation_pairs(language, english, phrases, expanded, vectors):
    """The terms of an abbreviation: of each phrase before it, with its texts, the end that is nearest to what it stands for."""
    found = defaultdict(set)
    for phrase, where in phrases.items():
        cuts = sorted(cuts_of(language, phrase))
        alike = [cut for cut in cuts if sounds_alike(language, cut, english)]
        near = [(nearness(language, cut, words, vectors), cut) for cut in cuts for words in expanded]
        best, term = max(near, default=(-1.0, ""))
        if alike:
            yield language, alike[0], english, "sound"
        elif best >= LEAST_COSINE[1]:
            found[term] |= where
    # What ends another term lacks its beginning.
    plain = {term: term.replace(" ", "") for term in found}
    for term, where in found.items():
        whole = not any(p != plain[term] and p.endswith(plain[term]) for p in plain.values())
        if whole and (language == "ko" or len(where) >= 2):
            yield language, term, english, "brackets"


def sounds_alike(language, term, english):
    return language == "ko" and len(sound_of_hangul(term)) >= 2 and sound_distance(sound_of_hangul(term), sound_of_latin(english)) <= 0.2


def vectors_of(model):
    known = {}

    def vectors(terms):
        for term in terms:
            if term not in known:
                known[term] = model.encode(term)
        return np.array([known[term] for term in terms], np.float32)

    return vectors


def collected(data, work):
    """All candidates with their sources, and the counts of terms in patents. Kept in a work folder."""
    cache = work and work / "candidates.pickle"
    if cache and cache.exists():
        return pickle.loads(cache.read_bytes())
    import collect

    kept = work and work / "texts.pickle"
    if kept and kept.exists():
        texts = pickle.loads(kept.read_bytes())
    else:
        texts = Texts(data / "patents", collect.Reserved(data / "evaluation/citations/docs.jsonl.gz"))
        if kept:
            work.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(pickle.dumps(texts))
    print({k: len(v) for k, v in texts.texts.items()}, "titles", Counter(t[0] for t in texts.titles), flush=True)
    model = Model(STATIC / "model.bin")
    vectors = vectors_of(model)
    sources = defaultdict(set)
    spelled = defaultdict(Counter)

    def add(pairs):
        for language, foreign, english, source in pairs:
            foreign, english = foreign_term(language, foreign), english_term(english)
            if foreign and english:
                key = key_of(english)
                plain = foreign.replace(" ", "") if language == "ko" else foreign
                sources[language, plain, key].add(source)
                spelled[language, plain][foreign] += 1
                spelled["en", key][english.replace("-", " ")] += 1

    add(dictionary_pairs(data))
    print("dictionaries", len(sources), flush=True)
    add(title_pairs(texts.titles, "ko", "titles", least=3))
    add(title_pairs(texts.titles, "zh", "classification"))
    add(title_pairs(texts.titles, "fr", "classification"))
    add(bracket_pairs(texts, vectors))
    print("mined", len(sources), flush=True)
    add(sound_pairs(texts, vectors))
    print("sound", len(sources), Counter(s for v in sources.values() for s in v), flush=True)
    english = {key for _, _, key in sources}
    counts = {"en": texts.count_latin("en", english)}
    for language in LANGUAGES:
        wanted = {foreign for own, foreign, _ in sources if own == language}
        counts[language] = (texts.count_latin if language == "fr" else texts.count_runs)(language, wanted)
        print(language, len(wanted), sum(1 for w in wanted if counts[language][w]), flush=True)
    spelling = {key: max(forms.items(), key=lambda f: (" " in f[0] and key[0] == "ko", f[1], f[0]))[0] for key, forms in spelled.items()}
    sizes = {k: len(v) for k, v in texts.texts.items()}
    sizes["words"] = texts.count_latin("en", {word for key in english for word in key.split(" ")})
    out = dict(sources), counts, spelling, sizes
    if cache:
        cache.write_bytes(pickle.dumps(out))
    return out


def with_own(sources, spelling):
    for language, foreign, english, source in own_pairs():
        plain, key = foreign.replace(" ", "") if language == "ko" else simplified(foreign) if language == "zh" else foreign, key_of(english)
        sources.setdefault((language, plain, key), set()).add(source)
        if " " in foreign or (language, plain) not in spelling:
            spelling[language, plain] = foreign
        spelling.setdefault(("en", key), english)


def groups_of(candidates):
    """Lists of (language, term), best first within a language; the English term first."""
    sources, counts, spelling, sizes = candidates
    with_own(sources, spelling)
    vectors = vectors_of(Model(STATIC / "model.bin"))
    by_english = defaultdict(lambda: defaultdict(list))
    pivots = defaultdict(set)
    kinds = Counter()
    # How many terms of the other side dictionaries give.
    meanings, words = Counter(), Counter()
    for (language, foreign, key), given in sources.items():
        if any(s in DICTIONARIES for s in given):
            meanings[language, foreign] += 1
            words[language, key] += 1
    for (language, foreign, key), given in sources.items():
        written, english = spelling[language, foreign], spelling["en", key]
        held, texts = counts["en"][key], counts[language][foreign]
        a, b = vectors([written, english])
        cosine = float(a @ b)
        parts = key.split(" ")
        known = "own" in given or held >= LEAST_TEXTS["en"] or held >= 1 and ("sound" in given or len(parts) > 1 or texts >= 3) or \
            len(parts) > 1 and cosine >= 0.6 and min(sizes["words"][part] for part in parts) >= 100
        if not known or held > MOST_SHARE * sizes["en"] or texts < LEAST_TEXTS.get(language, 0) and "own" not in given:
            continue
        apart = {"jmdict" if "jmdict" in s else s for s in given}
        trust = max(TRUST[s] for s in given)
        # A long term with one meaning is right although the model does not know it.
        plain = meanings[language, foreign] <= 2 and words[language, key] <= 3 and len(foreign) >= (4 if language == "ja" else 3)
        plain = plain and (trust > 0 or texts >= 5)
        least = -1.0 if trust == 2 or plain else TWO_SOURCES if len(apart) > 1 else LEAST_COSINE[trust]
        if language == "ja" and not (texts or counts["zh"][simplified(foreign)] or len(apart) > 1 or plain or trust > 1):
            least = max(least, 0.6)
        if language == "fr":
            least = 0.5
        if cosine < least:
            continue
        value = cosine + 0.3 * ("own" in given) + 0.05 * min(len(apart), 3) + 0.03 * min(math.log2(1 + texts), 8)
        by_english[key][language].append((value, foreign, bool({*DICTIONARIES, "own"} & set(given)), plain or trust == 2))
        pivots[language, foreign].add(key)
        kinds.update((language, s) for s in given)
    print(sum(len(v) for v in pivots.values()), "pairs", sorted(kinds.items()), flush=True)
    out = []
    for key, members in sorted(by_english.items()):
        english = spelling["en", key]
        chosen = []
        for language, found in members.items():
            # Without words that are others with an ending, or with a word before them.
            terms = [f[1] for f in found]
            found = [f for f in found if f[2] or not any(t != f[1] and (
                f[1].startswith(t) and len(f[1]) <= len(t) + 3 or f[1].endswith(t)) for t in terms)]
            found.sort(key=lambda f: (-f[0], f[1]))
            best = found[0][0] if found else 0
            chosen += [(language, foreign, value, plain) for value, foreign, _, plain in found[:EACH_LANGUAGE]
                       if value >= best - BELOW_BEST]
        for sense in senses(chosen, pivots, spelling, vectors):
            order = sorted(sense, key=lambda m: (LANGUAGES.index(m[0]), -m[2], m[1]))
            out.append([("en", english), *((language, spelling[language, foreign]) for language, foreign, _, _ in order)])
    return out


def senses(members, pivots, spelling, vectors):
    """Parts of a list whose members mean the same: `cell` is a battery or a part of the body. A member that fits two is in both."""
    if len(members) < 2:
        return [members] if members else []
    cosines = (lambda terms: terms @ terms.T)(vectors([spelling[m[0], m[1]] for m in members]))

    def meet(n, k):
        one, other = members[n], members[k]
        if simplified(one[1]) == simplified(other[1]) or cosines[n][k] >= SAME_SENSE or one[3] and other[3]:
            return True
        shared = len(pivots[one[0], one[1]] & pivots[other[0], other[1]])
        return shared >= 2 and cosines[n][k] >= SHARED_SENSE

    found = []
    for n in sorted(range(len(members)), key=lambda n: -members[n][2]):
        fits = [part for part in found if sum(meet(n, k) for k in part) * 2 > len(part)]
        for part in fits or [found.append([]) or found[-1]]:
            part.append(n)
    return [[members[n] for n in part] for part in found]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--work", type=Path)
    arguments = parser.parse_args()
    subjects = glossary_groups()
    marked = [("", group) for group in compound_groups()]
    marked += [("synonyms", group) for group in subjects]
    marked += word_groups(subjects)
    marked += [("", group) for group in groups_of(collected(arguments.data, arguments.work))]
    spellings = Spellings(HERE / "spellings")
    marked += spellings.groups([group for _, group in marked])
    groups = with_fragments_asked(in_one_spelling(spellings.added(group) for _, group in marked))
    marked = [(mark, group) for (mark, _), group in zip(marked, groups, strict=True)]
    lines = ["\t".join([mark] * bool(mark) + [f"{language}={term}" for language, term in group]) for mark, group in marked]
    arguments.out.write_text("\n".join(lines) + "\n", "utf-8")
    members = Counter(language for group in groups for language, _ in group)
    print(len(groups), "groups", dict(members), "terms", len({m for group in groups for m in group}))
