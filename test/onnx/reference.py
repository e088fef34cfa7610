"""Prints the results of the published tools for texts: `reference.py < cases.json > results.json`.

Python's tokenizers and onnxruntime process each text separately, without padding; pooling is a line of NumPy. A long
text is split by the program's documented rule: the fewest windows, of similar length, each with prompt and special
tokens, and the mean of their vectors weighted by the number of text tokens.
"""

import json
import math
import sys
from pathlib import Path

import numpy as np
import onnxruntime
from safetensors.numpy import load_file
from tokenizers import Tokenizer

_open = {}


def opened(folder, graph):
    """Session and tokenizer of a model, without the truncation and padding of its file."""
    if (folder, graph) not in _open:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(str(Path(folder) / graph), options, providers=["CPUExecutionProvider"])
        tokenizer = Tokenizer.from_file(str(Path(folder) / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        _open[folder, graph] = session, tokenizer
    return _open[folder, graph]


def run(session, ids, types, output, names):
    """Runs the graph on one row."""
    length = len(ids)
    values = {
        names.get("ids", "input_ids"): ids,
        names.get("mask", "attention_mask"): [1] * length,
        names.get("types", "token_type_ids"): types,
        names.get("positions", "position_ids"): list(range(length)),
    }
    feeds = {}
    for entry in session.get_inputs():
        if entry.name.startswith("past_"):
            feeds[entry.name] = np.zeros([1, entry.shape[1], 0, entry.shape[3]], np.float32)
        else:
            kind = np.int32 if "int32" in entry.type else np.int64
            feeds[entry.name] = np.array([values[entry.name]], kind)
    name = output or session.get_outputs()[-1].name
    return session.run([name], feeds)[0][0].astype(np.float64)


def pooled(x, pooling):
    return {"mean": lambda: x.mean(0), "cls": lambda: x[0], "last": lambda: x[-1], "max": lambda: x.max(0), "none": lambda: x}[pooling]()


def finished(x, case):
    for layer in case.get("dense", []):
        path = Path(case["folder"]) / layer["file"]
        if path.suffix == ".npy":
            weight, bias = np.load(path), np.load(path.parent / "bias.npy") if "bias" in layer else 0
        else:
            tensors = load_file(path)
            weight, bias = tensors["linear.weight"].astype(np.float64), tensors["linear.bias"]
        x = weight @ x + bias
        if layer.get("activation") == "tanh":
            x = np.tanh(x)
    x = x[: case.get("truncatedDimensions", len(x))]
    return x / np.linalg.norm(x)


def vector(text, case):
    session, tokenizer = opened(case["folder"], case["graph"])
    before, after = case.get("before", ""), case.get("after", "")
    whole = tokenizer.encode(before + text + after)
    ids, types = list(whole.ids), list(whole.type_ids)
    if "endToken" in case:
        ids.append(tokenizer.token_to_id(case["endToken"]))
        types.append(0)
    limit = case["windowTokens"]
    if len(ids) <= limit:
        return finished(pooled(run(session, ids, types, case.get("output"), case.get("inputs", {})), case["pooling"]), case)
    special = [i for i, sequence in enumerate(whole.sequence_ids) if sequence is None] + list(range(len(whole.ids), len(ids)))
    # Without combining characters, offsets in bytes and in characters agree.
    first, last = len(before), len(before + text)
    prompt = [i for i, (start, end) in enumerate(whole.offsets) if i not in special and (end <= first and before or start >= last and after)]
    kept = sorted(special + prompt)
    content = [i for i in range(len(ids)) if i not in kept]
    room = limit - len(kept)
    count = math.ceil(len(content) / room)
    size = math.ceil(len(content) / count)
    total = 0
    for at in range(0, len(content), size):
        part = content[at : at + size]
        picked = [i for i in range(len(ids)) if i in kept or i in part]
        x = run(session, [ids[i] for i in picked], [types[i] for i in picked], case.get("output"), case.get("inputs", {}))
        total = total + len(part) * finished(pooled(x, case["pooling"]), case)
    return total / np.linalg.norm(total)


def pair_score(query, document, case):
    """The logit of a pair that fits into the window."""
    session, tokenizer = opened(case["folder"], case["graph"])
    if case["form"] == "causal":
        parts = [case["before"], case["pair"].replace("{query}", query).replace("{document}", document), case["after"]]
        ids = [i for part in parts for i in tokenizer.encode(part, add_special_tokens=False).ids]
        x = run(session, ids, [0] * len(ids), "logits", {})[-1]
        return x[tokenizer.token_to_id(case["yes"])] - x[tokenizer.token_to_id(case["no"])]
    pair = tokenizer.encode(query, document)
    return run(session, pair.ids, pair.type_ids, "logits", {})[case.get("scoreIndex", 0)]


def ids_of(case):
    _, tokenizer = None, Tokenizer.from_file(str(Path(case["folder"]) / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return [tokenizer.encode(text, add_special_tokens=False).ids for text in case["texts"]]


def answer(case):
    if case["what"] == "ids":
        return ids_of(case)
    if case["what"] == "vectors":
        return [vector(text, case).tolist() for text in case["texts"]]
    return [float(pair_score(query, document, case)) for query, document in case["pairs"]]


json.dump([answer(case) for case in json.load(sys.stdin)], sys.stdout)
