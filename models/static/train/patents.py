"""In-domain texts and pairs from the patent data: titles, abstracts, claims, classification titles, glosses.

Every reader yields plain tuples. The held-out third of the KIPRIS records (sha256 of the application
number's digits, modulo 3 == 0) never leaves `kipris_records` towards training: its numbers and titles
are also struck out of every other source.
"""

import csv
import gzip
import hashlib
import html
import io
import json
import re
import tarfile
import zipfile
from collections import defaultdict
from functools import lru_cache
from pathlib import Path

csv.field_size_limit(10**9)
TAG = re.compile(r"<[^>]*>")
SPACE = re.compile(r"\s+")
HANGUL = re.compile(r"[가-힣]")
KANA = re.compile(r"[ぁ-ヿ]")
HAN = re.compile(r"[一-鿿]")
LATIN = re.compile(r"[A-Za-z]")
MAX_CHARS = 2000


def clean(text):
    """Mark-up out, entities resolved, white space folded."""
    return SPACE.sub(" ", html.unescape(TAG.sub(" ", text or ""))).strip()


def held_out(application_number):
    """True where a Korean application belongs to the evaluation third."""
    digits = re.sub(r"\D", "", application_number)
    return int(hashlib.sha256(digits.encode()).hexdigest(), 16) % 3 == 0


def read_bytes(path):
    return gzip.open(path).read() if str(path).endswith(".gz") else Path(path).read_bytes()


def read_text(path, encoding="utf-8-sig"):
    return read_bytes(path).decode(encoding, "replace")


def read_csv(path, encoding="utf-8-sig"):
    return list(csv.reader(io.StringIO(read_text(path, encoding))))


def listed(value):
    if value is None or value == "":
        return []
    return value if isinstance(value, list) else [value]


def guess_language(text):
    """Language of a patent text by script, good enough for titles and abstracts."""
    n = len(text) or 1
    if len(HANGUL.findall(text)) > 0.15 * n:
        return "ko"
    if len(KANA.findall(text)) > 0.08 * n:
        return "ja"
    if len(HAN.findall(text)) > 0.2 * n:
        return "zh"
    if len(LATIN.findall(text)) < 0.5 * n:
        return None
    words = set(re.findall(r"[a-zäöüßéèàê]+", text.lower()))
    if len(words & {"der", "die", "das", "und", "mit", "eine", "ein", "zur", "wird"}) >= 2:
        return "de"
    if len(words & {"le", "la", "les", "des", "une", "est", "dans", "pour", "dispositif"}) >= 3:
        return "fr"
    return "en" if words & {"the", "a", "an", "of", "and", "for", "with"} else None


def kipris_records(root):
    """KIPRIS detail JSON -> dicts {number, title, title_en, abstract, claims, ipc, held_out}, by number."""
    out = {}
    with tarfile.open(root / "KR/kipris-json/77eileen.tar.gz") as tar:
        for member in tar:
            if not member.name.endswith(".json"):
                continue
            d = json.load(tar.extractfile(member))
            info = d["biblioSummaryInfoArray"]["biblioSummaryInfo"]
            number = re.sub(r"\D", "", info["applicationNumber"])
            abstracts = listed((d.get("abstractInfoArray") or {}).get("abstractInfo"))
            claims = ((d.get("claims") or {}).get("first_version") or {}).get("claims") or []
            out[number] = {
                "number": number,
                "title": clean(info["inventionTitle"]),
                "title_en": clean(info["inventionTitleEng"]),
                "abstract": clean(" ".join(a.get("astrtCont") or "" for a in abstracts)),
                "claims": [c for c in (clean(c.get("text")) for c in claims) if c],
                "ipc": [i.get("ipcNumber", "") for i in listed((d.get("ipcInfoArray") or {}).get("ipcInfo"))],
                "held_out": held_out(number),
            }
    return [out[n] for n in sorted(out)]


