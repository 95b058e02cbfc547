"""A sentence model of a few kilobytes in the layout of real ones, where each known word is its own direction."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "i", "live", "in", "porto", "cats", "like", "fish", "query", ":"]
DIMENSIONS = len(WORDS)


def make_model(
    folder: Path,
    *,
    pooling: dict[str, Any] | None = None,
    network: str = "onnx/model.onnx",
    most_tokens: int = 16,
    pools_itself: bool = False,
) -> Path:
    """Write a model into the folder. `pooling` is its 1_Pooling/config.json; None: without it."""
    said: dict[str, Any] = {
        "config.json": {"pad_token_id": 0, "max_position_embeddings": 512},
        "sentence_bert_config.json": {"max_seq_length": most_tokens},
        "modules.json": [
            {"type": f"sentence_transformers.models.{name}"} for name in ("Transformer", "Pooling")
        ],
    }
    if pooling is not None:
        said["1_Pooling/config.json"] = pooling
    for name, content in said.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(content))
    _tokenizer().save(str(folder / "tokenizer.json"))
    (folder / network).parent.mkdir(parents=True, exist_ok=True)
    onnx.save(_network(pools_itself=pools_itself), str(folder / network))
    return folder


def _tokenizer() -> Tokenizer:
    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.enable_padding(length=16)  # as in many real ones; it must not change the vectors
    return tokenizer


def _network(*, pools_itself: bool) -> onnx.ModelProto:
    """A network that looks up each token in a table. As in real ones the mask is an input, but it is not used."""
    table = numpy_helper.from_array(np.eye(DIMENSIONS, dtype=np.float32), "table")
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["token_vectors"])]
    shape: list[Any] = ["texts", "tokens", DIMENSIONS]
    output = "token_vectors"
    if pools_itself:
        axis = numpy_helper.from_array(np.array([1]), "axis")
        nodes.append(helper.make_node("ReduceMax", ["token_vectors", "axis"], ["text_vectors"], keepdims=0))
        shape, output = ["texts", DIMENSIONS], "text_vectors"
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"])
        for name in ("input_ids", "attention_mask")
    ]
    outputs = [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)]
    constants = [table, axis] if pools_itself else [table]
    graph = helper.make_graph(nodes, "tiny", inputs, outputs, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


def make_cross_encoder(folder: Path, *, outputs: int = 1) -> Path:
    """Write a cross-encoder into the folder, which scores a text by its own words, not by the question's."""
    make_model(folder)
    (folder / "modules.json").write_text(json.dumps([{"type": "a.CrossEncoderHead"}]))
    onnx.save(_pair_network(outputs), str(folder / "onnx/model.onnx"))
    return folder


def _pair_network(outputs: int) -> onnx.ModelProto:
    worth = {"porto": 3.0, "live": 2.0, "[PAD]": 50.0}
    table = np.array([[worth.get(word, 0.0)] * outputs for word in WORDS], dtype=np.float32)
    constants = [
        numpy_helper.from_array(table, "table"),
        numpy_helper.from_array(np.array([1]), "tokens_axis"),
        numpy_helper.from_array(np.array([2]), "last_axis"),
    ]
    nodes = [
        helper.make_node("Gather", ["table", "input_ids"], ["worth"]),
        helper.make_node("Cast", ["token_type_ids"], ["of_text"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["of_text", "last_axis"], ["each_of_text"]),
        helper.make_node("Mul", ["worth", "each_of_text"], ["counted"]),
        helper.make_node("ReduceSum", ["counted", "tokens_axis"], ["logits"], keepdims=0),
    ]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["pairs", "tokens"])
        for name in ("input_ids", "token_type_ids")
    ]
    logits = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["pairs", outputs])]
    graph = helper.make_graph(nodes, "tiny-pairs", inputs, logits, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
