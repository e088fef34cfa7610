"""The example patents and questions of fixtures/, cut into passages much as the program cuts them."""

import io
import json
import re
import zipfile
from pathlib import Path

from patents import clean, listed

LATIN_CHARS, WIDE_CHARS = 1200, 500
WIDE = re.compile(r"[ᄀ-ᇿ⺀-퟿豈-﫿＀-￯]")


def documents(folder):
    """{patent_id: (titles, passages)} of every publication that the questions are judged against."""
    found = {}
    for path in sorted((folder / "jsonl").glob("*.jsonl")):
        for line in path.read_text("utf-8").split("\n"):
            if line:
                json_lines(json.loads(line), found)
    for path in sorted((folder / "kr").glob("*.json")):
        kipris(json.loads(path.read_text("utf-8")), found)
    texts = [p.read_text("utf-8") for p in sorted((folder / "us").rglob("*")) if p.suffix.lower() == ".xml"]
    for path in sorted((folder / "us").glob("*.ZIP")):
        texts += zipped(path.read_bytes())
    for text in texts:
        for document in re.split(r"(?=<\?xml )", text):
            red_book(document, found)
    return found


def zipped(data):
    """The XML of an archive of archives."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in sorted(archive.namelist()):
            if name.lower().endswith(".zip"):
                yield from zipped(archive.read(name))
            elif name.lower().endswith(".xml"):
                yield archive.read(name).decode("utf-8")


def json_lines(d, found):
    number = d.get("patent_id") or d["country"] + re.sub(r"\D", "", d["publication_number"]).zfill(8) + d["kind_code"]
    claims = [c if isinstance(c, str) else c["text"] for c in d.get("claims", [])]
    description = [
        p["text"] if isinstance(p, dict) else p
        for section in listed(d.get("description"))
        for p in (section.get("paragraphs", []) if isinstance(section, dict) else [section])]
    titles = list(dict.fromkeys([d.get("title", ""), *d.get("titles", {}).values()]))
    put(found, number, titles, [d.get("abstract", ""), *d.get("abstracts", {}).values()], [claims], description)


def kipris(d, found):
    info = d["biblioSummaryInfoArray"]["biblioSummaryInfo"]
    abstracts = [clean(a.get("astrtCont")) for a in listed((d.get("abstractInfoArray") or {}).get("abstractInfo"))]
    titles = [clean(info["inventionTitle"]), clean(info["inventionTitleEng"])]
    utility = re.sub(r"\D", "", info["applicationNumber"]).startswith("20")
    for field, version, kind in (("openNumber", "first", "U" if utility else "A"), ("registerNumber", "last", "Y1" if utility else "B1")):
        number = re.sub(r"\D", "", info.get(field) or "")
        claims = ((d.get("claims") or {}).get(f"{version}_version") or {}).get("claims") or []
        if number:
            put(found, f"KR{number}{kind}", titles, abstracts, [[clean(c.get("text")) for c in claims]], [])


def red_book(xml, found):
    reference = re.search(r"<publication-reference>.*?<doc-number>(.*?)</doc-number>\s*<kind>(.*?)</kind>", xml, re.S)
    title = re.search(r"<invention-title[^>]*>(.*?)</invention-title>", xml, re.S)
    if not reference or not title:
        return
    part = {name: (re.search(rf"<{name}[^>]*>(.*?)</{name}>", xml, re.S) or [""] * 2)[1] for name in ("abstract", "claims", "description")}
    claims = [clean(c) for c in re.findall(r"<claim\b[^>]*>(.*?)</claim>", part["claims"], re.S)]
    paragraphs = [clean(p) for p in re.findall(r"<p\b[^>]*>(.*?)</p>", part["description"], re.S)]
    put(found, f"US{reference[1]}{reference[2]}", [clean(title[1])], [clean(part["abstract"])], [claims], paragraphs)


def put(found, number, titles, abstracts, claims, description):
    titles = [t for t in dict.fromkeys(titles) if t]
    passages = [a for a in dict.fromkeys(abstracts) if a] or titles[:1]
    for texts in [*claims, description]:
        passages += packed([t for t in texts if t])
    found[number] = ("\n".join(titles), passages)


def packed(texts):
    """Texts joined to passages that fill a window of the program's (src/ingest/passages.ts)."""
    out, now, fill = [], [], 0.0
    for text in texts:
        wide = len(WIDE.findall(text))
        size = (len(text) - wide) / LATIN_CHARS + wide / WIDE_CHARS
        if now and fill + size > 1:
            out.append("\n".join(now))
            now, fill = [], 0.0
        now.append(text)
        fill += size
    return [*out, "\n".join(now)] if now else out


def questions(folder):
    """[(id, text, {patent_id: grade})]"""
    judged = {}
    for line in (folder / "qrels.txt").read_text("utf-8").split("\n"):
        if line:
            question, _, document, grade = line.split()
            judged.setdefault(question, {})[document] = int(grade)
    rows = (line.split("\t") for line in (folder / "queries.tsv").read_text("utf-8").split("\n")[1:] if line)
    return [(r[0], r[2], judged.get(r[0], {})) for r in rows]


if __name__ == "__main__":
    root = Path(__file__).parents[3] / "fixtures"
    have, asked = documents(root), questions(root)
    missing = {d for _, _, g in asked for d in g if d not in have}
    print(len(have), "documents", sum(len(p) for _, p in have.values()), "passages", len(asked), "questions; missing", missing)
