"""Collects all training texts into one folder: pairs, single texts, development sets. Prints counts."""

import gzip
import hashlib
import json
import random
import re
from collections import Counter, defaultdict
from pathlib import Path

import compose
import patents as P
from familiar import Familiar
from teacher import frequency

DICTIONARIES = (
    "dict-cedict", "dict-wiktionary", "dict-jmdict", "dict-ejdict", "glossary-patent-terms", "glossary-cjk-compsci",
    "glossary-ontologies", "cldr-names", "osm-id-tagging")
LEFT_OUT = ("dict-cow", "dict-hanja-bridge")  # general words with much noise; homonyms
CAP = 45_000  # pairs of one source in one language
FAMILIAR_ENOUGH = 20  # texts of patents that hold each word of a gloss
DEV_ONE_IN = 60
DEV_EUROPEAN_ONE_IN = 4  # documents, by the hash of their English title: there are few
DEV_CLASSES_ONE_IN = 20


def bucket(text, modulus):
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") % modulus


def check_hashes(data, manifest):
    """The list of inputs with their sha256: a changed file is an error, not another model."""
    for line in Path(manifest).read_text("utf-8").strip().split("\n"):
        digest, name = line.split("  ", 1)
        got = hashlib.sha256((data / name).read_bytes()).hexdigest()
        if got != digest:
            raise SystemExit(f"{name}: sha256 {got}, expected {digest}; the weights would not be reproducible")


class Reserved:
    """The documents that citations are measured on: none of their titles and abstracts may be trained on."""

    def __init__(self, path):
        docs = [json.loads(line) for line in gzip.open(path, "rt", encoding="utf-8")]
        self.titles = {self.key(d["title"]) for d in docs if d.get("title")}
        self.starts = {self.key(d["abstract"])[:40] for d in docs if d.get("abstract")}

    @staticmethod
    def key(text):
        return re.sub(r"\W+", "", P.clean(text).lower())

    def title(self, text):
        return self.key(text) in self.titles

    def __contains__(self, text):
        """Whether a text is the abstract of such a document, or begins like one."""
        return self.key(text)[:40] in self.starts


def parallel(data, out, rng, familiar):
    """General pairs: development sentences and terms split off by the hash of the English side."""
    train, dev = [], []
    dev_foreign = set()
    for path in sorted((data / "parallel").glob("*.tsv.gz")):
        source = path.name.removesuffix(".tsv.gz")
        if source in LEFT_OUT:
            continue
        rows = defaultdict(list)
        for line in gzip.open(path, "rt", encoding="utf-8"):
            f = line.rstrip("\n").split("\t")
            if len(f) != 3:
                continue
            lang, foreign, english = f[0], P.clean(f[1]), P.clean(f[2])
            if not foreign or not P.LATIN.search(english):
                continue
            kind = "term" if source in DICTIONARIES else "sentence"
            if source == "dict-cedict":
                english = re.sub(r"\[[^\]]*\]|[一-鿿|]+", " ", english)
            english_key = english.lower()
            if source != "glossary-patent-terms" and bucket(english_key, DEV_ONE_IN) == 7:
                dev.append((kind, source, lang, foreign[:600], english[:600]))
                dev_foreign.add(foreign)
            else:
                rows[lang].append((kind, source, lang, foreign[:600], english[:600]))
        for lang in sorted(rows):
            got = sorted(set(rows[lang]))
            cap = CAP * (3 if kind == "term" else 1)
            if len(got) > cap and kind == "term":
                got = sorted(got, key=lambda p: (-min(familiar(p[4]), FAMILIAR_ENOUGH), rng.random()))[:cap]
            train += got if len(got) <= cap else rng.sample(got, cap)
    return [p for p in train if p[3] not in dev_foreign], sorted(set(dev))


