"""Remembered entries as items of a list: what each line says beside its content. Pure."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from memory.entries.snapshots import Line
from memory.fence import escape_item, escape_items


def items_of(lines: Iterable[Line], *, timezone: str, keyed: bool = False) -> list[str]:
    """One item a line. `keyed`: `key: value` where the entry has a key."""
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
    """Lines that stand under one heading: of one type, and all retrieved or none."""

    retrieved: bool
    type: str

    @property
    def heading(self) -> str:
        return f"{escape_item(self.type.replace('_', ' ').capitalize())}:"


def headings_of(groups: Iterable[Group]) -> list[str]:
    """A heading for each group."""
    return [group.heading for group in dict.fromkeys(groups)]


def in_groups(kept: Iterable[int], items: Sequence[str], groups: Sequence[Group]) -> list[str]:
    """The kept items, each under its group's heading; groups in the order in which they first appear."""
    members: dict[Group, list[str]] = {}
    for place in kept:
        members.setdefault(groups[place], []).append(items[place])
    return [line for group, own in members.items() for line in (group.heading, *own)]


def _unusual_item(line: Line, timezone: str, keyed: bool) -> str:
    """The item, with whom it is about unless that is the user, and with its day unless the text says it."""
    content, more = line[2], line[3]
    about = f"(about {escape_item(more['subject'])}) " if "subject" in more else ""
    said = f"{more['key']}: {content}" if keyed and "key" in more else content
    day = day_of(datetime.fromisoformat(more["happens_at"]), timezone) if "happens_at" in more else ""
    when = f" ({day})" if day and day not in content else ""
    return f"- {about}{escape_item(said)}{when}"
