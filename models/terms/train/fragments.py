"""Finds short Korean terms of the table that mostly stand inside other words: 타이 (tie) in 펩타이드 (peptide).

    python fragments.py GROUPS RECORDS > fragments.tsv

GROUPS is what build.py writes, made with an empty fragments.tsv; RECORDS are JSON Lines of `priorart export`. A word that holds
the term is a compound of it if a group of the word shares an English word or a Chinese character with the term's groups, and
another word otherwise. Terms that more than SHARE of the Korean documents with their letters hold in another word only are
looked up, but translate nothing. Columns: term, documents that hold it otherwise, documents that hold it in another word only.
"""

import collections
import json
import re
import sys

SHARE = 0.6
# Of words of the table that hold a term, other words at least, and their share.
OTHERS, OTHER_SHARE = 4, 0.5
RUN = re.compile("[가-힣]+")


def groups_of(path):
    for line in open(path, encoding="utf-8"):
        yield [tuple(member.split("=", 1)) for member in line.rstrip("\n").split("\t") if "=" in member]


def senses_of(group):
    """What groups of one sense share: beginnings of English words, and Chinese characters."""
    words = (word[:5].lower() for lang, term in group if lang == "en" for word in re.findall("[A-Za-z]{3,}", term))
    return set(words) | {c for lang, term in group if lang in ("zh", "ja") for c in term if "一" <= c <= "鿿"}


def others_of(groups):
    """term -> words of the table that hold it and mean something else"""
    # Of words, those of all terms that they are in; of short terms, their own.
    senses, short = collections.defaultdict(set), collections.defaultdict(set)
    for group in groups:
        sense = senses_of(group)
        for lang, term in group:
            if lang != "ko":
                continue
            if RUN.fullmatch(term) and len(term) in (2, 3):
                short[term] |= sense
            for word in RUN.findall(term):
                senses[word] |= sense
    inside = collections.defaultdict(set)
    for word in senses:
        for length in (2, 3):
            for at in range(len(word) - length + 1):
                inside[word[at : at + length]].add(word)
    found = {}
    for term, sense in short.items():
        holding = inside[term] - {term}
        other = {word for word in holding if not senses[word] & sense}
        if len(other) >= OTHERS and len(other) >= OTHER_SHARE * len(holding):
            found[term] = other
    return found


def is_inside(run, at, term, others):
    """Whether the term at a place of a run of Hangul is within another word."""
    end = at + len(term)
    return any(
        run.startswith(word, start)
        for word in others
        for start in range(max(0, end - len(word)), at + 1)
        if start + len(word) >= end)


def main():
    groups, records = sys.argv[1:]
    others = others_of(list(groups_of(groups)))
    counts = {term: [0, 0] for term in others}
    for line in open(records, encoding="utf-8"):
        record = json.loads(line)
        if not record["patent_id"].startswith("KR"):
            continue
        runs = set(RUN.findall(f'{record.get("title") or ""} {record.get("abstract") or ""}'))
        for term, words in others.items():
            places = [(run, at.start()) for run in runs for at in re.finditer(f"(?={term})", run)]
            if places:
                counts[term][all(is_inside(run, at, term, words) for run, at in places)] += 1
    for term, (own, other) in sorted(counts.items()):
        if other > SHARE * (own + other):
            print(term, own, other, sep="\t")


if __name__ == "__main__":
    main()