def in_domain(root, rng, reserved):
    """Pairs and single texts of patents. Returns (pairs, texts by language, KIPRIS records, held-out pairs)."""
    records = P.kipris_records(root)
    titles = P.classification(root)
    secret = {t.lower() for r in records if r["held_out"] for t in (r["title"], r["title_en"])}
    secret_starts = {r["abstract"][:60] for r in records if r["held_out"] and r["abstract"]}
    pairs, texts, dev = [], defaultdict(list), []
    all_numbers = {r["number"] for r in records if r["held_out"]}

    def same_language(lang, title, bodies, source):
        """A title with its texts, and the texts among themselves: what a document's words weigh."""
        for b in bodies[:3]:
            if title:
                pairs.append(("same", source, lang, b[: P.MAX_CHARS], title))
        if len(bodies) > 1:
            pairs.append(("same", source, lang, bodies[0][: P.MAX_CHARS], bodies[1][: P.MAX_CHARS]))

    def halves(lang, text, source):
        """The two halves of an abstract belong together."""
        if len(text) > 160:
            middle = len(text) // 2
            pairs.append(("same", source, lang, text[:middle][:900], text[middle:][:900]))

    def korean(number, title, title_en, bodies, codes, source):
        if (number and (P.held_out(number) or number in all_numbers)) or title.lower() in secret:
            return
        if any(b[:60] in secret_starts or b in reserved for b in bodies) or reserved.title(title):
            return
        texts["ko"] += [t for t in [title, *bodies] if t]
        same_language("ko", title, [b for b in bodies if len(b) > 40], source)
        english = [e for e in dict.fromkeys(P.english_of_code(titles, c) for c in codes[:4]) if e]
        if title_en:
            pairs.append(("title", source, "ko", title, title_en))
            texts["en"].append(title_en)
            pairs.extend(("document", source, "ko", f"{title} {b}"[: P.MAX_CHARS], title_en) for b in bodies[:3])
        for e in english[:2]:
            pairs.append(("class", source, "ko", title, e))
            pairs.extend(("class", source, "ko", b[:800], e) for b in bodies[:1])

    for r in records:
        if not r["held_out"]:
            korean(r["number"], r["title"], r["title_en"], [r["abstract"], *r["claims"][:2]], r["ipc"], "kipris-json")
            texts["ko"] += r["claims"][2:12]
    for number, title, title_en, bodies, codes in P.korean_sets(root):
        korean(number, title, title_en, [b for b in bodies if b], codes, "korean-sets")
    for number, cells in P.korean_full_texts(root):
        if not P.held_out(number):
            texts["ko"] += [c[i : i + 1500] for c in cells for i in range(0, min(len(c), 30_000), 1500)]
    for code in sorted(titles):
        t = {k: v[1] for k, v in titles[code].items()}
        if "en" in t:
            texts["en"].append(t["en"])
            for lang in ("zh", "fr"):
                if lang == "fr" and t.get(lang) and bucket(t["en"].lower(), DEV_CLASSES_ONE_IN) == 7:
                    dev.append(("title", "classification", lang, t[lang], t["en"]))
                elif t.get(lang):
                    pairs.append(("title", "classification", lang, t[lang], t["en"]))
                    texts[lang].append(t[lang])
    for title, codes in P.chinese_titles(root):
        texts["zh"].append(title)
        e = P.english_of_code(titles, codes[0])
        if e and bucket(title, 3) == 0:
            pairs.append(("class", "cnipa", "zh", title, e))
    for text, keywords in P.chinese_texts(root):
        if text in reserved:
            continue
        texts["zh"].append(text[: P.MAX_CHARS])
        halves("zh", text, "kppatent")
    for code, lang, text in P.google_abstracts(root):
        if text in reserved:
            continue
        texts[lang].append(text[: P.MAX_CHARS])
        halves(lang, text, "google-abstracts")
        e = P.english_of_code(titles, code)
        if e and lang != "en" and bucket(text, 4) == 0:
            pairs.append(("class", "google-abstracts", lang, text[:800], e))
    for lang, foreign, english in P.similarity_triples(root):
        if foreign in reserved or english in reserved:
            continue
        pairs.append(("document", "similarity", lang, foreign[: P.MAX_CHARS], english[: P.MAX_CHARS]))
        texts[lang].append(foreign[: P.MAX_CHARS])
        texts["en"].append(english[: P.MAX_CHARS])
    for document, lang, foreign, english in P.european_pairs(root):
        if reserved.title(document):
            continue
        if bucket(document.lower(), DEV_EUROPEAN_ONE_IN) == 1:
            dev.append(("european", "european", lang, foreign, english))
            continue
        pairs.append(("title" if len(english) < 150 else "document", "european", lang, foreign, english))
        texts[lang].append(foreign)
        texts["en"].append(english)
    for title, abstract, codes in P.english_texts(root):
        if abstract in reserved or reserved.title(title):
            continue
        texts["en"] += [t for t in (title, abstract) if t]
        if title and abstract:
            pairs.append(("document", "english", "en", abstract[: P.MAX_CHARS], title))
    for title, abstract, passages in P.english_full_texts(root):
        if abstract in reserved or reserved.title(title):
            continue
        texts["en"] += passages
        pairs.extend(("passage", "full-texts", "en", passage, f"{title}. {abstract}"[:800]) for passage in passages)
    for path in sorted((root / "JP").rglob("*")):
        if path.suffix in (".xml", ".json") and path.is_file():
            body = P.clean(P.read_text(path))
            texts["ja"] += [body[i : i + 1500] for i in range(0, len(body), 1500) if P.guess_language(body[i : i + 1500]) == "ja"]
    for lang in ("ko", "ja", "en"):
        for text in sorted(set(texts[lang])):
            if len(text) > 300:
                halves(lang, text, "texts")
    for lang in ("ko", "ja", "zh"):
        pairs += [("term", "glosses", lang, t, e) for t, e in P.glosses(texts[lang], lang)]
    return sorted(set(pairs)), {k: sorted(set(v)) for k, v in sorted(texts.items())}, records, sorted(set(dev))


