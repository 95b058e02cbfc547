from collections.abc import Sequence

from context.answer import CapacityNote
from context.layers.base import NOTHING, Layer, LayerRequest, LayerText, left_out
from context.lines import (
    Group,
    groups_by_day,
    groups_by_type,
    groups_of_facts,
    in_groups,
    items_of,
    today_line,
)
from context.recall import Recalled, RecalledEntry
from context.text import fill_names, fit_lines, line_cost
from memory.entries.snapshots import Line, lines_at
from memory.fence import fence
from memory.ingestion.configuration import Ingestion
from memory.models import Tier
from providers.tokens import estimate_tokens

NEARLY_FULL = 0.9  # of ingestion.soft_budget
UNCLEAR = "What the person asked to forget or correct is not done yet: ask what exactly they mean."
WHOLE, PINNED, FITS = "whole scratchpad, newest first", "pinned", "newest of the scratchpad, within budget"


class MemoryLayer(Layer):
    """What is remembered, one line of fenced data an entry, under the preamble: the scratchpad whole, newest first, and
    what was retrieved for the message, best first. The retrieved stand last, so that all before them stays as it was.

    Over budget whole entries are left out, the last of the list first; pinned ones are kept before all others.
    """

    slug = "memory"

    def render(self, request: LayerRequest) -> LayerText:
        facts, context = request.facts, request.configuration.context
        listed = [] if context.memory == "retrieved" else _listed(request)
        recalled = _recalled(request)
        lines = [*listed, *(entry.line for entry in recalled.found)]
        if not lines:
            return LayerText(reason=recalled.reason) if recalled.reason else NOTHING
        items = _items(lines, request, listed=len(listed))
        preamble = f"{fill_names(context.preamble, facts).strip()}\n{today_line(request.now, facts.timezone)}"
        if facts.awaits_review:
            preamble += f"\n{UNCLEAR}"
        # The list and the retrieved are grouped each by itself, so that the list stays as it was.
        groups = _groups(lines, len(listed), request)
        budget = request.budget_of(self)
        if budget is not None:
            budget -= line_cost(f"{preamble}\n{fence([], what=context.block)}")
        pinned = [place for place, line in enumerate(lines) if line[3] and "pinned" in line[3]]
        kept, left = fit_lines(items, budget=budget, first=pinned, groups=groups)
        shown = in_groups(kept, items, groups)
        return LayerText(
            text=f"{preamble}\n{fence(shown, what=context.block)}".lstrip() if kept else "",
            sources=[lines[place][0] for place in kept],
            reason=_reason(recalled, listed, cut=any(place < len(listed) for place in left)),
            reasons=_reasons(recalled, [lines[place][0] for place in pinned]),
            left_out=left_out([lines[place][0] for place in left]),
            capacity=_capacity(items[: len(listed)], request.configuration.ingestion),
            retrieved=[lines[place][0] for place in kept if place >= len(listed)],
        )


def _listed(request: LayerRequest) -> Sequence[Line]:
    facts = request.facts
    return lines_at(facts.scratchpad, fresh_until=facts.fresh_until, now=request.now)


def _recalled(request: LayerRequest) -> Recalled[RecalledEntry]:
    """What is searched beside the list; without anything to search in, nothing is asked."""
    facts, shows = request.facts, request.configuration.context.memory
    if shows == "both" and facts.has_archive:
        return request.recall.entries(tiers=(Tier.ARCHIVE,))  # the scratchpad is there whole
    if shows == "retrieved" and (facts.has_archive or facts.scratchpad):
        return request.recall.entries()
    return Recalled()


def _items(lines: Sequence[Line], request: LayerRequest, *, listed: int) -> list[str]:
    """Each says when it was told, by the heading it stands under or itself; a block of keyed facts never does."""
    context = request.configuration.context
    keyed = context.block == "user_memory"
    dated_from = None if keyed else 0 if context.group_by_type else listed
    return items_of(
        lines, timezone=request.facts.timezone, now=request.now, keyed=keyed, dated_from=dated_from
    )


def _groups(lines: Sequence[Line], listed: int, request: LayerRequest) -> list[Group]:
    context = request.configuration.context
    if context.group_by_type:
        return groups_by_type(lines, listed=listed)
    if context.block == "user_memory":
        return groups_of_facts(lines, listed=listed)
    return groups_by_day(lines, listed=listed, timezone=request.facts.timezone)


def _reason(recalled: Recalled[RecalledEntry], listed: Sequence[Line], *, cut: bool) -> str:
    about_list = (FITS if cut else WHOLE) if listed else ""
    return "; ".join(part for part in (about_list, recalled.reason) if part)


def _reasons(recalled: Recalled[RecalledEntry], pinned: Sequence[str]) -> dict[str, str]:
    found = {entry.line[0]: entry.reason for entry in recalled.found}
    return found | {source: f"{PINNED}; {found[source]}" if source in found else PINNED for source in pinned}


def _capacity(items: Sequence[str], ingestion: Ingestion) -> CapacityNote | None:
    """By the whole list at once, which is a little less than line by line, as entries overflow."""
    budget, used = ingestion.soft_budget, estimate_tokens("\n".join(items))
    if not budget or used < NEARLY_FULL * budget:
        return None
    detail = f"The scratchpad takes about {used} of {budget} tokens. The model is asked to condense it"
    if ingestion.overflow == "archive":
        detail += "; what is past them moves to the archive, the least salient first"
    return CapacityNote(used, budget, round(used / budget, 2), f"{detail}.")
