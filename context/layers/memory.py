from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import NamedTuple

from context.answer import CapacityNote
from context.layers.base import NOTHING, Layer, LayerRequest, LayerText, left_out
from context.recall import Recalled, RecalledEntry
from context.text import all_fit, fill_names, fit_lines, framed
from memory.entries.happens import PASSED, SAME_DAY, day_of, plan_is_over, says_when, told_as
from memory.entries.snapshots import Line, lines_at
from memory.entries.words import tells_whom
from memory.fence import escape_item, escape_items
from memory.ingestion.configuration import Ingestion
from memory.models import Tier
from providers.tokens import estimate_tokens

FOUND = "Found for this message:"  # above what was retrieved, if the list is above it
EARLIER = "Remembered before, and replaced since:"  # above what held at a past time that is asked about
OF_THAT_TIME = "replaced since the time that the message asks about"
NEARLY_FULL = 0.9  # of ingestion.soft_budget
UNCLEAR = "Something the person asked to forget or correct is not done yet: ask what exactly they mean."
WHOLE, PINNED = "whole scratchpad, newest first", "pinned"
NEWEST = "newest of the scratchpad, within budget"
NEAREST = "of the scratchpad what fits the message, then the newest, within budget"


class Group(NamedTuple):
    """A heading for lines that are all `retrieved`, or all from the list; "" is no heading.

    Groups of a lower `rank` come first.
    """

    retrieved: bool
    heading: str
    rank: int = 0


def items_of(
    lines: Iterable[Line], *, timezone: str, now: datetime, keyed: bool = False, dated: bool = False
) -> list[str]:
    """One item per line. `keyed`: `value (key)` for entries with a key. `dated`: each says when it was told;
    otherwise the heading above it does.
    """
    lines = list(lines)
    usual = iter(escape_items([line[2] for line in lines if line[3] is None and not dated]))
    return [
        f"- {next(usual)}"
        if line[3] is None and not dated
        else _unusual_item(line, timezone, now, keyed=keyed, dated=dated)
        for line in lines
    ]


def groups_by_type(lines: Sequence[Line], *, listed: int) -> list[Group]:
    """Group lines by type, under headings like `Identity:`. Those after the first `listed` are retrieved."""
    return [Group(place >= listed, _type_heading(line[1])) for place, line in enumerate(lines)]


def groups_of_facts(lines: Sequence[Line], *, listed: int) -> list[Group]:
    """Group lines like the memory block in "Building AI agent memory": the facts, then the preferences."""
    return [
        Group(place >= listed, "## Preferences", 1)
        if line[1] == "preference"
        else Group(place >= listed, "## Known facts about this user")
        for place, line in enumerate(lines)
    ]