def collect(data, out, seed=1, made_groups=0):
    rng = random.Random(seed)
    out.mkdir(parents=True, exist_ok=True)
    reserved = Reserved(data / "evaluation/citations/docs.jsonl.gz")
    special, texts, records, special_dev = in_domain(data / "patents", rng, reserved)
    general, dev = parallel(data, out, rng, Familiar(texts["en"]))
    dev += special_dev
    lexicon = compose.Lexicon([p[1:] for p in general if p[1] in ("dict-wiktionary", "dict-cedict")], frequency())
    groups = enumerate(compose.groups(lexicon, made_groups, seed))
    made = [("made", str(n), lang, foreign, english) for n, (lang, group) in groups for foreign, english in group]
    with open(out / "pairs.tsv", "w", encoding="utf-8") as f:
        for p in general + special + made:
            f.write("\t".join(p) + "\n")
    with open(out / "dev.tsv", "w", encoding="utf-8") as f:
        for p in dev:
            f.write("\t".join(p) + "\n")
    with open(out / "texts.tsv", "w", encoding="utf-8") as f:
        for lang, lines in texts.items():
            for line in lines:
                f.write(f"{lang}\t{line}\n")
    (out / "kipris.json").write_text(json.dumps(records, ensure_ascii=False), "utf-8")
    counts = Counter((p[0], p[1], p[2]) for p in general + special)
    for key, n in sorted(counts.items()):
        print(n, *key, flush=True)
    print("made", len(made))
    print("dev", sorted(Counter((p[0], p[2]) for p in dev).items()))
    print("texts", {k: (len(v), sum(map(len, v))) for k, v in texts.items()})
    print("kipris", len(records), sum(r["held_out"] for r in records))


if __name__ == "__main__":
    import sys

    collect(Path(sys.argv[1]), Path(sys.argv[2]))
