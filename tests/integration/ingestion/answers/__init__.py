"""Whole answers in the vendors' own shapes, as their servers send them.

`"{Likes tea}"` stands for the number at which the question shows the entry that says so.
"""

import json
import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
_PLACE = re.compile(r'\\?"\{([^"{}]+)\}\\?"')


def answer_of(vendor: str, name: str, said: str) -> dict[str, Any]:
    """A script item that answers exactly so to a question that says `said`."""
    body = (FOLDER / vendor / f"{name}.json").read_text()
    placed = _PLACE.sub(lambda found: _number_of(found[1], said), body)
    return {"raw": json.dumps(json.loads(placed)), "status": 200, "content_type": "application/json"}


def _number_of(content: str, said: str) -> str:
    shown = re.search(rf"^\[(\d+)\] \([^)]*\) {re.escape(content)}$", said, re.MULTILINE)
    assert shown, f"{content!r} is not among the entries shown: {said}"
    return shown[1]
