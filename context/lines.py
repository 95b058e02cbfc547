"""Remembered entries as items of a list: what each line says beside its content. Pure."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import NamedTuple

from memory.entries.happens import PASSED, SAME_DAY, day_of, plan_is_over, told_as
from memory.entries.snapshots import Line
from memory.entries.words import names_in_text
from memory.fence import escape_item, escape_items

FOUND = "Found for this message:"  # above what was retrieved, where a list stands before it


class Group(NamedTuple):
    """Lines that stand under one heading, all retrieved or none; heading "": under none.

    Those of a lower `rank` stand first.
    """

    retrieved: bool
    heading: str
    rank: int = 0


def items_of(
    lines: Iterable[Line], *, timezone: str, now: datetime, keyed: bool = False, dated_from: int | None = None
) -> list[str]:
    """One item a line. `keyed`: `value (key)` where the entry has a key. From the place `dated_from` on (None: nowhere)
    each says when it was told; those before it stand under a heading that does.
    """
    lines = list(lines)
    plain = lines[:dated_from]
    usual = iter(escape_items([line[2] for line in plain if line[3] is None]))
    items = [
        f"- {next(usual)}"
        if line[3] is None
        else _unusual_item(line, timezone, now, keyed=keyed, dated=False)
        for line in plain
    ]
    dated = lines[len(plain) :]
    return items + [_unusual_item(line, timezone, now, keyed=keyed, dated=True) for line in dated]


def groups_by_type(lines: Sequence[Line], *, listed: int) -> list[Group]:
    """The types of lines, such as `Identity:`; those after the first `listed` are retrieved."""
    return [Group(place >= listed, _type_heading(line[1])) for place, line in enumerate(lines)]


def groups_of_facts(lines: Sequence[Line], *, listed: int) -> list[Group]:
    """As "Building AI agent memory" published its block: the facts, then the preferences."""
    return [
        Group(place >= listed, "## Preferences", 1)
        if line[1] == "preference"
        else Group(place >= listed, "## Known facts about this user")
        for place, line in enumerate(lines)
    ]


def groups_by_day(lines: Sequence[Line], *, listed: int, timezone: str) -> list[Group]:
    """The days on which the first `listed` lines were told; the others are retrieved."""
    told = [line[4] // SAME_DAY for line in lines[:listed]]  # before every reply: each day is worked out once
    days = {moment: Group(False, f"Told {day_of(moment * SAME_DAY, timezone)}:") for moment in set(told)}
    return [*map(days.__getitem__, told), *[Group(True, FOUND if listed else "")] * (len(lines) - listed)]


def in_groups(kept: Iterable[int], items: Sequence[str], groups: Sequence[Group]) -> list[str]:
    """The kept items, each under its group's heading; groups by rank, then as they first appear."""
    members: dict[Group, list[str]] = {}
    for group, places in groupby(kept, key=groups.__getitem__):
        members.setdefault(group, []).extend(items[place] for place in places)
    ordered = sorted(members.items(), key=lambda member: member[0].rank)
    return [line for group, own in ordered for line in ([group.heading, *own] if group.heading else own)]


def today_line(now: datetime, timezone: str) -> str:
    """The person's own day, so that a reader can tell what is past."""
    day = datetime.fromisoformat(day_of(now.timestamp(), timezone))
    return f"Today is {day:%A}, {day.date().isoformat()}."


def _type_heading(type: str) -> str:
    return f"{escape_item(type.replace('_', ' ').capitalize())}:"


def _unusual_item(line: Line, timezone: str, now: datetime, *, keyed: bool, dated: bool) -> str:
    """The item, with whom it is about unless that is the user or named in it, and with its dates."""
    content, more = line[2], line[3] or {}
    about = ""
    if "subject" in more and not names_in_text(content, more["subject"]):
        about = f"(about {escape_item(more['subject'])}) "
    key = more.get("key") if keyed else None
    said = content.removeprefix(f"{key}: ") if key else content
    facts = _dates(line, more.get("happens_at"), timezone, now)
    if dated:
        facts.append(f"told {day_of(line[4], timezone)}")
    after = f" ({'; '.join(facts)})" if facts else ""
    under = f" ({escape_item(key)})" if key else ""
    return f"- {about}{escape_item(said)}{after}{under}"


def _dates(line: Line, happens_at: str | None, timezone: str, now: datetime) -> list[str]:
    """When it happens, unless the text says so, and whether that is over without a word on how it went."""
    if not happens_at:
        return []
    told = told_as(happens_at, timezone)
    dates = [told] if told not in line[2] and happens_at not in line[2] else []
    told_at = datetime.fromtimestamp(line[4], UTC)
    return (
        [*dates, PASSED] if plan_is_over(happens_at, told_at=told_at, now=now, timezone=timezone) else dates
    )
