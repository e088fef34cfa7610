"""The optimisation of tune.py in PyTorch: the losses of bag.py for batches of thousands, with all data on the device."""

import numpy as np
import torch
import torch.nn.functional as F

ADAM = (0.9, 0.999)


def gathered(corpus, rows, limit):
    """Token ids of some texts of a corpus (ids, offsets), each cut at `limit`, and the number of the text of each id."""
    ids, at = corpus
    first = at[rows]
    length = torch.clamp(at[rows + 1] - first, max=limit)
    owner = torch.repeat_interleave(torch.arange(len(rows), device=rows.device), length)
    within = torch.arange(len(owner), device=rows.device) - torch.repeat_interleave(length.cumsum(0) - length, length)
    return ids[first[owner] + within], owner


def bags(ids, owner, texts, pieces):
    """The distinct pieces of each text, by text, with the root of how often each occurs, and where each text begins."""
    key, count = torch.unique(owner.long() * pieces + ids.long(), return_counts=True)
    text = key // pieces
    begins = torch.zeros(texts, dtype=torch.long, device=ids.device)
    begins[1:] = torch.bincount(text, minlength=texts).cumsum(0)[:-1]
    return key - text * pieces, count.float().sqrt(), begins


def vectors(table, bag):
    ids, weights, begins = bag
    return F.normalize(F.embedding_bag(ids, table, begins, mode="sum", per_sample_weights=weights), dim=1)


