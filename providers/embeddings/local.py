"""A small sentence model that runs on this machine's CPU, without a key or a network, in milliseconds per text.

It needs requirements-local.txt: onnxruntime and tokenizers, which are imported at first use. Its files are downloaded
at first use, or read from a folder; see model_files.py.
"""

import threading
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from providers.embeddings.base import Embedder, Purpose
from providers.embeddings.model_files import NO_POOLING, ModelFiles, find_files, is_folder
from providers.embeddings.options import LONGEST_MODEL_NAME, LocalEmbedderOptions, prefixes_of
from providers.embeddings.shaping import Rows
from providers.errors import ProviderMisconfigured, ProviderTimeout, ProviderUnavailable
from providers.options import read_options

if TYPE_CHECKING:
    from tokenizers import Encoding

TEXTS_AT_ONCE = 16  # larger batches take more time per text, as they fit the CPU's cache less well
INPUTS = ("input_ids", "attention_mask", "token_type_ids")


class OnnxEncoder:
    """A loaded model, used by many threads at once."""

    def __init__(self, files: ModelFiles, *, threads: int = 0) -> None:
        """Raises the libraries' own errors for files that they can't read."""
        import onnxruntime
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(files.tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_length=files.most_tokens)
        self._pooling = files.pooling
        self._pad_id = files.pad_id
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3  # errors only; warnings concern the network, not our use of it
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # idle threads sleep
        self._session = onnxruntime.InferenceSession(
            str(files.network), sess_options=options, providers=["CPUExecutionProvider"]
        )
        self._wanted = [given.name for given in self._session.get_inputs() if given.name in INPUTS]

    def encode(self, texts: Sequence[str] | Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """Return one vector per text or pair of texts, in order, not normalised. Short texts run first, to save
        padding.
        """
        tokens = self._tokenizer.encode_batch(list(texts))
        order = sorted(range(len(texts)), key=lambda number: len(tokens[number].ids))
        rows: dict[int, NDArray[np.float32]] = {}
        for start in range(0, len(order), TEXTS_AT_ONCE):
            numbers = order[start : start + TEXTS_AT_ONCE]
            rows.update(zip(numbers, self._run([tokens[number] for number in numbers]), strict=True))
        return np.stack([rows[number] for number in range(len(texts))])

    def _run(self, tokens: "Sequence[Encoding]") -> NDArray[np.float32]:
        shape = (len(tokens), max(len(each.ids) for each in tokens))
        ids = np.full(shape, self._pad_id, dtype=np.int64)
        mask, types = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
        for row, each in enumerate(tokens):
            length = len(each.ids)
            ids[row, :length], mask[row, :length], types[row, :length] = each.ids, 1, each.type_ids
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}
        output: NDArray[Any] = self._session.run(None, {name: given[name] for name in self._wanted})[0]
        return self._pooled(output, mask)

    def _pooled(self, output: NDArray[Any], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        if output.ndim == 2 or self._pooling == NO_POOLING:  # the network pools by itself
            pooled = output.reshape(len(output), -1)
        elif self._pooling == "cls":
            pooled = output[:, 0]
        else:
            weights = mask[:, :, None].astype(np.float32)
            pooled = (output * weights).sum(axis=1) / weights.sum(axis=1)
        return pooled.astype(np.float32)


PACKAGES = ("onnxruntime", "tokenizers", "huggingface_hub")
LONGEST = 8_000  # characters given to the tokenizer; the model reads 512 tokens at most


class LocalModel:
    """A model on this machine, loaded at first use, once per process, and used by many threads.

    `pools` False: the network does the pooling.
    """

    def __init__(self, named: str, options: LocalEmbedderOptions, *, pools: bool = True) -> None:
        self.name = Path(named).name
        self._named, self._options, self._pools = named, options, pools
        self._encoder: OnnxEncoder | None = None
        self._loading = threading.Lock()

    def encode(
        self, texts: Sequence[str] | Sequence[tuple[str, str]], *, timeout: float | None
    ) -> NDArray[np.float32]:
        """Like OnnxEncoder.encode. Waits at most `timeout` seconds while another thread loads the model.

        Raises ProviderError.
        """
        encoder = self._encoder or self._load(timeout)
        try:
            return encoder.encode(texts)
        except Exception as error:  # onnxruntime has unrelated classes, such as for lack of memory
            raise ProviderUnavailable(f"The model {self.name!r} failed: {type(error).__name__}.") from error

    def _load(self, timeout: float | None) -> OnnxEncoder:
        if not self._loading.acquire(timeout=-1 if timeout is None else timeout):
            raise ProviderTimeout(f"The model {self.name!r} is still being loaded.")
        try:
            if self._encoder is None:
                self._encoder = self._loaded()
            return self._encoder
        finally:
            self._loading.release()

    def _loaded(self) -> OnnxEncoder:
        options = self._options
        problems = local_problems(options)
        if problems:
            raise ProviderMisconfigured(" ".join(problems))
        files = find_files(self._named, folder=options.folder, hub=options.hub, pools=self._pools)
        try:
            return OnnxEncoder(files, threads=options.threads)
        except Exception as error:  # both libraries raise their own classes for unreadable files
            raise ProviderMisconfigured(
                f"The model {self.name!r} can't be loaded: {type(error).__name__}. Are its files complete?"
            ) from error


class LocalEmbedder(Embedder):
    kind: ClassVar[str] = "local"
    default_model: ClassVar[str] = "sentence-transformers/all-MiniLM-L6-v2"
    most_texts = 256

    def __init__(self, *, alias: str, options: Mapping[str, Any] | None = None) -> None:
        """Raises ProviderMisconfigured for invalid options. Does not load the model."""
        super().__init__(alias=alias, options=options)
        self.options = read_options(LocalEmbedderOptions, options or {})
        self._named = self.options.model or self.default_model
        # The same for a folder and the hub, as the vectors are the same.
        self.model = Path(self._named).name[:LONGEST_MODEL_NAME]
        self.prefixes = prefixes_of(
            self._named, query=self.options.query_prefix, document=self.options.document_prefix
        )
        self._model = LocalModel(self._named, self.options)

    def _ask(self, texts: Sequence[str], *, purpose: Purpose, timeout: float | None) -> Rows:
        prefixed = [self.prefixes.before(text, purpose)[:LONGEST] for text in texts]
        return self._model.encode(prefixed, timeout=timeout)


def local_problems(options: LocalEmbedderOptions) -> list[str]:
    """Return what a model on this machine lacks, as sentences, without loading anything."""
    missing = [name for name in PACKAGES if not _is_installed(name)]
    if missing:
        return [
            f"A model on this machine needs {', '.join(missing)}: "
            ".venv/bin/pip install -r requirements-local.txt"
        ]
    if is_folder(options.model) and not Path(options.model).expanduser().is_dir():
        return [f"model: there is no folder {options.model}."]
    return []


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ValueError:
        return False
