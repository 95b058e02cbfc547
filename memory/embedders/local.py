"""A small sentence model on this machine's processor: no key, nobody asked, some milliseconds a text.

It needs requirements-local.txt. Its files are downloaded at first use, or read from a folder; see local_files.py.
"""

import threading
from collections.abc import Mapping, Sequence
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from memory.embedders.base import Embedder, Purpose, RawVectors
from memory.embedders.local_files import find_files, is_folder
from memory.embedders.onnx_encoder import OnnxEncoder
from memory.embedders.options import LONGEST_MODEL_NAME, LocalEmbedderOptions
from memory.embedders.prefixes import prefixes_of
from memory.providers.errors import ProviderMisconfigured, ProviderTimeout, ProviderUnavailable
from memory.providers.options import read_options

PACKAGES = ("onnxruntime", "tokenizers", "huggingface_hub")
LONGEST = 8_000  # characters given to the tokenizer; the model reads 512 tokens at most


class LocalEmbedder(Embedder):
    kind: ClassVar[str] = "local"
    default_model: ClassVar[str] = "sentence-transformers/all-MiniLM-L6-v2"
    most_texts = 256

    def __init__(self, *, alias: str, options: Mapping[str, Any] | None = None) -> None:
        """Raises ProviderMisconfigured for options that can't be meant. Loads nothing."""
        super().__init__(alias=alias, options=options)
        self.options = read_options(LocalEmbedderOptions, options or {})
        self._named = self.options.model or self.default_model
        self.model = Path(self._named).name[
            :LONGEST_MODEL_NAME
        ]  # in a folder or from the hub: the same vectors
        self.prefixes = prefixes_of(
            self._named, query=self.options.query_prefix, document=self.options.document_prefix
        )
        self._encoder: OnnxEncoder | None = None
        self._loading = threading.Lock()

    def describe(self) -> dict[str, str]:
        return {**super().describe(), "host": "this machine"}

    def _ask(self, texts: Sequence[str], *, purpose: Purpose, timeout: float | None) -> RawVectors:
        encoder = self._encoder or self._load(timeout)
        prefixed = [self.prefixes.before(text, purpose)[:LONGEST] for text in texts]
        try:
            return RawVectors(encoder.encode(prefixed))
        except Exception as error:  # onnxruntime has a class of its own for each, such as for want of memory
            raise ProviderUnavailable(f"The model {self.model!r} failed: {type(error).__name__}.") from error

    def _cost(self, tokens: int | None) -> Decimal:
        return Decimal(0)

    def _load(self, timeout: float | None) -> OnnxEncoder:
        """The model, loaded once a process. Who comes meanwhile waits for it, at most `timeout` seconds."""
        if not self._loading.acquire(timeout=-1 if timeout is None else timeout):
            raise ProviderTimeout(f"The model {self.model!r} is still being loaded.")
        try:
            if self._encoder is None:
                self._encoder = self._loaded()
            return self._encoder
        finally:
            self._loading.release()

    def _loaded(self) -> OnnxEncoder:
        problems = local_problems(self.options)
        if problems:
            raise ProviderMisconfigured(" ".join(problems))
        files = find_files(self._named, folder=self.options.folder, hub=self.options.hub)
        try:
            return OnnxEncoder(files, threads=self.options.threads)
        except Exception as error:  # both libraries raise classes of their own for files they can't read
            raise ProviderMisconfigured(
                f"The model {self.model!r} can't be loaded: {type(error).__name__}. Are its files whole?"
            ) from error


def local_problems(options: LocalEmbedderOptions) -> list[str]:
    """What a model on this machine lacks, in sentences, without loading anything."""
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
