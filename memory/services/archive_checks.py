"""What must fit together in an archive, beyond the shape of each of its rows. No database here."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson

from memory.models import EntryState
from memory.services.fingerprint import content_hash
from memory.services.times import is_future
from relationships.errors import FieldProblem, InvalidInput
from relationships.services.configuration import check_level

Archive = Mapping[str, Any]
_IN_FUTURE = "lies in the future; say when it was said"
_LISTS = ("profile_revisions", "sessions", "turns", "entries", "revisions", "held_deletions", "model_calls")


def check_archive(archive: Archive, *, now: datetime) -> None:
    """Raises InvalidInput naming the fields, InvalidConfiguration. Nothing was said after `now`."""
    problems = [*_repeated(_ids(archive), "this ID stands before")]
    problems += _repeated(_places(archive["sessions"], "sessions", "session"), "is there twice")
    problems += _repeated(
        _places(archive["profile_revisions"], "profile_revisions", "version"), "is there twice"
    )
    problems += _out_of_order(archive)
    problems += _repeated(_fingerprints(archive), "says the same as another active entry")
    problems += _repeated(_single_values(archive), "is held by another active entry, and may have one value")
    problems += _strangers(archive)
    problems += [FieldProblem(path, _IN_FUTURE) for path, time in _said(archive) if is_future(time, now=now)]
    if problems:
        first = problems[0]
        raise InvalidInput(f"{first.field}: {first.detail}", problems=problems[:20])
    _check_configurations(archive)


def order_of(numbers: Iterable[int]) -> dict[int, int]:
    """Each number's place among them, from 0."""
    return {number: place for place, number in enumerate(sorted(numbers))}


def _ids(archive: Archive) -> Iterator[tuple[str, Any]]:
    """Across all tables, so that an ID can be looked for without saying in which."""
    if archive["profile"]:
        yield "profile.id", archive["profile"]["id"]
    for name in _LISTS:
        yield from _places(archive[name], name, "id")
    for place, turn in enumerate(archive["turns"]):
        yield from _places(turn["messages"], f"turns.{place}.messages", "id")


def _places(rows: Iterable[Mapping[str, Any]], name: str, member: str) -> Iterator[tuple[str, Any]]:
    return ((f"{name}.{place}.{member}", row[member]) for place, row in enumerate(rows))


def _out_of_order(archive: Archive) -> list[FieldProblem]:
    """A turn's messages are numbered after it and before the next turn; revisions have numbers of their own."""
    problems, last, taken = [], 0, set()
    for place, turn in enumerate(archive["turns"]):
        said = _places(turn["messages"], f"turns.{place}.messages", "seq")
        for path, seq in [(f"turns.{place}.seq", turn["seq"]), *said]:
            if seq <= last:
                problems.append(FieldProblem(path, f"is not after {last}, which comes before it"))
            last = max(last, seq)
            taken.add(seq)
    revisions = list(_places(archive["revisions"], "revisions", "seq"))
    problems += [FieldProblem(path, "is a turn's or message's") for path, seq in revisions if seq in taken]
    return problems + _repeated(revisions, "is another revision's")


def _fingerprints(archive: Archive) -> Iterator[tuple[str, Any]]:
    for place, entry in _active(archive):
        yield (
            f"entries.{place}.content",
            (entry["subject"], entry["type"], content_hash(entry["content"])),
        )


def _single_values(archive: Archive) -> Iterator[tuple[str, Any]]:
    for place, entry in _active(archive):
        if entry["single_valued"]:
            yield f"entries.{place}.key", (entry["subject"], entry["key"])


def _active(archive: Archive) -> Iterator[tuple[int, Mapping[str, Any]]]:
    rows = enumerate(archive["entries"])
    return ((place, entry) for place, entry in rows if entry["state"] == EntryState.ACTIVE)


def count_active(archive: Archive) -> int:
    return sum(1 for _ in _active(archive))


def _said(archive: Archive) -> Iterator[tuple[str, datetime]]:
    """When each thing was said; of an entry that does not say, when it was written down counts."""
    for place, entry in enumerate(archive["entries"]):
        member = "effective_at" if entry["effective_at"] else "recorded_at"
        if entry[member]:
            yield f"entries.{place}.{member}", entry[member]
    yield from _places(archive["revisions"], "revisions", "effective_at")
    yield from _places(archive["turns"], "turns", "occurred_at")
    for place, turn in enumerate(archive["turns"]):
        yield from _places(turn["messages"], f"turns.{place}.messages", "occurred_at")


def _strangers(archive: Archive) -> list[FieldProblem]:
    return [
        FieldProblem(f"revisions.{place}.{side}.id", "is not the revision's entry_id")
        for place, revision in enumerate(archive["revisions"])
        for side in ("before", "after")
        if revision[side] and UUID(revision[side]["id"]) != revision["entry_id"]
    ]


def _repeated(found: Iterable[tuple[str, Any]], detail: str) -> list[FieldProblem]:
    seen: set[Any] = set()
    problems = []
    for path, value in found:
        if value in seen:
            problems.append(FieldProblem(path, detail))
        seen.add(value)
    return problems


def _check_configurations(archive: Archive) -> None:
    """Each level as a developer's own would be: one that can't be resolved would stop its relationship for ever."""
    check_level(archive["relationship"]["config"], inside="relationship.config")
    checked: set[bytes] = set()
    for place, turn in enumerate(archive["turns"]):
        raw = orjson.dumps(turn["config"], option=orjson.OPT_SORT_KEYS)
        if raw not in checked:
            check_level(turn["config"], inside=f"turns.{place}.config")
            checked.add(raw)
