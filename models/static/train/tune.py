"""Goes on from an existing model with large batches, the glossaries and a teacher that reads everything, in PyTorch.

    python train.py --data ../shared/data --out OUT --work WORK --to-stage collect
    python tune.py prepare WORK BASE
    python tune.py optimise WORK BASE
    python tune.py export WORK BASE OUT

BASE is a packed model (model.bin); its vocabulary stays. A GPU is used if there is one. Needs the packages of
requirements.txt and those of tune-requirements.txt. Settings: tune.json.
"""

import argparse
import json
import os
import time
from pathlib import Path

import numpy as np
import start
from unpack import Model
from vocabulary import lines

HERE = Path(__file__).parent
GLOSSARY = HERE.parents[1] / "terms/train/glossary"
SETTINGS = json.loads((HERE / "tune.json").read_text("utf-8"))
LANGUAGES = ("ko", "ja", "zh", "de", "fr")  # the columns of a glossary after English
# kind of pair: longest English side that the teacher reads; what it says of these pulls both sides
PULLED = {"title": 400, "term": 80, "sentence": 400, "made": 200, "gloss": 100}
READ_CHARACTERS = 700  # of other English sides: it says how similar they are to each other
READ_TOKENS = 160


def pieces_of(model):
    ordered = sorted(model.tokenizer.ids.items(), key=lambda entry: entry[1])
    return [(piece, model.tokenizer.scores[i]) for piece, i in ordered]


def glossary():
    """(kind, source, language, term, English) of the glossaries that were written for models/terms.

    The first name of a language stands beside three English ones, synonyms beside the first.
    """
    rows = set()
    for path in sorted(GLOSSARY.glob("*.tsv")):
        if path.stem == "taiwan":
            continue  # names that the other files have, beside those of Taiwan
        for line in lines(path):
            english = [name.strip() for name in line[0].split("|") if name.strip()]
            for language, cell in zip(LANGUAGES, line[1:]):
                names = [name.strip() for name in cell.split("|") if name.strip()]
                for n, name in enumerate(names):
                    rows.update(("gloss", path.stem, language, name, e) for e in (english[:1] if n else english[:3]))
    return sorted(rows)


