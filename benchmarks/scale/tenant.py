"""One number of relationships: a database and a service of their own, in a process of its own.

The processes live side by side, so that rounds of all of them can take turns. Each is asked over a pipe: a name and
its arguments; it answers ("told", ...) as often as it likes, then ("done", result) or ("failed", message).
"""

import multiprocessing
import os
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

Tell = Callable[[str, float], None]


class Tenant:
    """The handle of such a process."""

    def __init__(self, relationships: int, folder: Path) -> None:
        self.relationships = relationships
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_live, args=(theirs, str(folder)))
        self._process.start()
        theirs.close()

    def ask(self, name: str, tell: Tell | None = None, **arguments: Any) -> Any:
        """Raises RuntimeError with what went wrong there."""
        self._pipe.send((name, arguments))
        while True:
            try:
                kind, *rest = self._pipe.recv()
            except EOFError:
                raise RuntimeError(f"The process of {self.relationships:,} relationships ended.") from None
            if kind == "told" and tell:
                tell(*rest)
            if kind == "failed":
                raise RuntimeError(rest[0])
            if kind == "done":
                return rest[0]

    def close(self) -> None:
        """Stop its service and its database, and wait for that."""
        if self._process.is_alive():
            self._pipe.close()
            self._process.join(120)


def _live(pipe: Connection, folder: str) -> None:
    """Until the pipe closes."""
    os.environ["RAPPORT_DATA_DIR"] = folder
    import django

    django.setup()
    from benchmarks.scale.answers import Answers

    answers = Answers(Path(folder))
    try:
        while True:
            name, arguments = pipe.recv()
            try:
                if name == "seed":
                    arguments["tell"] = _telling(pipe)
                pipe.send(("done", getattr(answers, name)(**arguments)))
            except Exception as error:
                pipe.send(("failed", f"{type(error).__name__}: {error}"))
    except (EOFError, KeyboardInterrupt):
        pass
    finally:
        answers.close()


def _telling(pipe: Connection) -> Tell:
    lock = threading.Lock()  # two connections fill tables

    def tell(what: str, share: float) -> None:
        with lock:
            pipe.send(("told", what, share))

    return tell
