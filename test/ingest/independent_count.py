"""
Counts publications and their parts in the offices' documents with lxml, csv and json only, for comparison with the
readers' counts. Prints JSON: {format: {part: count}}.

    python3 independent_count.py ../shared/data/patents
"""

import csv
import gzip
import io
import json
import re
import sys
from pathlib import Path

from lxml import etree

FIVE = {"US", "KR", "JP", "CN", "EP"}
PARSER = dict(load_dtd=False, resolve_entities=False, no_network=True, recover=True, huge_tree=True)


def content(path):
    data = path.read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def roots(path):
    """The documents of a file, which may contain several."""
    for part in re.split(rb"(?=<\?xml\s)", content(path)):
        part = part.strip(b"\xef\xbb\xbf\r\n \t\0")
        if part.startswith(b"<"):
            root = etree.fromstring(part, etree.XMLParser(**PARSER))
            if root is not None:
                yield root


def find(element, path):
    """Descendants by local names: `a/b` is a child b of any a."""
    *above, last = path.split("/")
    found = []
    for one in element.iter():
        at, steps = one, list(above)
        while name(one) == last and steps and at.getparent() is not None and name(at.getparent()) == steps[-1]:
            at, _ = at.getparent(), steps.pop()
        if name(one) == last and not steps and one is not element:
            found.append(one)
    return found


def text(element):
    return "".join(element.itertext()).strip()


def has(element, path):
    return any(text(found) for found in find(element, path))


def name(element):
    """Local name, also for an undeclared prefix; empty for comments."""
    return re.sub(r"^({.*}|[\w.-]+:)", "", element.tag) if isinstance(element.tag, str) else ""


def tally(counts, format_name, **parts):
    own = counts.setdefault(format_name, {})
    for part, value in {"publications": 1, **parts}.items():
        own[part] = own.get(part, 0) + int(value)


def xml_formats(folder, counts):
    layouts = {
        "ep-patent-document": dict(
            title="B540/B542", abstract="ep-patent-document/abstract", published="B140/date", applicants="B700/B710/B711/snm|B700/B730/B731/snm",
            inventors="B721/snm", ipc="classification-ipcr|B510/B511", description="description",
        ),
        "jp-official-gazette": dict(
            title="invention-title", abstract="abstract", published="publication-reference/document-id/date",
            applicants="applicant", inventors="inventor", ipc="main-clsf", description="description",
        ),
        "cn-patent-document": dict(
            title="invention-title", abstract="abstract", published="cn-publication-reference/document-id/date",
            applicants="cn-applicant", inventors="cn-inventor", ipc="classification-ipcr", description="description",
        ),
        "PatentDocumentAndRelated": dict(
            title="InventionTitle", abstract="Abstract", published="PublicationReference/DocumentID/Date",
            applicants="Applicant", inventors="Inventor", ipc="ClassificationIPCR", description="Description",
        ),
    }
    for place in ["EP/ep-patent-document", "JP/jp-official-gazette", "CN/cn-patent-document", "CN/st96-business"]:
        for path in sorted((folder / place).iterdir()):
            for root in roots(path):
                layout = layouts.get(name(root))
                if layout is None:
                    continue
                own = {}
                for part, paths in layout.items():
                    if part == "abstract" and "/" in paths:
                        own[part] = any(name(child) == "abstract" and text(child) for child in root)
                    else:
                        own[part] = any(has(root, each) for each in paths.split("|"))
                lists = [child for child in root if name(child) in ("claims", "Claims")]
                lists += [child for body in root if name(body) == "application-body" for child in body if name(child) == "claims"]
                main = [one for one in lists if one.get("lang", "").lower() == root.get("lang", "").lower()] or lists[:1]
                own["claims"] = sum(1 for one in main for child in one if name(child) in ("claim", "Claim"))
                format_name = "cn-st96" if name(root) == "PatentDocumentAndRelated" else name(root)
                tally(counts, format_name, **own)


