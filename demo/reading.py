import json
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from demo.conversation import Conversation, Source
from demo.errors import UnreadableConversation
from demo.formats import locomo, rapport
from web.errors import FieldProblem, InvalidInput
from web.parsing import each_once

# By the member that only files of this format have.
FORMATS = {"turns": rapport.parse, "conversation": locomo.parse}


def read_conversation(
    path: Path, *, now: datetime, as_speaker: str | None = None, zone: ZoneInfo | None = None
) -> Conversation:
    """Read and check the conversation in a file. Raises UnreadableConversation."""
    data = _read(path)
    parse = next((parse for name, parse in FORMATS.items() if name in data), None)
    if parse is None:
        found = ", ".join(sorted(data)[:8]) or "nothing"
        raise _unreadable(
            path,
            "has neither `conversation` (LoCoMo) nor `turns` (Rapport's own); "
            f"what it has is {found}. See docs/how-to/import-a-conversation.md",
        )
    try:
        return parse(data, Source(path.stem, now, as_speaker, zone))
    except InvalidInput as error:
        raise UnreadableConversation(path, error.problems) from error


def _read(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_bytes().decode("utf-8-sig"), object_pairs_hook=each_once)
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise _unreadable(path, f"It is not UTF-8 text (at byte {error.start})") from error
    except json.JSONDecodeError as error:
        raise _unreadable(
            path, f"It is not JSON: {error.msg}, line {error.lineno} column {error.colno}"
        ) from error
    except RecursionError as error:
        raise _unreadable(path, "It is nested too deep") from error
    except ValueError as error:  # a name that stands twice, or a number of thousands of digits
        raise _unreadable(path, f"It is not read: {error}") from error
    if not isinstance(data, dict):
        raise _unreadable(path, "It must be one JSON object, in braces")
    return data


def _unreadable(path: Path, detail: str) -> UnreadableConversation:
    return UnreadableConversation(path, [FieldProblem("", detail)])
