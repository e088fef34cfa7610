"""The model in training: a bag of pieces, its losses and a sparse Adam, in NumPy.

A text's vector is the L2-normalised sum of its pieces' rows. Everything is float32 and single-threaded
where order matters, so that a run is repeatable on one machine.
"""

import numpy as np
from scipy import sparse


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
        m = sparse.csr_matrix((np.ones(len(ids), np.float32), (owner, ids)), (len(rows), table.shape[0]))
        out[rows] = unit(m @ table)[0]
    return out


def softmax(x, axis):
    x = np.exp(x - x.max(axis, keepdims=True))
    return x / x.sum(axis, keepdims=True)


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


def losses(u, w, same, teacher, has, weights):
    """Loss and gradients for unit vectors u (foreign) and w (English).

    same: boolean (B, B), True where two rows must not be each other's negatives (diagonal False);
    teacher: (B, dims) unit vectors of the English side where `has` is True.
    """
    n = np.float32(len(u))
    scale = np.float32(weights["scale"])
    logits = scale * (u @ w.T)
    logits[same] = -1e4
    rows, columns = softmax(logits, 1), softmax(logits, 0)
    diagonal = np.arange(len(u))
    loss = -0.5 * (np.log(rows[diagonal, diagonal] + 1e-9).mean() + np.log(columns[diagonal, diagonal] + 1e-9).mean())
    d = rows + columns
    d[diagonal, diagonal] -= 2
    d *= scale / (2 * n)
    d[same] = 0
    du, dw = d @ w, d.T @ u
    if has.any():
        taught = np.flatnonzero(has)
        t, n = teacher[taught], len(u)
        c = np.float32(weights["cosine"] / n)
        loss += c * float(2 * len(taught) - np.einsum("ij,ij->", u[taught] + w[taught], t))
        du[taught] -= c * t
        dw[taught] -= c * t
        loss += like_teacher(u, w, du, dw, taught, t, weights)
    return float(loss), du, dw


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

    def step(self, foreign, english, members, owners, size, keys, teacher, has, rate):
        """members[i] is a pair of the row owners[i]; keys: equal keys are not negatives of each other."""
        fi, fo = self.bag(foreign, members, owners, size)
        ei, eo = self.bag(english, members, owners, size)
        rows, local = np.unique(np.concatenate([fi, ei]), return_inverse=True)
        part = self.table[rows]
        one = np.float32(1)
        f = sparse.csr_matrix((np.full(len(fi), one), (fo, local[: len(fi)])), (size, len(rows)))
        e = sparse.csr_matrix((np.full(len(ei), one), (eo, local[len(fi) :])), (size, len(rows)))
        (u, un), (w, wn) = unit(f @ part), unit(e @ part)
        same = keys[:, None] == keys[None, :]
        np.fill_diagonal(same, False)
        loss, du, dw = losses(u, w, same, teacher, has, self.weights)
        grad = f.T @ backward_unit(du, u, un) + e.T @ backward_unit(dw, w, wn)
        self.adam.step(rows, grad.astype(np.float32), rate)
        return loss
