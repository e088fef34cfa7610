"""Fits one scale of similarity for every pair of languages, and what is shown as 0.5.

Judged pairs come from two pools of mixed languages: the questions of fixtures/ among its patents, and KIPRIS records
asked by English title, Korean title and first sentence among 10,000 documents of all languages (calibrate.py). A
document's score is the best of its passages' `cosine + bias`, the bias that of the pair of languages.

What is near a question whatever it asks, the mean of its best cosines with a cohort of patent texts, is partly taken
off its scores: titles are near to more texts than questions in whole sentences are. The share is the one of SHARES with
the best F1 at one threshold for all questions.

The biases come from a logistic regression of "clearly relevant" on the score, with a prior that keeps those of pairs
with few judgements near the mean of their sort (one language, or two); then each is moved towards equal recall at the
midpoint on fixtures/, so that 0.5 promises the same for every pair. 0.5 is the score with the best F1, mean
of all questions of a pool, then of the two pools; the slope is fitted with that midpoint fixed, relevant and near irrelevant pairs weighing alike.
"""

import re

import numpy as np
from scipy.optimize import minimize

import fixtures
from bag import Corpus, encode, unit

LANGUAGES = ("latin", "ko", "ja", "zh")
NEAREST = 50  # irrelevant documents of each question that count, the best
PRIOR = 0.01  # spread of the biases about the mean of their sort
SLOPES = (4, 12)  # gentle even where relevant and irrelevant are far apart: scores order documents for a reader
LOOKED_AT = 4000
LEAST = 0.05  # share of the questions of fixtures/ to which less is near than to any other question is supposed
COHORT_NEAREST = 10  # of the cohort, that count
NEARLY = 0.03  # difference of F1 that is none
FEW = 100  # judged pairs of two languages that move their bias half of the way to equal recall
PASSAGE_SCALE = 0.94  # of the vectors of passages: what is left has room for the biases
SHARES = (0, 0.5, 1, 1.25)  # more gains nothing, and moves questions to which little is near
NONE = -9.0


def language_of(text):
    """As src/embed/languages.ts tells it."""
    text = text[:LOOKED_AT]
    count = {
        "latin": len(re.findall(r"[A-Za-z\u00c0-\u024f\u0370-\u052f]", text)), "ko": len(re.findall(r"[가-힣]", text)),
        "kana": len(re.findall(r"[ぁ-ヾｦ-ﾝ]", text)), "han": len(re.findall(r"[一-鿿㐀-䶿]", text))}
    asian = count["kana"] + count["han"]
    letters = asian + count["latin"] + count["ko"]
    if count["ko"] and count["ko"] * 5 >= letters:
        return "ko"
    if not asian or asian * 5 < letters:
        return "latin"
    return "ja" if count["kana"] * 20 >= asian else "zh"


def number_of(texts):
    return np.array([LANGUAGES.index(language_of(t)) for t in texts])


class Pool:
    """Questions among documents. cosines: (questions, documents, languages), the best passage of each language."""

    def __init__(self, name, asked, cosines, relevant, unjudged, level):
        self.name, self.asked, self.own_cosines, self.level = name, asked, cosines, level
        self.cosines = cosines
        self.relevant, self.irrelevant = relevant, ~relevant & ~unjudged

    def take_off(self, share, mean, least):
        """Takes a share of what is near each question, less that of an average one, off all of its cosines.

        What is near it counts as `least` at least: a question to which nothing is near asks for no patents.
        """
        level = np.maximum(self.level, np.float32(least)) - np.float32(mean)
        self.cosines = self.own_cosines - np.float32(share) * level[:, None, None]

    def scores(self, bias):
        return (self.cosines + bias[self.asked][:, None, :]).max(2)

    def judged(self, bias, nearest=NEAREST):
        """Rows of (question, document): the relevant ones, and the best irrelevant ones of each question."""
        scores = np.where(self.irrelevant, self.scores(bias), NONE)
        best = np.argsort(-scores, axis=1)[:, :nearest]
        question = np.repeat(np.arange(len(best)), best.shape[1])
        keep = scores[question, best.ravel()] > NONE / 2
        return np.argwhere(self.relevant), np.stack([question, best.ravel()], 1)[keep]

    def f1(self, bias):
        """(thresholds, F1, precision, recall), descending by threshold."""
        scores = self.scores(bias)
        judged = self.relevant | self.irrelevant
        order = np.argsort(-scores[judged])
        hit = np.cumsum(self.relevant[judged][order])
        counted = np.arange(1, len(order) + 1)
        precision, recall = hit / counted, hit / max(1, int(self.relevant.sum()))
        return scores[judged][order], 2 * hit / (counted + self.relevant.sum()), precision, recall