def korean_sets(root):
    """Other Korean patents: (application number or '', title, title_en, [texts], [codes])."""
    for row in read_csv(root / "KR/csv/NGT50__ipc_분류데이터.csv.gz")[1:]:
        if len(row) >= 3:
            code = re.sub(r"-0*", " ", row[1])
            yield "", clean(row[2]), "", [clean(row[0])], [code]
    for row in read_csv(root / "KR/csv/knowmetoowell__개인과제data2.csv.gz")[1:]:
        if len(row) >= 6:
            yield "", clean(row[2]), "", [clean(row[3])], row[5].split(";")
    for row in read_csv(root / "KR/csv/mgyokim__인천대학교(인천).csv.gz")[1:]:
        m = re.match(r"^(.*?[가-힣][^a-z]*?)\(([^가-힣]{8,})\)\s*$", row[0]) if row else None
        if m:
            codes = re.findall(r"[A-H]\d\d[A-Z] ?\d+/\d+", row[1])
            yield row[3], clean(m[1]), clean(m[2]), [clean(t) for t in row[11:] if len(t) > 40], codes
    number = None
    titles, texts = {}, defaultdict(list)
    bulk = root / "KR/kipris-bulk-txt"
    for name in ("Bibliographic.txt", "Abstract.txt", "Claim.txt.gz"):
        for line in read_text(bulk / f"yc-song__{name}").split("\n"):
            f = line.split("¶")
            if not re.fullmatch(r"\d{13}", f[0].strip()):
                if number and name != "Bibliographic.txt":
                    texts[number].append(clean(line))
                continue
            number = f[0].strip()
            if name == "Bibliographic.txt" and len(f) > 17:
                titles[number] = (clean(f[16]), clean(f[17])) if LATIN.search(f[17]) else (clean(f[16]), "")
            else:
                texts[number].append(clean("¶".join(f[1:])))
    for number in sorted(texts):
        title, title_en = titles.get(number, ("", ""))
        yield number, title, title_en, [" ".join(texts[number])[:MAX_CHARS]], []
    for path in sorted((root / "KR/kipris-xml").glob("*")):
        for item in re.findall(r"<PatentUtilityInfo>(.*?)</PatentUtilityInfo>", read_text(path), re.S):
            got = dict(re.findall(r"<(\w+)>(.*?)</\1>", item, re.S))
            codes = got.get("InternationalpatentclassificationNumber", "").split("|")
            yield (got.get("ApplicationNumber", ""), clean(got.get("InventionName")), "",
                   [clean(got.get("Abstract"))], codes)


def korean_full_texts(root):
    """Descriptions from two spreadsheets: (application number, [cell texts])."""
    for name in ("extracted_data_formatted", "sample_data"):
        with zipfile.ZipFile(root / f"KR/kipris-bulk-txt/yc-song__{name}.xlsx") as z:
            sheet = z.read("xl/worksheets/sheet1.xml").decode("utf-8", "replace")
        for row in re.findall(r"<row.*?</row>", sheet, re.S):
            cells = [clean(c) for c in re.findall(r"<t[^>]*>(.*?)</t>", row, re.S)]
            number = next((c for c in cells if re.fullmatch(r"\d{13}", c)), None)
            numbers = re.findall(r"<v>(\d{13})</v>", row)
            number = number or (numbers[0] if numbers else None)
            if number:
                yield number, [c for c in cells if len(c) > 30]


@lru_cache(maxsize=None)
def classification(root):
    """Code -> {lang: title}. Main groups as 'A01B 1', subgroups as 'A01B 1/02'."""
    titles = defaultdict(dict)
    strip = re.compile(r"\((?=[^()]*[A-H]\d\d)[^()]*\)|\{|\}")
    tar = tarfile.open(root / "CLASS/cpc-title-list-202202/wonkicho.tar.xz")
    for member in tar:
        if member.isfile():
            for line in tar.extractfile(member).read().decode("utf-8", "replace").split("\n"):
                f = line.split("\t")
                m = re.fullmatch(r"([A-HY]\d\d[A-Z])(\d+)/(\d+)", f[0])
                if m and len(f) >= 3:
                    titles[f"{m[1]} {m[2]}/{m[3]}"]["en"] = (int(f[1] or 0), clean(strip.sub("", f[2])))
    for name, lang in (("labels_group_id_6-2", "en"), ("labels_group_id_6", "fr"),
                       ("labels_group_id_4-2", "en"), ("labels_group_id_4", "fr")):
        for row in read_text(root / f"CLASS/ipc-titles-en-fr/ZoeYou__{name}.tsv").split("\n")[1:]:
            f = row.split("\t")
            if len(f) == 2:
                titles["IPC " + f[0]][lang] = (0, clean(strip.sub("", f[1])))
    tar = tarfile.open(root / "CLASS/ipc-titles-zh/Jingyou-design.tar.xz")
    for member in tar:
        if member.isfile() and member.name.endswith(".txt"):
            for line in tar.extractfile(member).read().decode("utf-8", "replace").split("\n"):
                m = re.match(r"^([A-H]\d\d[A-Z])(\d+)/(\d+)\s+(\S.*)$", line)
                if m:
                    titles[f"{m[1]} {m[2]}/{m[3]}"]["zh"] = (0, clean(re.sub(r"[（(][^（）()]*[A-H]\d\d[^（）()]*[）)]", "", m[4])))
            head = re.search(r"([A-H]\d\d[A-Z])(\d+)_00_([^/]+)\.txt$", member.name)
            if head:
                titles[f"{head[1]} {head[2]}/00"]["zh"] = (0, clean(head[3]))
    return titles


