"""Remembered entries as items of a list: what each line says beside its content. Pure."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from memory.entries.snapshots import Line
from memory.fence import escape_item, escape_items


def items_of(lines: Iterable[Line], *, timezone: str, keyed: bool = False) -> list[str]:
    """One item a line. `keyed`: `value (key)` where the entry has a key."""
    lines = list(lines)
    usual = iter(escape_items([line[2] for line in lines if line[3] is None]))
    return [f"- {next(usual)}" if line[3] is None else _unusual_item(line, timezone, keyed) for line in lines]


def day_of(moment: datetime, timezone: str) -> str:
    """The day in the relationship's time zone."""
    try:
        return moment.astimezone(ZoneInfo(timezone)).date().isoformat()
    except (
        OverflowError,
        ValueError,
        KeyError,
    ):  # the first or last day there is, or a zone this system lost
        return moment.date().isoformat()


class Group(NamedTuple):
    """Lines that stand under one heading, all retrieved or none; those of a lower `rank` before the others."""

    retrieved: bool
    heading: str
    rank: int = 0


def group_by_type(type: str, *, retrieved: bool) -> Group:
    """Of one type: `Identity:`."""
    return Group(retrieved, f"{escape_item(type.replace('_', ' ').capitalize())}:")


def group_of_facts(type: str, *, retrieved: bool) -> Group:
    """As "Building AI agent memory" published its block: the facts, then the preferences."""
    if type == "preference":
        return Group(retrieved, "## Preferences", 1)
    return Group(retrieved, "## Known facts about this user")


def headings_of(groups: Iterable[Group]) -> list[str]:
    """A heading for each group."""
    return [group.heading for group in dict.fromkeys(groups)]


def in_groups(kept: Iterable[int], items: Sequence[str], groups: Sequence[Group]) -> list[str]:
    """The kept items, each under its group's heading; groups by rank, then as they first appear."""
    members: dict[Group, list[str]] = {}
    for place in kept:
        members.setdefault(groups[place], []).append(items[place])
    ordered = sorted(members.items(), key=lambda member: member[0].rank)
    return [line for group, own in ordered for line in (group.heading, *own)]


def _unusual_item(line: Line, timezone: str, keyed: bool) -> str:
    """The item, with whom it is about unless that is the user, and with its day unless the text says it."""
    content, more = line[2], line[3]
    about = f"(about {escape_item(more['subject'])}) " if "subject" in more else ""
    key = more.get("key") if keyed else None
    said = content.removeprefix(f"{key}: ") if key else content
    day = day_of(datetime.fromisoformat(more["happens_at"]), timezone) if "happens_at" in more else ""
    when = f" ({day})" if day and day not in content else ""
    under = f" ({escape_item(key)})" if key else ""
    return f"- {about}{escape_item(said)}{when}{under}"