def by_language(scores, owner, language, documents):
    """(questions × passages) -> (questions, documents, languages), the best of each; NONE where there is none."""
    out = np.full((len(scores), documents, len(LANGUAGES)), NONE, np.float32)
    for l in range(len(LANGUAGES)):
        mine = np.flatnonzero(language == l)
        if len(mine):
            first = np.flatnonzero(np.diff(owner[mine], prepend=-1))
            out[:, owner[mine][first], l] = np.maximum.reduceat(scores[:, mine], first, axis=1)
    return out


def nearness(questions, cohort):
    """Mean of each question's best cosines with the cohort."""
    return np.sort(questions @ cohort.T, axis=1)[:, -COHORT_NEAREST:].mean(1)


def fixture_pool(folder, tokenizer, table, share, cohort):
    def vectors(texts):
        return encode(Corpus.of([tokenizer.encode(t) for t in texts]), table)

    documents, asked = fixtures.documents(folder), fixtures.questions(folder)
    ids = sorted(documents)
    texts = [p for d in ids for p in documents[d][1]]
    owner = np.array([i for i, d in enumerate(ids) for _ in documents[d][1]])
    coloured = unit(vectors(texts) + share * vectors([documents[d][0] for d in ids])[owner])[0]
    questions = vectors([text for _, text, _ in asked])
    scores = questions @ coloured.T
    grades = np.array([[judged.get(d, 0) for d in ids] for _, _, judged in asked])
    cosines = by_language(scores, owner, number_of(texts), len(ids))
    return Pool("fixtures", number_of([text for _, text, _ in asked]), cosines, grades >= 2, grades == 1, nearness(questions, cohort))


def kipris_pools(collection, share, rows, cohort):
    """A pool a kind of question. Every document of the collection is in one language."""
    pools = []
    language = number_of(collection.texts)
    of_document = language[np.flatnonzero(np.diff(collection.owner, prepend=-1))]
    for kind, scores in collection.scores(share).items():
        cosines = np.full((len(rows), scores.shape[1], len(LANGUAGES)), NONE, np.float32)
        cosines[:, np.arange(scores.shape[1]), of_document] = scores[rows]
        relevant = np.zeros((len(rows), scores.shape[1]), bool)
        relevant[np.arange(len(rows)), collection.gold[rows]] = True
        asked = number_of([collection.asked_texts[kind][row] for row in rows])
        level = nearness(collection.queries[kind][rows], cohort)
        pools.append(Pool(kind, asked, cosines, relevant, collection.unjudged[rows] & ~relevant, level))
    return pools


