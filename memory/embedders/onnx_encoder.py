"""A sentence model on this machine's processor, through onnxruntime and tokenizers; neither is imported before use."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory.embedders.local_files import ModelFiles

TEXTS_AT_ONCE = 16  # more need more time a text: the processor keeps less of it at hand
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class OnnxEncoder:
    """One loaded model; used by many threads at once."""

    def __init__(self, files: ModelFiles, *, threads: int = 0) -> None:
        """Raises whatever the libraries say of files they can't read."""
        import onnxruntime
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(files.tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_length=files.most_tokens)
        self._pooling = files.pooling
        self._pad_id = files.pad_id
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3  # errors; its warnings are about the network, not about us
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # idle threads sleep
        self._session = onnxruntime.InferenceSession(
            str(files.network), sess_options=options, providers=["CPUExecutionProvider"]
        )
        self._wanted = [given.name for given in self._session.get_inputs() if given.name in INPUTS]

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One vector for each text, in order, not yet of unit length. The shortest go first, to waste no padding."""
        tokens = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        order = sorted(range(len(texts)), key=lambda number: len(tokens[number]))
        rows: dict[int, NDArray[np.float32]] = {}
        for start in range(0, len(order), TEXTS_AT_ONCE):
            numbers = order[start : start + TEXTS_AT_ONCE]
            rows.update(zip(numbers, self._run([tokens[number] for number in numbers]), strict=True))
        return np.stack([rows[number] for number in range(len(texts))])

    def _run(self, tokens: Sequence[list[int]]) -> NDArray[np.float32]:
        shape = (len(tokens), max(map(len, tokens)))
        ids = np.full(shape, self._pad_id, dtype=np.int64)
        mask = np.zeros(shape, dtype=np.int64)
        for row, numbers in enumerate(tokens):
            ids[row, : len(numbers)] = numbers
            mask[row, : len(numbers)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros(shape, dtype=np.int64)}
        output: NDArray[Any] = self._session.run(None, {name: given[name] for name in self._wanted})[0]
        return self._pooled(output, mask)

    def _pooled(self, output: NDArray[Any], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        if output.ndim == 2:  # the network pools by itself
            pooled = output
        elif self._pooling == "cls":
            pooled = output[:, 0]
        else:
            weights = mask[:, :, None].astype(np.float32)
            pooled = (output * weights).sum(axis=1) / weights.sum(axis=1)
        return pooled.astype(np.float32)