def groups_by_day(lines: Sequence[Line], *, listed: int, timezone: str) -> list[Group]:
    """Group the first `listed` lines by the day they were told; the others are retrieved."""
    told = [line[4] // SAME_DAY for line in lines[:listed]]  # so that each day is computed only once
    days = {moment: Group(False, f"Told {day_of(moment * SAME_DAY, timezone)}:") for moment in set(told)}
    return [*map(days.__getitem__, told), *[Group(True, FOUND if listed else "")] * (len(lines) - listed)]


def in_groups(kept: Iterable[int], items: Sequence[str], groups: Sequence[Group]) -> list[str]:
    """The kept items, each under its group's heading; groups by rank, then as they first appear."""
    members: dict[Group, list[str]] = {}
    for group, places in groupby(kept, key=groups.__getitem__):
        members.setdefault(group, []).extend(items[place] for place in places)
    ordered = sorted(members.items(), key=lambda member: member[0].rank)
    return [line for group, own in ordered for line in ([group.heading, *own] if group.heading else own)]


def _type_heading(type: str) -> str:
    return f"{escape_item(type.replace('_', ' ').capitalize())}:"


def _unusual_item(line: Line, timezone: str, now: datetime, *, keyed: bool, dated: bool) -> str:
    """The item with its dates, and with its subject unless that is the user or named in the text."""
    content, more = line[2], line[3] or {}
    about = ""
    if "subject" in more and not tells_whom(content, more["subject"]):
        about = f"(about {escape_item(more['subject'])}) "
    key = more.get("key") if keyed else None
    said = content.removeprefix(f"{key}: ") if key else content
    facts = _dates(line, more.get("happens_at"), timezone, now, ended="ended" in more)
    if dated:
        facts.append(f"told {day_of(line[4], timezone)}")
    if "ended" in more:
        facts.append(f"until {more['ended']}")
    after = f" ({'; '.join(facts)})" if facts else ""
    under = f" ({escape_item(key)})" if key else ""
    return f"- {about}{escape_item(said)}{after}{under}"


def _dates(line: Line, happens_at: str | None, timezone: str, now: datetime, *, ended: bool) -> list[str]:
    """When it happens, unless the text says so; and a note if that is past and the text doesn't say how it went.
    `ended`: it was replaced, by what says that.
    """
    if not happens_at:
        return []
    said, told_at = line[2], datetime.fromtimestamp(line[4], UTC)
    dates = [] if says_when(said, happens_at, timezone) else [told_as(happens_at, timezone)]
    over = not ended and plan_is_over(happens_at, said=said, told_at=told_at, now=now, timezone=timezone)
    return [*dates, PASSED] if over else dates


class MemoryLayer(Layer):
    """The entries, one line of fenced data each, under the preamble: the whole scratchpad, newest first, then what was
    retrieved for the message, best first. Being last, the retrieved don't change the text above (a prefix for caches).

    If the message asks about a past time, up to eight entries follow that were replaced since.

    If the budget is too small, whole entries are left out, from the end of the retrieved. If the scratchpad alone
    exceeds it, entries of both tiers that are related to the message are kept, then the newest. Pinned ones come first.
    """

    slug = "memory"
    weight = 4
    tells_days = True

    def render(self, request: LayerRequest) -> LayerText:
        facts, context = request.facts, request.configuration.context
        preamble = request.with_today(fill_names(context.preamble, facts).strip())
        if facts.awaits_review:
            preamble += f"\n{UNCLEAR}"
        budget, frame = request.budget_of(self), framed(preamble, what=context.block)
        listed: Sequence[Line] = []
        if context.memory != "retrieved":
            listed = lines_at(facts.scratchpad, fresh_until=facts.fresh_until, now=request.now)
        items, groups = _items(listed, request, listed=True), _groups(listed, len(listed), request)
        cut = bool(listed) and not all_fit(items, budget=budget, frame=frame, groups=groups)
        recalled = _recalled(request, cut=cut)
        in_list = {line[0] for line in listed} if cut else ()
        beside = [entry.line for entry in recalled.found if entry.line[0] not in in_list]
        earlier = request.recall.earlier()
        lines = [*listed, *beside, *earlier]
        if not lines:
            return LayerText(reason=recalled.reason) if recalled.reason else NOTHING
        if beside:
            items += _items(beside, request, listed=False)
            # The list and the retrieved have separate groups, so that the list stays unchanged.
            groups = _groups([*listed, *beside], len(listed), request)
        items += _items(earlier, request, listed=False)
        groups = [*groups, *[Group(True, EARLIER, 2)] * len(earlier)]
        pinned = [place for place, line in enumerate(lines) if line[3] and "pinned" in line[3]]
        place_of = {line[0]: place for place, line in enumerate(lines)} if cut else {}
        asked_about = range(len(listed) + len(beside), len(lines))
        first = [*pinned, *asked_about, *(place_of[entry.line[0]] for entry in recalled.found if cut)]
        budget = budget if cut or beside or earlier else None
        kept, left, least = fit_lines(items, budget=budget, frame=frame, first=first, groups=groups)
        shown = in_groups(kept, items, groups)
        return LayerText(
            text=framed(preamble, shown, what=context.block) if kept else "",
            sources=[lines[place][0] for place in kept],
            reason=_reason(recalled, listed, cut=any(place < len(listed) for place in left)),
            reasons={line[0]: OF_THAT_TIME for line in earlier}
            | _reasons(recalled, [lines[place][0] for place in pinned]),
            left_out=left_out([lines[place][0] for place in left]),
            capacity=_capacity(items[: len(listed)], request.configuration.ingestion),
            retrieved=[lines[place][0] for place in kept if place >= len(listed)],
            least=least,
        )


def _recalled(request: LayerRequest, *, cut: bool) -> Recalled[RecalledEntry]:
    """Search for what is related to the message: outside the list, and also in it if it has to be cut.

    Nothing is searched if there is nothing to find or to choose from.
    """
    facts, shows = request.facts, request.configuration.context.memory
    archive = (Tier.ARCHIVE,) if facts.has_archive else ()
    tiers = (Tier.SCRATCHPAD, *archive) if cut else archive
    if shows == "both" and tiers:
        return request.recall.entries(tiers=tiers)
    if shows == "retrieved" and (facts.has_archive or facts.scratchpad):
        return request.recall.entries()
    return Recalled()


def _items(lines: Sequence[Line], request: LayerRequest, *, listed: bool) -> list[str]:
    """The items, with when they were told unless a heading says it; a block of keyed facts never has that."""
    context = request.configuration.context
    keyed = context.block == "user_memory"
    dated = not keyed and (context.group_by_type or not listed)
    return items_of(lines, timezone=request.facts.timezone, now=request.now, keyed=keyed, dated=dated)


def _groups(lines: Sequence[Line], listed: int, request: LayerRequest) -> list[Group]:
    context = request.configuration.context
    if context.group_by_type:
        return groups_by_type(lines, listed=listed)
    if context.block == "user_memory":
        return groups_of_facts(lines, listed=listed)
    return groups_by_day(lines, listed=listed, timezone=request.facts.timezone)


def _reason(recalled: Recalled[RecalledEntry], listed: Sequence[Line], *, cut: bool) -> str:
    about_list = ((NEAREST if recalled.found else NEWEST) if cut else WHOLE) if listed else ""
    return "; ".join(part for part in (about_list, recalled.reason) if part)


def _reasons(recalled: Recalled[RecalledEntry], pinned: Sequence[str]) -> dict[str, str]:
    found = {entry.line[0]: entry.reason for entry in recalled.found}
    return found | {source: f"{PINNED}; {found[source]}" if source in found else PINNED for source in pinned}


def _capacity(items: Sequence[str], ingestion: Ingestion) -> CapacityNote | None:
    """The note on the scratchpad's size, if needed. Counted as one text, as overflow does it."""
    budget, used = ingestion.soft_budget, estimate_tokens("\n".join(items))
    if not budget or used < NEARLY_FULL * budget:
        return None
    detail = f"The scratchpad takes about {used} of {budget} tokens. The model is asked to condense it"
    if ingestion.overflow == "archive":
        detail += "; what is past them moves to the archive, the least salient first"
    return CapacityNote(used, budget, round(used / budget, 2), f"{detail}.")