def fit_biases(pools):
    """(languages of questions × languages of passages), added to cosines."""
    n = len(LANGUAGES)
    own = np.eye(n, dtype=bool)
    bias = np.zeros((n, n))
    for _ in range(3):  # which passage is a document's best depends on the biases
        parts = []
        for pool in pools:
            with_bias = pool.cosines + bias[pool.asked][:, None, :]
            for rows, weight in zip(pool.judged(bias), (1, 0)):
                at = tuple(rows.T)
                language = with_bias[at].argmax(1)
                parts.append((pool.cosines[(*at, language)], pool.asked[rows[:, 0]], language, weight, pool.relevant.sum() / max(1, len(rows))))
        cosine = np.concatenate([p[0] for p in parts]).astype(np.float64)
        pair = np.concatenate([p[1] * n + p[2] for p in parts])
        label = np.concatenate([np.full(len(p[0]), p[3]) for p in parts])
        weight = np.concatenate([np.full(len(p[0]), p[4]) for p in parts])

        def cost(x):
            midpoint, slope, across = x[0], np.exp(x[1]), x[2]
            b = x[3:]
            z = slope * (cosine + b[pair] - midpoint)
            signed = np.where(label, -z, z)
            p = weight / (1 + np.exp(-signed)) * np.where(label, -1, 1)
            off = b - np.where(own.ravel(), 0, across)
            value = (weight * np.logaddexp(0, signed)).sum() + (off**2).sum() / (2 * PRIOR**2)
            grad_b = np.bincount(pair, p * slope, n * n) + off / PRIOR**2
            return value, np.concatenate([[-(p * slope).sum(), (p * z).sum(), -(off[~own.ravel()] / PRIOR**2).sum()], grad_b])

        start = np.concatenate([[0.5, np.log(12), 0.05], bias.ravel()])
        bias = minimize(cost, start, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x[3:].reshape(n, n)
    return bias


def midpoint_of(groups, bias):
    """(score with the best F1, that F1): each question's own F1, their mean over a pool, then over pools and groups.

    Every question weighs alike, so that one with many answers does not decide for those with few. Of scores whose F1 is
    nearly the best the least is taken: more questions then count something.
    """
    grid = np.arange(0.3, 0.9, 0.005)
    means = []
    for pools in groups:
        curves = []
        for pool in pools:
            scores, judged = pool.scores(bias), pool.relevant | pool.irrelevant
            asked = np.flatnonzero(pool.relevant.any(1))
            wanted = pool.relevant[asked].sum(1)
            hits = np.where(pool.relevant, scores, NONE)[asked]
            counted = np.where(judged, scores, NONE)[asked]
            curves.append([float(np.mean(2 * (hits >= t).sum(1) / ((counted >= t).sum(1) + wanted))) for t in grid])
        means.append(np.mean(curves, axis=0))
    mean = np.mean(means, axis=0)
    return float(grid[np.flatnonzero(mean >= mean.max() - NEARLY)[0]]), float(mean.max())


def equalise(pool, bias, midpoint):
    """Moves each pair's bias so that at the midpoint as many of its clearly relevant documents count as of all.

    Pairs with few judgements move less: by count / (count + FEW) of the way.
    """
    scores = pool.scores(bias)
    language = (pool.cosines + bias[pool.asked][:, None, :]).argmax(2)
    missed = float((scores[pool.relevant] < midpoint).mean())
    moved = bias.copy()
    for k in range(len(LANGUAGES)):
        for l in range(len(LANGUAGES)):
            own = scores[pool.relevant & (language == l) & (pool.asked[:, None] == k)]
            if len(own):
                moved[k, l] += len(own) / (len(own) + FEW) * (midpoint - np.quantile(own, missed))
    return moved


def slope_of(pools, bias, midpoint):
    """By maximum likelihood with the midpoint fixed, relevant and near irrelevant pairs weighing alike."""
    margins = []  # positive where a pair is on the right side of the midpoint
    for pool in pools:
        scores = pool.scores(bias)
        for rows, sign in zip(pool.judged(bias), (1, -1)):
            margins.append(sign * (scores[tuple(rows.T)].astype(np.float64) - midpoint))

    def cost(log_slope):
        return sum(np.logaddexp(0, -np.exp(log_slope) * margin).mean() for margin in margins)

    grid = np.linspace(*np.log(SLOPES), 400)
    return float(np.exp(grid[np.argmin([cost(x) for x in grid])]))


def into_vectors(bias, first):
    """The table that src/embed/languages.ts applies, and by how much it shrinks scores.

    Questions have one scale, as large as the biases allow, and at most that of passages.
    """
    passage = PASSAGE_SCALE
    for scale in np.arange(passage, 0.5, -0.005):
        free = np.sqrt(1 - passage**2)
        query = bias * scale * passage / free
        if scale**2 + (query**2).sum(1).max() <= 0.999:
            break
    table = {
        "names": list(LANGUAGES), "first": first, "passage": [round(float(passage), 6)] * len(LANGUAGES),
        "query": [{"scale": round(float(scale), 6), "bias": [round(float(b), 6) for b in row]} for row in query]}
    return table, float(scale * passage)


def fit(pool, kipris, first):
    """(calibration, languages, what is said of the cohort, report)."""
    pools = [pool, *kipris]
    average = float(np.mean([np.mean(pool.level), np.mean([one.level.mean() for one in kipris])]))
    least = float(np.quantile(pool.level, LEAST))
    tried = {}
    for share in SHARES:
        for one in pools:
            one.take_off(share, average, least)
        bias = fit_biases(pools)
        tried[share] = (*midpoint_of([[pool], kipris], bias), bias)
    share = max(tried, key=lambda s: tried[s][1])
    midpoint, _, bias = tried[share]
    for one in pools:
        one.take_off(share, average, least)
    bias = equalise(pool, bias, midpoint)
    midpoint, _ = midpoint_of([[pool], kipris], bias)
    slope = slope_of(pools, bias, midpoint)
    # What all pairs share changes no similarity, and takes room.
    bias, midpoint = bias - bias.mean(), midpoint - bias.mean()
    table, shrunk = into_vectors(bias, first)
    report = {
        "F1 by share of the cohort": {s: round(f1, 4) for s, (_, f1, _) in tried.items()},
        "bias": bias.round(4).tolist(), "shrunk": round(shrunk, 4), "midpoint": round(midpoint, 4), "slope": round(slope, 2)}
    for one in pools:
        threshold, f1, precision, recall = one.f1(bias)
        at = max(0, int(np.searchsorted(-threshold, -midpoint, side="right")) - 1)
        report[one.name] = {
            "best F1": round(float(f1.max()), 3), "F1 at 0.5": round(float(f1[at]), 3), "precision": round(float(precision[at]), 3),
            "recall": round(float(recall[at]), 3), "counted a question": round((at + 1) / len(one.asked), 2),
            "questions that count": round(float((one.scores(bias) >= midpoint).any(1).mean()), 3)}
    # stated for the vectors as they are stored: questions have their scale, products of two have it twice
    scale = table["query"][0]["scale"]
    cohort = {"nearest": COHORT_NEAREST, "share": round(share * shrunk / scale, 6), "mean": round(average * scale, 6), "least": round(least * scale, 6)}
    return {"midpoint": round(midpoint * shrunk, 4), "slope": round(slope / shrunk, 3)}, table, cohort, report