def normal_code(code):
    """'B60S 3/044 (2006.01)', 'H10N10/00' -> 'B60S 3/044'."""
    m = re.match(r"\s*([A-H]\d\d[A-Z])\s*0*(\d+)/(\d+)", code)
    return f"{m[1]} {m[2]}/{m[3]}" if m else None


def english_of_code(titles, code):
    """English words of a code: main group's title and its own."""
    code = normal_code(code)
    if not code:
        return None
    own = titles.get(code, {}).get("en", (0, ""))[1]
    main = titles.get(code.split("/")[0] + "/00", {}).get("en", (0, ""))[1]
    both = main if own == main or not own else f"{main}; {own}"
    return both or None


def chinese_titles(root):
    """(title, [codes]) of gazette lists (GB18030)."""
    for path in sorted((root / "CN/cnipa-csv").glob("*")):
        if "appearance" in path.name:
            continue
        for row in read_csv(path, "gb18030")[1:]:
            if len(row) >= 10 and HAN.search(row[1]):
                yield clean(row[1]), row[9].replace("??", "").split(";")


def chinese_texts(root):
    for name in ("data_A", "test_data_TAC"):
        for item in json.loads(read_text(root / f"CN/kppatent-zh/tanggongbo__{name}.json.gz")):
            yield clean(item["input"]), [k for k in item["output"].split(",") if k]


def google_abstracts(root):
    """(class code, language, abstract)."""
    tar = tarfile.open(root / "MIXED/google-patents-abstracts/Getttttttt.tar.xz")
    seen = set()
    for member in tar:
        if not member.isfile():
            continue
        code = re.search(r"Class([A-H]\d\d[A-Z])(\d+)-(\d+)", member.name)
        for part in tar.extractfile(member).read().decode("utf-8", "replace").split("id-"):
            text = clean(part.partition("abstract-")[2])
            if len(text) > 40 and text not in seen:
                seen.add(text)
                lang = guess_language(text)
                if lang:
                    yield (f"{code[1]} {code[2]}/{code[3]}" if code else ""), lang, text


def similarity_triples(root):
    """Pairs of one abstract in two languages: (lang, text, english or chinese, pivot language)."""
    base = root / "MIXED/cross-language-similarity"
    for row in read_csv(base / "ChaneMo__title_abstract_classification_testset.csv.gz")[1:]:
        if len(row) >= 2:
            yield "zh", clean(row[1].replace("|", " ")), clean(row[0].replace("|", " "))
    for name in ("dev.csv", "train.csv.gz", "title_abstract_dev_data.csv", "title_abstract_test_data.csv"):
        for row in read_csv(base / f"ChaneMo__{name}")[1:]:
            if len(row) == 3 and float(row[2]) == 0:  # 0 marks a translation here
                a, b = clean(row[0].replace("|", " ")), clean(row[1].replace("|", " "))
                for x, y in ((a, b), (b, a)):
                    if guess_language(x) == "en" and guess_language(y) in ("zh", "ko", "ja", "de", "fr"):
                        yield guess_language(y), y, x


def european_pairs(root):
    """(English title of the document, lang, german or french, english): titles and claims of EP documents."""
    for path in sorted((root / "EP/ep-patent-document").glob("*.xml*")) + sorted((root / "EP/marec").glob("*")):
        text = read_text(path)
        titles = dict((a.lower(), clean(b)) for a, b in re.findall(r"<B541>(\w\w)</B541>\s*<B542>(.*?)</B542>", text, re.S))
        titles.update((a.lower(), clean(b)) for a, b in re.findall(r'<invention-title[^>]*lang="(\w\w)"[^>]*>(.*?)</invention-title>', text, re.S))
        claims = {}
        for lang, body in re.findall(r'<claims[^>]*lang="(\w\w)"[^>]*>(.*?)</claims>', text, re.S):
            claims[lang.lower()] = [clean(c)[:MAX_CHARS] for c in re.findall(r"<claim\b[^>]*>(.*?)</claim>", body, re.S)]
        for lang in ("de", "fr"):
            if lang in titles and "en" in titles:
                yield titles["en"], lang, titles[lang], titles["en"]
            if lang in claims and len(claims[lang]) == len(claims.get("en", ())):
                yield from ((titles.get("en", ""), lang, a, b) for a, b in zip(claims[lang], claims["en"]))


