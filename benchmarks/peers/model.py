"""The orchestrator's hand on the model server: what it knows, how slow and how faulty it is, what it was asked."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from urllib.request import Request, urlopen

from benchmarks.charts import PEERS_PYTHON, ROOT
from benchmarks.peers.facts import Book, Counts, as_json


class Model:
    """`url` ends in /v1; a system is told by the API key it sends, its name."""

    def __init__(self, url: str) -> None:
        self.url = url

    def teach(self, book: Book) -> None:
        """Add to what it knows; the same words taught again change their meaning."""
        self._tell(book=as_json(book))

    def slow_down(self, milliseconds: int) -> None:
        """Each chat completion and each embedding call takes so much longer from now on."""
        self._tell(latency=milliseconds)

    def spoil(self, every: int) -> None:
        """Break every Nth chat answer of each system, counted from now on; 0: none."""
        self._tell(spoil=every)

    def warm(self, texts: Sequence[str], dimensions: int) -> None:
        """Have their vectors written already, so that who asks first doesn't wait for our arithmetic."""
        self._tell(warm=list(texts), dimensions=dimensions)

    def reset(self) -> None:
        """Forget the counts. What it knows stays."""
        self._tell(reset=True)

    def counts(self, system: str) -> Counts:
        return Counts(**self._tell(counts=system)["counts"])

    def tokenizer(self) -> str:
        """What counts the tokens."""
        return str(self._tell()["tokenizer"])

    def _tell(self, **wanted: Any) -> dict[str, Any]:
        address = self.url.removesuffix("/v1") + "/control"
        request = Request(address, json.dumps(wanted).encode(), {"Content-Type": "application/json"})
        with urlopen(request, timeout=30) as answer:
            told: dict[str, Any] = json.loads(answer.read())
        return told


@contextmanager
def model_server() -> Iterator[Model]:
    """In a process of its own, on loopback; ended at the end."""
    python = PEERS_PYTHON if PEERS_PYTHON.exists() else sys.executable  # there are the vendor's token numbers
    process = subprocess.Popen(
        [python, "-m", "benchmarks.peers.model_server"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield Model(process.stdout.readline().strip())
    finally:
        process.terminate()
        process.wait()
