"""Translates requests of mem0's clients: whose memory is meant, what was said, and when."""

import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings

from chat.messages import check_message, text_of
from web.errors import InvalidInput
from web.fields import EARLIEST, LATEST
from web.parsing import parse_text

_DATED = re.compile(r"\s*\[(\d{4}-\d\d-\d\d[^\]]{0,40})\]\s*")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_SLUG = re.compile(r"[a-z0-9][a-z0-9_-]{0,79}")
ENTITIES = ("user_id", "agent_id", "app_id", "run_id")
NOT_HERE = {
    "immutable": "Mark the entry as read_only instead.",
    "includes": "Give the companion an ingestion prompt of its own instead.",
    "excludes": "Give the companion an ingestion prompt of its own instead.",
    "custom_instructions": "Give the companion an ingestion prompt of its own instead.",
    "agent_custom_instructions": "Give the companion an ingestion prompt of its own instead.",
    "custom_categories": "Give the companion entry types of its own instead (ingestion.types).",
    "structured_data_schema": "Use the profile instead.",
}


class Refusal(Exception):
    """An error response: its status and text, and after how many seconds to try again, if that is known."""

    def __init__(self, status: int, detail: str, *, retry_after: int | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.retry_after = status, detail, retry_after


@dataclass(frozen=True, slots=True)
class Whose:
    """`user`: the person's external ID; `companion`: a slug; `session`: of the messages, if any."""

    user: str
    companion: str
    session: str | None = None


def whose(given: dict[str, Any], *, stored: bool) -> Whose:
    """Read the entities, from the top level or from `filters`. `stored`: the request stores messages, so `run_id` is a
    session; searches refuse it, as a person has one memory across runs. Raises Refusal.
    """
    named = {name: value for name, value in _entities(given).items() if value is not None}
    for name, value in named.items():
        if not isinstance(value, str):
            raise Refusal(400, f"{name}: must be a text.")
    user = named.get("user_id")
    if user in (None, "", "*"):
        raise Refusal(400, "user_id: name one person, as user_id or in filters.")
    if "app_id" in named:
        raise Refusal(400, "app_id: there are no apps here; each project has its own key.")
    if "run_id" in named and not stored:
        raise Refusal(400, "run_id: a person's memory is shared by all runs; leave out run_id.")
    companion = str(named.get("agent_id") or settings.MEM0_COMPANION)
    if not _SLUG.fullmatch(companion):
        raise Refusal(400, "agent_id: is the slug of a companion: lower-case letters, digits, - and _.")
    return Whose(str(user), companion, named.get("run_id"))


def _entities(given: dict[str, Any]) -> dict[str, Any]:
    filters = given.get("filters") or {}
    if isinstance(filters, str):
        filters = _object(filters)
    found = {name: given.get(name) for name in ENTITIES}
    for part in _conditions(filters):
        for name, value in part.items():
            if name not in ENTITIES or not isinstance(value, str):
                raise Refusal(
                    400,
                    f"filters.{str(name)[:60]}: is not supported here; give user_id and agent_id as texts.",
                )
            if found[name] not in (None, value):
                raise Refusal(400, f"filters.{name}: somebody else is also named; name one at a time.")
            found[name] = value
    return found


def _conditions(filters: Any) -> list[dict[str, Any]]:
    """The conditions of a filter, all of which must hold. A single level of AND is allowed."""
    listed = filters.get("AND", []) if isinstance(filters, dict) else None
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise Refusal(400, "filters: must be an object, and AND in it a list of objects.")
    return [{name: value for name, value in filters.items() if name != "AND"}, *listed]


def said(given: dict[str, Any]) -> list[dict[str, Any]]:
    """Read the messages of a turn. A text may begin with its date: `[2024-05-08 13:56] ...`.

    Raises Refusal, InvalidInput.
    """
    messages = given.get("messages")
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    if not isinstance(messages, list) or not messages:
        raise Refusal(400, "messages: send a list of messages.")
    return [_message(one, place) for place, one in enumerate(messages)]


def _message(given: Any, place: int) -> dict[str, Any]:
    if isinstance(given, dict):
        given = {"role": "user", **given}
    check_message(given, place)
    text = text_of(given)
    message = {"role": given["role"], "content": text}
    if isinstance(given.get("name"), str):
        message["speaker"] = given["name"]
    dated = _DATED.match(text)
    if dated and (at := time_of(dated[1])):
        message |= {"content": text[dated.end() :] or text, "occurred_at": at.isoformat()}
    return message


def when(value: Any, field: str) -> str | None:
    """Parse mem0's times: seconds since 1970, or a date or time in ISO 8601. Raises Refusal."""
    if value is None:
        return None
    found = None
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e11:
        with suppress(ValueError, OverflowError, OSError):
            found = datetime.fromtimestamp(value, UTC)
    else:
        found = time_of(value)
    if found is None:
        raise Refusal(400, f"{field}: write seconds since 1970, or a date such as 2026-03-02.")
    return found.isoformat()


def end_of(value: Any) -> str | None:
    """The end of an `expiration_date`: as in mem0, a date counts to the end of that day in UTC. Raises Refusal."""
    if isinstance(value, str) and _DATE.fullmatch(value.strip()):
        with suppress(ValueError, OverflowError):
            day = datetime.fromisoformat(value.strip()).replace(tzinfo=UTC)
            return (day + timedelta(days=1)).isoformat()
    return when(value, "expiration_date")


def last_day(ends: str | None) -> str | None:
    """The date, in UTC, to whose end or into which something is kept that ends at this time."""
    if ends is None:
        return None
    return (datetime.fromisoformat(ends).astimezone(UTC) - timedelta(microseconds=1)).date().isoformat()


def time_of(value: Any) -> datetime | None:
    """A date or time in ISO 8601, in UTC if it names no zone; None if it isn't one, or none that can be kept."""
    try:
        at = datetime.fromisoformat(str(value).strip())
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return at if EARLIEST <= at <= LATEST else None


def two_ids(text: str) -> tuple[str, str]:
    """Split a memory's ID into the relationship's and its own: nothing is looked up across people. Raises Refusal."""
    try:
        relationship, thing = map(UUID, text.split(".", 1))
    except ValueError:
        raise Refusal(404, "This memory does not exist.") from None
    return str(relationship), str(thing)


def _object(text: str) -> dict[str, Any]:
    try:
        return parse_text(text, field="filters")
    except InvalidInput as error:
        raise Refusal(400, error.detail) from None
