"""The model in training: a bag of pieces, its losses and a sparse Adam, in NumPy.

A text's vector is the L2-normalised sum of the rows of its distinct pieces, each times the root of how often it
occurs. Everything is float32 and single-threaded
where order matters, so that a run is repeatable on one machine.
"""

import numpy as np
from scipy import sparse


ENGLISH = 100  # number of the language of the English sides, beside those of the foreign ones


class Corpus:
    """Token ids of many texts in one flat array."""

    def __init__(self, ids, offsets):
        self.ids, self.offsets = ids, offsets

    @classmethod
    def of(cls, lists):
        offsets = np.zeros(len(lists) + 1, np.int64)
        np.cumsum([len(x) for x in lists], out=offsets[1:])
        ids = np.fromiter((i for x in lists for i in x), np.int32, offsets[-1])
        return cls(ids, offsets)

    def __len__(self):
        return len(self.offsets) - 1

    def gather(self, rows, limit):
        """Concatenated ids of the given texts (each cut at `limit`) and the row number of every id."""
        start = self.offsets[rows]
        length = np.minimum(self.offsets[rows + 1] - start, limit)
        owner = np.repeat(np.arange(len(rows)), length)
        within = np.arange(len(owner)) - np.repeat(np.cumsum(length) - length, length)
        return self.ids[np.repeat(start, length) + within], owner

    def matrix(self, width, limit=10**9):
        """Sparse count matrix (texts × pieces)."""
        rows = np.arange(len(self))
        ids, owner = self.gather(rows, limit)
        return sparse.csr_matrix((np.ones(len(ids), np.float32), (owner, ids)), (len(rows), width))


def unit(x):
    """Rows to length 1; a zero row stays zero. Returns the rows and their former lengths."""
    norm = np.sqrt(np.einsum("ij,ij->i", x, x))[:, None]
    return x / np.maximum(norm, 1e-9), np.maximum(norm, 1e-9)


def encode(corpus, table, limit=10**9, batch=4096):
    """Unit vectors of all texts of a corpus."""
    out = np.zeros((len(corpus), table.shape[1]), np.float32)
    for a in range(0, len(corpus), batch):
        rows = np.arange(a, min(a + batch, len(corpus)))
        ids, owner = corpus.gather(rows, limit)
        out[rows] = unit(occurrences(ids, owner, len(rows), table.shape[0]) @ table)[0]
    return out


def occurrences(ids, owner, texts, pieces):
    """Sparse matrix (texts × pieces): the root of how often each piece occurs in each text."""
    m = sparse.csr_matrix((np.ones(len(ids), np.float32), (owner, ids)), (texts, pieces))
    m.sum_duplicates()
    np.sqrt(m.data, out=m.data)
    return m


class SparseAdam:
    """Adam whose moments move only where a gradient came."""

    def __init__(self, table, beta1=0.9, beta2=0.999):
        self.table = table
        self.m, self.v = np.zeros_like(table), np.zeros_like(table)
        self.beta1, self.beta2, self.step_number = beta1, beta2, 0

    def step(self, rows, grad, rate):
        self.step_number += 1
        b1, b2 = self.beta1, self.beta2
        m = self.m[rows] * np.float32(b1) + grad * np.float32(1 - b1)
        v = self.v[rows] * np.float32(b2) + grad * grad * np.float32(1 - b2)
        self.m[rows], self.v[rows] = m, v
        scale = rate * np.sqrt(1 - b2**self.step_number) / (1 - b1**self.step_number)
        self.table[rows] -= np.float32(scale) * m / (np.sqrt(v) + np.float32(1e-8))


def contrast(u, w, x, same, weights):
    """InfoNCE of unit vectors u against w: each row's partner is the row of w of the same number.

    Its negatives are the other rows of w, those of u itself (weight `own` each in the sum: only they push a text away
    from unrelated ones of its own language), and texts x that have no partner here (weight `bank`, divided by
    their number). same: boolean (B, B), rows that are not each other's negatives (diagonal False).
    Returns the loss and the gradients to u, w and x.
    """
    n, scale = np.float32(len(u)), np.float32(weights["scale"])
    parts = [(w, 1, same)]
    if weights["own"]:
        parts.append((u, weights["own"], same | np.eye(len(u), dtype=bool)))
    if weights["bank"] and len(x):
        parts.append((x, weights["bank"] * len(u) / len(x), None))
    logits = []
    for other, weight, out in parts:
        part = u @ other.T
        part *= scale
        if weight != 1:
            part += np.float32(np.log(weight))
        if out is not None:
            part[out] = -1e4
        logits.append(part)
    top = np.max([part.max(1) for part in logits], axis=0)[:, None]
    for part in logits:
        part -= top
        np.exp(part, out=part)
    total = sum(part.sum(1) for part in logits)[:, None]
    for part in logits:
        part /= total
    diagonal = np.arange(len(u))
    loss = -float(np.log(logits[0][diagonal, diagonal] + 1e-9).mean())
    logits[0][diagonal, diagonal] -= 1
    for part in logits:
        part *= scale / n
    du, dw = logits[0] @ w, logits[0].T @ u
    at = 1
    if weights["own"]:
        du += (logits[at] + logits[at].T) @ u
        at += 1
    dx = None
    if at < len(logits):
        du += logits[at] @ x
        dx = logits[at].T @ u
    return loss, du, dw, dx