def read_all(texts):
    """The teacher's vectors of all texts, in the basis of their principal directions, as float16."""
    import torch
    from teacher import model_folder
    from tokenizers import Tokenizer
    from transformers import BertModel

    device = "cuda" if torch.cuda.is_available() else "cpu"
    root = model_folder()
    model = BertModel.from_pretrained(root, add_pooling_layer=False).to(device).eval()
    if device == "cuda":
        model = model.half()
    tokenizer = Tokenizer.from_file(str(root / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(READ_TOKENS)
    out = torch.zeros(len(texts), 384, device=device)
    for first in range(0, len(texts), 200_000):
        encoded = [e.ids for e in tokenizer.encode_batch(texts[first : first + 200_000])]
        order = sorted(range(len(encoded)), key=lambda i: len(encoded[i]))
        at = 0
        while at < len(order):
            end = at + 1
            while end < len(order) and (end - at + 1) * len(encoded[order[end]]) <= 65_536:
                end += 1
            rows = order[at:end]
            ids = np.zeros((len(rows), len(encoded[rows[-1]])), np.int64)
            for j, i in enumerate(rows):
                ids[j, : len(encoded[i])] = encoded[i]
            ids = torch.from_numpy(ids).to(device)
            mask = (ids > 0).long()
            with torch.no_grad():
                hidden = model(ids, attention_mask=mask).last_hidden_state.float()
            mean = (hidden * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
            out[torch.tensor(rows, device=device) + first] = torch.nn.functional.normalize(mean, dim=1)
            at = end
        print("read", first + len(encoded), flush=True)
    _, directions = np.linalg.eigh((out.T @ out).double().cpu().numpy())
    basis = torch.from_numpy(directions[:, ::-1][:, : start.DIMS].astype(np.float32).copy()).to(device)
    return torch.nn.functional.normalize(out @ basis, dim=1).half().cpu().numpy()


def prepare(work, base):
    """WORK/tune.npz: token ids of all pairs cut twice, their kinds, languages and keys, and the teacher's vectors."""
    pieces = pieces_of(Model(base))
    rows = [*lines(work / "pairs.tsv"), *glossary()]
    both = [r[3] for r in rows] + [r[4] for r in rows]
    first, second = start.cut_twice(both, pieces, processes=os.cpu_count() or 2)
    kinds, langs, keys, texts = sorted({r[0] for r in rows}), sorted({r[2] for r in rows}), {}, {}
    taught = np.full(len(rows), -1, np.int32)
    for i, (kind, _, lang, _, english) in enumerate(rows):
        if kind in PULLED:
            if len(english) <= PULLED[kind]:
                taught[i] = texts.setdefault(english, len(texts))
        elif kind != "same" or lang == "en":
            taught[i] = texts.setdefault(english[:READ_CHARACTERS], len(texts))
    print("pairs", len(rows), "texts to read", len(texts), flush=True)
    np.savez(
        work / "tune.npz", kinds=kinds, langs=langs, first=first.ids, first_at=first.offsets,
        second=second.ids, second_at=second.offsets, taught=taught, teacher=read_all(list(texts)),
        pulled=np.array([r[0] in PULLED for r in rows]),
        kind=np.array([kinds.index(r[0]) for r in rows], np.int8), lang=np.array([langs.index(r[2]) for r in rows], np.int8),
        key=np.array([keys.setdefault(start.key_of(r), len(keys)) for r in rows], np.int32))
    start.segment_alone(work, pieces)


def optimise(work, base):
    """WORK/tuned-<member>.npy for each member of tune.json."""
    from tune_torch import Tuner

    model = Model(base)
    first = model.config["languages"]["first"]
    tuner = Tuner(work, model.rows[:, :first] * model.factors[:, None])
    for n, own in enumerate(SETTINGS["members"]):
        began = time.time()
        table = tuner.run({**SETTINGS, **own})
        np.save(work / f"tuned-{n}.npy", table)
        print(json.dumps({"member": n, "seconds": round(time.time() - began)}), flush=True)


def finish(work, base, out):
    """The mean of the members, made even, with title's share, languages and calibration fitted: ready for pack.py."""
    import calibrate
    import export
    import scale
    from tokenizer import Tokenizer

    pieces = pieces_of(Model(base))
    table = sum(np.load(work / f"tuned-{n}.npy") for n in range(len(SETTINGS["members"]))) / np.float32(len(SETTINGS["members"]))
    table = export.even_out(work, table, SETTINGS["even"]) * np.float32(SETTINGS["row_scale"])
    tokenizer = Tokenizer(pieces)
    collection, share, report = calibrate.fit(work, tokenizer, table)
    print(json.dumps(report))
    texts = export.cohort(work, table)
    pools = scale.kipris_pools(collection, share, np.arange(len(collection.gold)), texts[2])
    fixtures = scale.fixture_pool(HERE.parents[2] / "fixtures", tokenizer, table, share, texts[2])
    calibration, languages, cohort, report = scale.fit(fixtures, pools, start.DIMS)
    print(json.dumps(report))
    export.write(out, pieces, table, SETTINGS, calibration, share, export.idf(work, pieces), languages, cohort, texts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("stage", choices=("prepare", "optimise", "export"))
    parser.add_argument("work", type=Path)
    parser.add_argument("base", type=Path)
    parser.add_argument("out", type=Path, nargs="?")
    a = parser.parse_args()
    if a.stage == "prepare":
        prepare(a.work, a.base)
    elif a.stage == "optimise":
        optimise(a.work, a.base)
    elif a.out is None:
        parser.error("export needs OUT, the folder to write")
    else:
        finish(a.work, a.base, a.out)


if __name__ == "__main__":
    main()
