"""The process that parses a document: reads the bytes from stdin, writes JSON to stdout.

It has no database, no keys, no files to write, little memory and little time. It ends with the worker that started
it. Started by knowledge.sandbox as `python -m knowledge.parsing.child`.
"""

import ctypes
import json
import os
import resource
import signal
import sys
from contextlib import suppress
from importlib import import_module
from typing import Any

from knowledge.parsing.base import Limits, Parser, Unreadable

PARSERS = {
    "pdf": "knowledge.parsing.pdf.parse_pdf",
    "docx": "knowledge.parsing.docx.parse_docx",
    "html": "knowledge.parsing.html.parse_html",
    "markdown": "knowledge.parsing.text.parse_markdown",
    "text": "knowledge.parsing.text.parse_text",
}
_PR_SET_PDEATHSIG = 1
_CEILINGS = {"RLIMIT_CORE": 0, "RLIMIT_FSIZE": 0, "RLIMIT_NPROC": 0, "RLIMIT_NOFILE": 64}
_GRACE_SECONDS = 5  # between SIGXCPU, which tells the reason, and SIGKILL


def main() -> None:
    told = json.loads(sys.argv[1])
    confine(parent=told["parent"], seconds=told["seconds"], memory=told["memory"])
    answer = parse(told["kind"], sys.stdin.buffer.read(), Limits(told["pages"], told["characters"]))
    sys.stdout.write(json.dumps(answer, ensure_ascii=True))


def confine(*, parent: int, seconds: int, memory: int) -> None:
    """Permanently drop what parsing does not need. `memory` in bytes. Exits if the parent is gone."""
    ceilings = {name: (ceiling, ceiling) for name, ceiling in {**_CEILINGS, "RLIMIT_AS": memory}.items()}
    for name, pair in {**ceilings, "RLIMIT_CPU": (seconds, seconds + _GRACE_SECONDS)}.items():
        with suppress(OSError, ValueError, AttributeError):  # a system without this limit
            resource.setrlimit(getattr(resource, name), pair)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(seconds)  # counts time spent waiting, too
    with suppress(OSError, AttributeError):  # only on Linux; elsewhere the alarm ends it
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit(1)


def parse(kind: str, content: bytes, limits: Limits) -> dict[str, Any]:
    """Return {"blocks": [[text, page, heading], ...], "pages", "picture_pages"}, or {"error": code}."""
    module, _, name = PARSERS[kind].rpartition(".")
    blocks: list[tuple[str, int | None, str]] = []
    characters = picture_pages = 0
    try:
        parser: Parser = getattr(import_module(module), name)
        for block in parser(content, limits):
            if not block.text:
                picture_pages += 1
                continue
            characters += len(block.text)
            if characters > limits.characters:
                return {"error": "too_much_text"}
            blocks.append((block.text, block.page, block.heading))
        pages = import_module("knowledge.parsing.pdf").page_count(content) if kind == "pdf" else None
    except Unreadable as error:
        return {"error": error.code}
    except MemoryError:
        return {"error": "too_much_memory"}
    except RecursionError:
        return {"error": "broken"}  # nested deeper than any real document
    if not blocks:
        return {"error": "no_text"}
    return {"blocks": blocks, "pages": pages, "picture_pages": picture_pages}


if __name__ == "__main__":
    main()