class Tuner:
    """Holds the data of WORK/tune.npz; `run(settings)` optimises one table from the base model's."""

    def __init__(self, work, base):
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        torch.backends.cuda.matmul.allow_tf32 = True
        z = np.load(work / "tune.npz")
        self.kind, self.kinds, self.langs = z["kind"], [str(k) for k in z["kinds"]], [str(l) for l in z["langs"]]
        n = len(self.kind)
        self.cuts, filled = [], np.ones(n, bool)
        for cut in ("first", "second"):
            at, ids = z[f"{cut}_at"], self.put(z[cut])
            filled &= (np.diff(at)[:n] > 0) & (np.diff(at)[n:] > 0)
            self.cuts.append(((ids, self.put(at[: n + 1])), (ids, self.put(at[n:]))))
        self.key, self.taught = self.put(z["key"]), self.put(z["taught"]).long()
        self.lang, self.teacher = self.put(z["lang"]).long(), self.put(z["teacher"])
        self.rows = {}
        for k, kind in enumerate(self.kinds):
            of_kind = {l: np.flatnonzero((self.kind == k) & (z["lang"] == i) & filled) for i, l in enumerate(self.langs)}
            self.rows[kind] = {l: self.put(rows) for l, rows in of_kind.items() if len(rows)}
        made = np.flatnonzero((self.kind == self.kinds.index("made")) & filled)
        first = np.flatnonzero(np.diff(z["key"][made], prepend=-1))
        # made sentences stand in groups
        self.made, self.group, self.group_size = self.put(made), self.put(first), self.put(np.diff(np.append(first, len(made))))
        self.same_kind = self.put(self.kind == self.kinds.index("same"))
        self.pulled = self.put(z["pulled"])
        alone = np.load(work / "alone.npz")
        self.alone = (self.put(alone["ids"]), self.put(alone["at"]))
        self.alone_rows = {str(l): self.put(np.flatnonzero(alone["lang"] == i)) for i, l in enumerate(alone["langs"])}
        self.start = self.in_teachers_space(self.put(base.astype(np.float32)))

    def put(self, array):
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)

    def draw(self, rows, count):
        return rows[torch.randint(len(rows), (count,), device=self.device)]

    def in_teachers_space(self, table, texts=100_000):
        """The base's table, turned by least squares so that its vectors of English texts are the teacher's."""
        torch.manual_seed(0)
        read = self.draw(torch.nonzero((self.taught >= 0) & self.pulled)[:, 0], texts)
        mine = vectors(table, bags(*gathered(self.cuts[0][1], read, 160), len(read), len(table)))
        wanted = self.teacher[self.taught[read]].float()
        dims = table.shape[1]
        ridge = 1e-3 * len(mine) / dims * torch.eye(dims, device=self.device)
        turned = table @ torch.linalg.solve(mine.T @ mine + ridge, mine.T @ wanted)
        return turned * (table.norm(dim=1).mean() / turned.norm(dim=1).mean())

    def plans(self, settings):
        """For each mixture: (kind, language, pairs of a batch, a fraction), languages by the root of their number."""
        out = []
        for mix in settings["mixes"]:
            plan = []
            for kind, share in mix.items():
                pairs = settings["batch"] * share / sum(mix.values())
                if kind == "made":
                    plan.append((kind, None, pairs))
                    continue
                weight = {l: len(rows) ** 0.5 * settings["languages"].get(l, 1) for l, rows in self.rows[kind].items()}
                plan += [(kind, l, pairs * w / sum(weight.values())) for l, w in weight.items()]
            out.append(plan)
        return out

    def pairs(self, plan, size, rng):
        """Rows of the pairs of a batch."""
        chosen = []
        for kind, lang, count in plan:
            count = int(count) + int(rng.random() < count % 1)
            if kind == "made":
                group = torch.randint(len(self.group), (max(count // 2, 1),), device=self.device)
                members, _ = gathered((self.made, torch.cat([self.group, self.group.new_tensor([len(self.made)])])), group, 10**6)
                chosen.append(members[:count])
            else:
                chosen.append(self.draw(self.rows[kind][lang], count))
        rows = torch.cat(chosen)
        if len(rows) < size:
            rows = torch.cat([rows, self.draw(rows, size - len(rows))])
        return rows[:size] if plan[0][0] == "made" else rows[torch.randperm(len(rows), device=self.device)[:size]]

    def run(self, settings):
        """Returns the mean of the tables of the last part, as float32."""
        torch.manual_seed(settings["seed"])
        rng = np.random.default_rng(settings["seed"])
        table = self.start.clone().requires_grad_(True)
        moments = torch.zeros_like(table), torch.zeros_like(table)
        mean, taken, steps, plans = torch.zeros_like(table), 0, settings["steps"], self.plans(settings)
        for step in range(1, steps + 1):
            progress = step / steps
            rate = settings["rate"] * min(1, step / 100) * (1 if progress < 0.5 else 2 - 2 * progress + 0.1 * (2 * progress - 1))
            plan = plans[rng.choice(len(plans), p=settings["mix_shares"])]
            touched, loss = self.loss(table, self.pairs(plan, settings["batch"], rng), settings, rng)
            table.grad = None
            loss.backward()
            with torch.no_grad():
                self.adam(table, moments, torch.unique(touched), rate, step)
                if progress > settings["average_from"] and step % 25 == 0:
                    mean += table
                    taken += 1
            if step % 500 == 0:
                print(f"step {step} of {steps}, loss {loss.item():.3f}", flush=True)
        return (mean / taken if taken else table).detach().cpu().numpy()

    @staticmethod
    def adam(table, moments, rows, rate, step):
        """Moments move only where a gradient came, as in bag.py."""
        (b1, b2), (m, v), grad = ADAM, moments, table.grad[rows]
        m[rows] = m[rows] * b1 + grad * (1 - b1)
        v[rows] = v[rows] * b2 + grad * grad * (1 - b2)
        table[rows] -= rate * np.sqrt(1 - b2**step) / (1 - b1**step) * m[rows] / (v[rows].sqrt() + 1e-8)

    def loss(self, table, rows, settings, rng):
        """The ids of the batch and its loss."""
        weights, size, device = settings["losses"], len(rows), self.device
        number = torch.arange(size, device=device)
        members, owners, taught = rows, number, self.taught[rows].clone()
        joined = int(size * settings["joined"])
        if joined:
            # a second pair makes the text longer
            longer = torch.randperm(size, device=device)[:joined]
            members = torch.cat([rows, rows[torch.randperm(size, device=device)[:joined]]])
            owners = torch.cat([number, longer])
            taught[longer] = -1
        foreign, english = self.cuts[int(rng.random() < settings["second_cut"])]
        parts, texts = [], 0

        def add(corpus, chosen, text, count):
            nonlocal texts
            ids, owner = gathered(corpus, chosen, settings["limit"])
            keep = torch.rand(len(ids), device=device) >= settings["dropout"]
            parts.append((ids[keep], text[owner[keep]] + texts))
            texts += count

        add(foreign, members, owners, size)
        add(english, members, owners, size)
        each = settings["alone"] // len(self.alone_rows)
        if each:
            add(self.alone, torch.cat([self.draw(r, each) for r in self.alone_rows.values()]), torch.arange(each * len(self.alone_rows), device=device), each * len(self.alone_rows))
        bag = bags(torch.cat([p[0] for p in parts]), torch.cat([p[1] for p in parts]), texts, len(table))
        all_vectors = vectors(table, bag)
        u, w, x = all_vectors[:size], all_vectors[size : 2 * size], all_vectors[2 * size :]
        same = self.key[rows][:, None] == self.key[rows][None, :]
        loss = (self.contrast(u, w, x, same, weights) + self.contrast(w, u, x, same, weights)) / 2
        has, wanted = taught >= 0, self.teacher[taught.clamp(min=0)].float()
        pull = (has & self.pulled[rows]).float()
        loss = loss + weights["cosine"] / size * ((2 - (u * wanted).sum(1) - (w * wanted).sum(1)) * pull).sum()
        both = (has[:, None] & has[None, :]).float().fill_diagonal_(0)
        loss = loss + weights["english"] * (((w @ w.T - wanted @ wanted.T) ** 2) * both).sum() / both.sum().clamp(min=1)
        return bag[0], loss + weights["apart"] * self.apart(all_vectors, rows, each)

    @staticmethod
    def contrast(u, w, x, same, weights):
        """InfoNCE of u against w, with the other texts of u and texts x by themselves as negatives (bag.contrast)."""
        eye = torch.eye(len(u), dtype=torch.bool, device=u.device)
        logits = [(u @ w.T * weights["scale"]).masked_fill(same & ~eye, -1e4)]
        logits.append((u @ u.T * weights["scale"] + np.log(weights["own"])).masked_fill(same, -1e4))
        if len(x):
            logits.append(u @ x.T * weights["scale"] + np.log(weights["bank"] * len(u) / len(x)))
        return F.cross_entropy(torch.cat(logits, 1), torch.arange(len(u), device=u.device))

    def apart(self, all_vectors, rows, each):
        """The squared distance of each language's mean from the mean of all means (bag.apart)."""
        english = torch.full_like(rows, self.langs.index("en"))
        language = [self.lang[rows], torch.where(self.same_kind[rows], self.lang[rows], english)]
        language += [torch.full((each,), self.langs.index(l), device=self.device) for l in self.alone_rows] if each else []
        language = torch.cat(language)
        count = torch.bincount(language, minlength=len(self.langs)).float()
        total = torch.zeros(len(self.langs), all_vectors.shape[1], device=self.device).index_add_(0, language, all_vectors)
        enough = count >= 8
        means = total[enough] / count[enough][:, None]
        return ((means - means.mean(0)) ** 2).sum()