def losses(u, w, x, same, teacher, has, weights):
    """Loss and gradients for unit vectors u (foreign), w (English) and x (texts by themselves).

    same: boolean (B, B), True where two rows must not be each other's negatives (diagonal False);
    teacher: (B, dims) unit vectors of the English side where `has` is True.
    """
    there, du, dw, dx = contrast(u, w, x, same, weights)
    back, dw2, du2, dx2 = contrast(w, u, x, same, weights)
    half = np.float32(0.5)
    loss, du, dw = (there + back) / 2, (du + du2) * half, (dw + dw2) * half
    dx = np.zeros_like(x) if dx is None else (dx + dx2) * half
    if has.any():
        taught = np.flatnonzero(has)
        t, n = teacher[taught], len(u)
        c = np.float32(weights["cosine"] / n)
        loss += c * float(2 * len(taught) - np.einsum("ij,ij->", u[taught] + w[taught], t))
        du[taught] -= c * t
        dw[taught] -= c * t
        loss += like_teacher(u, w, du, dw, taught, t, weights)
    return float(loss), du, dw, dx


def apart(vectors, gradients, languages, weight):
    """Penalty on what tells languages apart: the squared distance of each language's mean from the mean of all means.

    vectors, gradients, languages: lists of arrays of one length each; gradients are added to in place.
    """
    known = sorted({int(l) for part in languages for l in np.unique(part)})
    count = {l: sum(int((part == l).sum()) for part in languages) for l in known}
    known = [l for l in known if count[l] >= 8]
    means = np.stack([sum(v[part == l].sum(0) for v, part in zip(vectors, languages)) / count[l] for l in known])
    off = means - means.mean(0)
    for l, distance in zip(known, off):
        step = np.float32(2 * weight / count[l]) * distance
        for part, g in zip(languages, gradients):
            g[part == l] += step
    return float(weight) * float((off**2).sum())


def like_teacher(u, w, du, dw, taught, t, weights):
    """Loss of similarities that differ from the teacher's: within English, within the foreign side, and across.

    Squared error over all pairs of the batch, pairs that the teacher finds close counting for more.
    """
    wanted = t @ t.T
    weight = 1 + np.float32(weights["near"]) * np.maximum(wanted, 0) ** 2
    np.fill_diagonal(weight, 0)
    weight /= weight.sum()
    loss = 0.0
    for name, a, b, da, db in (("english", w, w, dw, dw), ("foreign", u, u, du, du), ("across", u, w, du, dw)):
        share = np.float32(weights[name])
        if not share:
            continue
        x, y = a[taught], b[taught]
        g = x @ y.T - wanted
        weighted = g * weight
        loss += float(share) * float(np.einsum("ij,ij->", g, weighted))
        da[taught] += 2 * share * (weighted @ y)
        db[taught] += 2 * share * (weighted.T @ x)
    return loss


def backward_unit(d, x, norm):
    return (d - np.einsum("ij,ij->i", d, x)[:, None] * x) / norm


class Trainer:
    """One step = one batch of pairs through both sides of the shared table."""

    def __init__(self, table, weights, limit, dropout, rng):
        self.table, self.weights, self.limit, self.dropout, self.rng = table, weights, limit, dropout, rng
        self.adam = SparseAdam(table)

    def bag(self, corpus, members, owner_of_member, size):
        ids, owner = corpus.gather(members, self.limit)
        keep = self.rng.random(len(ids)) >= self.dropout
        ids, owner = ids[keep], owner_of_member[owner[keep]]
        return ids, owner

    def step(self, foreign, english, members, owners, size, keys, teacher, has, rate, languages, alone):
        """members[i] is a pair of the row owners[i]; keys: equal keys are not negatives of each other.

        languages: of each row's foreign side; alone: (corpus, rows, their languages) of texts without a partner.
        """
        texts, chosen, own_languages = alone
        fi, fo = self.bag(foreign, members, owners, size)
        ei, eo = self.bag(english, members, owners, size)
        xi, xo = self.bag(texts, chosen, np.arange(len(chosen)), len(chosen))
        rows, local = np.unique(np.concatenate([fi, ei, xi]), return_inverse=True)
        part = self.table[rows]

        f = occurrences(local[: len(fi)], fo, size, len(rows))
        e = occurrences(local[len(fi) : len(fi) + len(ei)], eo, size, len(rows))
        x = occurrences(local[len(fi) + len(ei) :], xo, len(chosen), len(rows))
        (u, un), (w, wn), (v, vn) = unit(f @ part), unit(e @ part), unit(x @ part)
        same = keys[:, None] == keys[None, :]
        np.fill_diagonal(same, False)
        loss, du, dw, dv = losses(u, w, v, same, teacher, has, self.weights)
        if self.weights["apart"]:
            english_rows = np.full(size, ENGLISH)
            loss += apart([u, w, v], [du, dw, dv], [languages, english_rows, own_languages], self.weights["apart"])
        grad = f.T @ backward_unit(du, u, un) + e.T @ backward_unit(dw, w, wn)
        if len(chosen):
            grad = grad + x.T @ backward_unit(dv, v, vn)
        self.adam.step(rows, grad.astype(np.float32), rate)
        return loss
