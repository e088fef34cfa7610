"""The vocabulary: unigram pieces fitted on script runs, with dictionary headwords added as whole pieces."""

import math
from collections import Counter
from pathlib import Path

import sentencepiece as spm

from familiar import Familiar
from tokenizer import CLASS_NAMES, DIGIT, HAN, HANGUL, KATAKANA, LATIN, MARKED, WORD_START, Tokenizer, char_class, runs

HEADWORD_LENGTHS = {HAN: (2, 4), KATAKANA: (2, 10), HANGUL: (2, 6)}
PRIORITY = {"glossary-patent-terms": 4, "glosses": 4, "dict-wiktionary": 1, "dict-jmdict": 1, "dict-ejdict": 0.5, "dict-cedict": 0}
DOMAIN_WEIGHT = 4  # a run in a patent text counts as four in a manual


def lines(path):
    with open(path, encoding="utf-8") as f:
        for line in f:
            yield line.rstrip("\n").split("\t")


def count_runs(work):
    """Run -> weighted count over all training texts."""
    counts = Counter()
    for n, row in enumerate(lines(work / "pairs.tsv")):
        kind = row[0]
        if kind in ("class", "same", "made"):
            continue  # the same titles and abstracts are among the single texts, and nobody wrote what is made
        weight = DOMAIN_WEIGHT if kind in ("title", "document") else 1
        if kind == "sentence" and n % 2:
            continue
        for text in row[3:5]:
            for _, run in runs(text):
                counts[run] += weight
    for row in lines(work / "texts.tsv"):
        for _, run in runs(row[1]):
            counts[run] += DOMAIN_WEIGHT
    return counts


def fit_unigram(counts, work, size, threads=2):
    """SentencePiece on (run, count): digits left out, they are single pieces by definition."""
    table = work / "runs.tsv"
    with open(table, "w", encoding="utf-8") as f:
        for run, n in sorted(counts.items()):
            if char_class(run[-1]) != DIGIT and n >= 2 and len(run) <= 400:
                f.write(f"{run}\t{n}\n")
    spm.SentencePieceTrainer.train(
        input=str(table), input_format="tsv", model_prefix=str(work / "unigram"), model_type="unigram",
        vocab_size=size, max_sentencepiece_length=16, character_coverage=0.9998, add_dummy_prefix=False,
        normalization_rule_name="identity", remove_extra_whitespaces=False, split_by_unicode_script=False,
        split_by_number=False, shuffle_input_sentence=False, num_threads=threads, max_sentence_length=4192,
        bos_id=-1, eos_id=-1, unk_id=0, minloglevel=1)
    pieces = {}
    for row in lines(work / "unigram.vocab"):
        piece, score = row[0], float(row[1])
        if piece != "<unk>" and piece != WORD_START:
            pieces[piece] = round(score * 1024)
    return pieces


def headwords(work, counts):
    """Dictionary and glossary words that may become pieces, the most useful first."""
    seen = Counter()
    familiar = Familiar(row[1] for row in lines(work / "texts.tsv") if row[0] == "en")
    rank = {}
    for row in lines(work / "pairs.tsv"):
        if row[0] != "term" or row[1] not in PRIORITY:
            continue
        worth = PRIORITY[row[1]] + math.log2(1 + familiar(row[4])) / 4
        for k, run in runs(row[3]):
            low, high = HEADWORD_LENGTHS.get(k, (1, 0))
            if low <= len(run) <= high:
                rank[run] = max(rank.get(run, 0), worth)
    # how often a word occurs anywhere inside the texts, counted over runs
    known = set(rank)
    for run, n in counts.items():
        k = char_class(run[-1])
        if k in HEADWORD_LENGTHS:
            high = HEADWORD_LENGTHS[k][1]
            for i in range(len(run)):
                for j in range(i + 2, min(len(run), i + high) + 1):
                    if run[i:j] in known:
                        seen[run[i:j]] += n
    return sorted(rank, key=lambda w: (-(rank[w] >= 4), -math.log2(1 + seen[w]) - 2 * rank[w], w))


def build(work, base_size, total):
    """Returns [(piece, integer score)], the id being the position; written to vocab.tsv."""
    counts = count_runs(work)
    pieces = fit_unigram(counts, work, base_size)
    digit_score = round(math.log(0.002) * 1024)
    for d in "0123456789":
        pieces[d] = digit_score
    # every letter that occurs stays expressible
    for run, n in counts.items():
        if n >= 3:
            for ch in run:
                pieces.setdefault(ch, -18 * 1024)
    base = Tokenizer(sorted(pieces.items()))
    added = 0
    for word in headwords(work, counts):
        if len(pieces) >= total:
            break
        if word in pieces:
            continue
        split = base.best_score(word)
        pieces[word] = (split if split is not None else -20 * 1024) + 1
        added += 1
    result = sorted(pieces.items(), key=lambda p: (char_class(p[0][-1]), -p[1], p[0]))
    with open(work / "vocab.tsv", "w", encoding="utf-8") as f:
        for piece, score in result:
            f.write(f"{piece}\t{score}\n")
    by_class = Counter(CLASS_NAMES[char_class(p[-1])] for p, _ in result)
    print("pieces", len(result), "added headwords", added, dict(by_class), flush=True)
    return result


def load(path):
    return [(row[0], int(row[1])) for row in lines(path)]


if __name__ == "__main__":
    import sys

    build(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