def english_texts(root):
    """English titles with abstracts: (title, abstract, [codes])."""
    tar = tarfile.open(root / "US/cs3245-patsnap/sanlil.tar.xz")
    for member in tar:
        if member.isfile() and member.name.endswith(".xml"):
            text = tar.extractfile(member).read().decode("utf-8", "replace")
            got = {k: clean(v) for k, v in re.findall(r'<str name="([^"]*)">(.*?)</str>', text, re.S)}
            yield got.get("Title", ""), got.get("Abstract", ""), got.get("All IPC", "").split("|")
    for path in sorted((root / "US/us-patent-grant-v4").glob("*")) + sorted((root / "US/us-patent-application-v4").glob("*")):
        for doc in re.split(r"(?=<\?xml )", read_text(path)):
            title = re.search(r"<invention-title[^>]*>(.*?)</invention-title>", doc, re.S)
            abstract = re.search(r"<abstract[^>]*>(.*?)</abstract>", doc, re.S)
            claims = re.findall(r"<claim-text>(.*?)</claim-text>", doc, re.S)[:10]
            if title and abstract:
                yield clean(title[1]), clean(abstract[1]), []
                for c in claims:
                    yield "", clean(c), []
    for line in (root / "DERIVED/pap2pat_pairs.tsv").read_text("utf-8").split("\n")[1:]:
        f = line.split("\t")
        if len(f) >= 7:
            yield clean(f[4]), clean(f[5]), []


PASSAGES_A_TEXT = 40
PASSAGE_CHARS = 1200


def english_full_texts(root):
    """English patents with descriptions: (title, abstract, passages spread over the description)."""

    def paragraphs(section):
        yield from (clean(p) for p in section.get("paragraphs", ()))
        for part in [*section.get("sections", ()), *section.get("subsections", ())]:
            yield from paragraphs(part)

    with tarfile.open(root / "US/pap2pat/pap2pat.tar.gz") as tar:
        for member in sorted((m for m in tar if m.name.endswith("patent.json")), key=lambda m: m.name):
            d = json.load(tar.extractfile(member))
            yield clean(d["title"]), clean(d["abstract"]), passages(paragraphs(d))
    for path in sorted((root / "US/us-patent-grant-v4").glob("*")) + sorted((root / "US/us-patent-application-v4").glob("*")):
        for doc in re.split(r"(?=<\?xml )", read_text(path)):
            title = re.search(r"<invention-title[^>]*>(.*?)</invention-title>", doc, re.S)
            abstract = re.search(r"<abstract[^>]*>(.*?)</abstract>", doc, re.S)
            description = re.search(r"<description[^>]*>(.*)</description>", doc, re.S)
            if title and abstract and description:
                body = re.findall(r"<p\b[^>]*>(.*?)</p>", description[1], re.S)
                yield clean(title[1]), clean(abstract[1]), passages(clean(p) for p in body)


def passages(paragraphs):
    """Paragraphs joined to passages of some length; of many passages an even choice."""
    out, now = [], ""
    for paragraph in paragraphs:
        now = f"{now} {paragraph}".strip()
        if len(now) >= PASSAGE_CHARS // 2:
            out.append(now[:PASSAGE_CHARS])
            now = ""
    step = max(1, len(out) / PASSAGES_A_TEXT)
    return [out[int(i * step)] for i in range(min(len(out), PASSAGES_A_TEXT))]


GLOSS = re.compile(r"([가-힣ァ-ヺー一-鿿]{2,14}(?: [가-힣]{2,10})?)\s?[(（]([A-Za-z][A-Za-z\- ]{2,48}[a-z])[)）]")


def glosses(texts, lang):
    """Terms explained in brackets inside a patent text: 하이드로겔(hydrogel) -> ('하이드로겔', 'hydrogel')."""
    counts = defaultdict(int)
    for text in texts:
        for term, english in GLOSS.findall(text):
            if 3 <= len(english) <= 45 and (lang != "zh" or len(term) <= 6) and (lang != "ja" or len(term) <= 10):
                counts[term.split(" ")[-1] if lang == "ko" and " " in term and " " not in english.strip() else term, english.strip().lower()] += 1
    return sorted(counts)
