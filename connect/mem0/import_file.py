"""Imports memories from a file that mem0 wrote: the answer of its `get_all`, or a list of memories."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from pydantic import TypeAdapter

from connect.mem0.requests import Refusal, end_of, time_of
from memory.entries.adding import add_what_fits
from memory.entries.limits import entry_fault
from memory.models import EntrySource
from relationships.models import Project
from relationships.services.limits import metadata_fault
from relationships.services.relationships import get_or_create_relationship
from web.actor import Actor
from web.errors import InvalidInput, RapportError
from web.fields import ExternalId, checked_value
from web.parsing import each_once, parse_object
from web.problems import MalformedBody

_USER = TypeAdapter(ExternalId)


@dataclass(frozen=True, slots=True)
class Moved:
    """`left_out`: a sentence for each memory that could not be imported."""

    entries: int
    people: int
    left_out: list[str]


@transaction.atomic
def import_memories(
    text: str,
    *,
    project: Project,
    companion: str,
    by: Actor,
    told: Callable[[float], None] = lambda share: None,
) -> Moved:
    """Import each memory as an entry of its person, with its dates and metadata, unless it is there already.

    `companion`: a slug, for all of them. `told` hears after each person what share of the work, of 1, that was. Raises
    InvalidInput if the file is not mem0's.
    """
    people: dict[str, dict[int, tuple[Mapping[str, Any], str]]] = {}
    left_out: dict[int, str] = {}
    for place, memory in enumerate(_memories(text)):
        fault = _fault(memory)
        if fault:
            left_out[place] = fault
            continue
        user, content = memory["user_id"], memory["memory"]
        at = time_of(memory.get("created_at"))
        values = {"content": content, "type": "other", "metadata": memory.get("metadata") or {}}
        values |= {} if at is None else {"effective_at": at}
        with suppress(Refusal):  # mem0 keeps what has a date that it can't read
            ends = end_of(memory.get("expiration_date"))
            values |= {} if ends is None else {"expires_at": datetime.fromisoformat(ends)}
        people.setdefault(user, {})[place] = (values, "from mem0")
    taken, total = [], sum(map(len, people.values()))
    for user, theirs in people.items():
        relationship, _ = get_or_create_relationship(
            project_id=project.id, companion=companion, user=user, by=by
        )
        entries, refused = add_what_fits(
            relationship=relationship, given=list(theirs.values()), by=by, source=EntrySource.IMPORT
        )
        places = list(theirs)
        left_out |= {places[number]: error.detail for number, error in refused.items()}
        taken.append(len(entries))
        told(len(places) / total)
    sentences = [f"{place}: {why}" for place, why in sorted(left_out.items())]
    return Moved(sum(taken), sum(map(bool, taken)), sentences)


def _memories(text: str) -> list[Mapping[str, Any]]:
    try:
        read = json.loads(text, object_pairs_hook=each_once)
    except (ValueError, RecursionError) as error:
        raise InvalidInput.of("file", f"is not JSON: {error}") from None
    listed = read.get("results", read.get("memories")) if isinstance(read, dict) else read
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise InvalidInput.of("file", "holds no list of memories; write one with mem0's get_all")
    return listed


def _fault(memory: Mapping[str, Any]) -> str:
    """What a call that sent the same memory would be refused for; "" if nothing."""
    user, content, metadata = memory.get("user_id"), memory.get("memory"), memory.get("metadata") or {}
    if not isinstance(user, str) or not user:
        return "user_id: is required; memories of only agents or runs belong to nobody here"
    if not isinstance(content, str) or not content.strip():
        return "memory: is empty"
    if not isinstance(metadata, dict):
        return "metadata: has to be a JSON object"
    try:
        checked_value(_USER, user, field="user_id")
        parse_object(json.dumps({"memory": content, "metadata": metadata}).encode())
    except MalformedBody:
        return "metadata: holds NaN or an infinite number, which JSON does not have"
    except RapportError as error:
        return error.detail
    return entry_fault(content) or (f"metadata: {too_long}" if (too_long := metadata_fault(metadata)) else "")