def docdb(folder, counts):
    for place in ["EP/ops-xml", "WO/docdb"]:
        for path in sorted((folder / place).iterdir()):
            if path.suffix not in (".xml", ".gz") or not content(path).lstrip().startswith(b"<"):
                continue
            for root in roots(path):
                documents = find(root, "exchange-document") or ([root] if name(root) == "exchange-document" else [])
                for one in documents:
                    title, abstract = has(one, "invention-title"), has(one, "abstract")
                    if one.get("country") in FIVE and (title or abstract):
                        # Both are optional, and may exist in one language only.
                        tally(counts, "docdb", title=title, abstract=abstract)
                for one in find(root, "fulltext-document"):
                    country = "".join(text(found) for found in find(one, "country")[:1]) or one.get("country")
                    if country in FIVE:
                        tally(counts, "docdb", description=has(one, "description"))


def kipris_xml(folder, counts):
    for path in sorted((folder / "KR/kipris-xml").iterdir()):
        for root in roots(path):
            for record in find(root, "PatentUtilityInfo"):
                for number, date in [("OpeningNumber", "OpeningDate"), ("RegistrationNumber", "PublicDate")]:
                    if has(record, number):
                        tally(
                            counts, "kipris-xml", title=has(record, "InventionName"), abstract=has(record, "Abstract"),
                            published=has(record, date), applicants=has(record, "Applicant"),
                            ipc=has(record, "InternationalpatentclassificationNumber"),
                        )


def kipris_tables(folder, counts):
    def rows(table):
        for path in sorted((folder / "KR/kipris-bulk-txt").iterdir()):
            if f"__{table}.txt" in path.name:
                lines = content(path).decode("utf-8").split("\n")
                columns = lines[0].lstrip("\ufeff").split("¶")
                for line in lines[1:]:
                    if line:
                        yield dict(zip(columns, line.split("¶")))

    abstracts = {row["출원번호"] for row in rows("Abstract") if row["초록"].strip()}
    claims = {}
    for row in rows("Claim"):
        found = re.findall(r"<claim [^>]*>.*?</claim>", row["청구항"], re.I | re.S)
        claims[row["출원번호"]] = sum(1 for claim in found if 'status="D"' not in claim)
    for row in rows("Bibliographic"):
        numbers = [number for number in (row["공개번호"].strip(), row["등록번호"].strip()) if number]
        for at, _ in enumerate(numbers):
            is_latest = at == len(numbers) - 1
            tally(
                counts, "kipris-tables", title=bool(row["발명의명칭(국문)"].strip()), abstract=row["출원번호"] in abstracts,
                claims=claims.get(row["출원번호"], 0) if is_latest else 0,
            )


def tables(folder, counts):
    for path in sorted([*(folder / "CN/cnipa-csv").iterdir(), *(folder / "CN/csv").iterdir()]):
        data = content(path)
        try:
            decoded = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            decoded = data.decode("gb18030")
        reader = csv.reader(io.StringIO(decoded, newline=""))
        head = next(reader, [])
        known = {"authorization_notice_id": ("name", "patentee", "Int.Cl."), "公开(公告)号": ("标题", "申请人", "IPC")}
        number = next((column for column in known if column in head), "id" if "priorityDate" in head else None)
        if number is None:
            continue
        title, applicant, ipc = known.get(number, ("title", "assignee", None))
        for row in reader:
            cells = dict(zip(head, row))
            if cells.get(number, "").strip():
                tally(
                    counts, "export-table", title=bool(cells.get(title, "").strip()),
                    applicants=bool(cells.get(applicant, "").strip()), ipc=bool(ipc and cells.get(ipc, "").strip(" []")),
                )


def main():
    folder = Path(sys.argv[1])
    counts = {}
    for count in (xml_formats, docdb, kipris_xml, kipris_tables, tables):
        count(folder, counts)
    print(json.dumps(counts, indent=2))


main()
