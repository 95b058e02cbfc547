"""Parses a document in a separate process, so that no file can crash the worker."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from knowledge.parsing.base import Block, Unreadable

_STARTING = 10  # seconds that the process may take besides parsing
_KEPT = ("PATH", "LANG", "PYTHONPATH", "TMPDIR")  # environment variables: no keys, no database URL
_TOO_SLOW = (-signal.SIGALRM, -signal.SIGXCPU)
_TOO_LARGE = -signal.SIGABRT  # how PDFium ends when out of memory


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    blocks: tuple[Block, ...]
    pages: int | None
    picture_pages: int


def parse_document(content: bytes, *, kind: str) -> ParsedDocument:
    """Return the document's text. Raises Unreadable, also if parsing exceeds a limit or crashes."""
    told = {
        "kind": kind,
        "parent": os.getpid(),
        "pages": settings.MAX_DOCUMENT_PAGES,
        "characters": settings.MAX_DOCUMENT_CHARACTERS,
        "seconds": settings.DOCUMENT_SECONDS,
        "memory": settings.DOCUMENT_MEMORY,
    }
    answer = _answer_of([sys.executable, "-m", "knowledge.parsing.child", json.dumps(told)], content)
    if "error" in answer:
        raise Unreadable(answer["error"])
    blocks = tuple(Block(*block) for block in answer["blocks"])
    return ParsedDocument(blocks, answer["pages"], answer["picture_pages"])


def _answer_of(command: list[str], content: bytes) -> dict[str, Any]:
    with subprocess.Popen(  # noqa: S603 - our own module, by its name
        command,
        cwd=settings.BASE_DIR,
        env={name: os.environ[name] for name in _KEPT if name in os.environ},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            written, _ = process.communicate(content, timeout=settings.DOCUMENT_SECONDS + _STARTING)
        except subprocess.TimeoutExpired:
            raise Unreadable("too_slow") from None
        finally:
            process.kill()
    if process.returncode in _TOO_SLOW:
        raise Unreadable("too_slow")
    if process.returncode == _TOO_LARGE:
        raise Unreadable("too_much_memory")
    if process.returncode:
        raise Unreadable("crashed")
    answer: dict[str, Any] = json.loads(written)
    return answer
