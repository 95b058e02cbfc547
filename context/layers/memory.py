from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from context.answer import CapacityNote
from context.layers.base import NOTHING, Layer, LayerRequest, LayerText, left_out
from context.text import fill_names, fit_lines, line_cost
from memory.fence import escape_item, fence
from memory.services.snapshots import Line, lines_at
from memory.tokens import estimate_tokens

NEARLY_FULL = 0.9  # of ingestion.soft_budget
WHOLE, PINNED, FITS = "whole scratchpad, newest first", "pinned", "newest of the scratchpad, within budget"


class MemoryLayer(Layer):
    """The scratchpad: every active entry as one line of fenced data, under the preamble.

    Over budget whole entries are left out, the oldest first; pinned ones are kept before all others.
    """

    slug = "memory"

    def render(self, request: LayerRequest) -> LayerText:
        facts, context = request.facts, request.configuration.context
        lines = lines_at(facts.scratchpad, fresh_until=facts.fresh_until, now=request.now)
        if not lines:
            return NOTHING
        items = [
            f"- {escape_item(line[2])}" if line[3] is None else _unusual_item(line, facts.timezone)
            for line in lines
        ]
        pinned = {place: PINNED for place, line in enumerate(lines) if line[3] and "pinned" in line[3]}
        preamble = fill_names(context.preamble, facts).strip()
        headings = _headings(lines) if context.group_by_type else {}
        budget = request.budget_of(self)
        if budget is not None:
            budget -= line_cost(f"{preamble}\n{fence([])}") + sum(map(line_cost, headings.values()))
        kept, left = fit_lines(items, budget=budget, first=pinned)
        shown = _grouped(kept, lines, items, headings) if headings else [items[place] for place in kept]
        return LayerText(
            text=f"{preamble}\n{fence(shown)}".lstrip() if kept else "",
            sources=[lines[place][0] for place in kept],
            reason=FITS if left else WHOLE,
            reasons={lines[place][0]: why for place, why in pinned.items()},
            left_out=left_out([lines[place][0] for place in left]),
            capacity=_capacity(items, request.configuration.ingestion.soft_budget),
        )


def _unusual_item(line: Line, timezone: str) -> str:
    """The item, with whom it is about unless that is the user, and with its day unless the text says it."""
    content, more = line[2], line[3]
    about = f"(about {escape_item(more['subject'])}) " if "subject" in more else ""
    day = _day(more["happens_at"], timezone) if "happens_at" in more else ""
    when = f" ({day})" if day and day not in content else ""
    return f"- {about}{escape_item(content)}{when}"


def _day(moment: str, timezone: str) -> str:
    """The day of an ISO time in the relationship's time zone."""
    try:
        return datetime.fromisoformat(moment).astimezone(ZoneInfo(timezone)).date().isoformat()
    except (
        OverflowError,
        ValueError,
        KeyError,
    ):  # the first or last day there is, or a zone this system lost
        return moment[:10]


def _headings(lines: Iterable[Line]) -> dict[str, str]:
    """A line for each type, in the order in which the types first appear."""
    return {kind: f"{escape_item(kind.replace('_', ' ').capitalize())}:" for _, kind, _, _ in lines}


def _grouped(
    kept: Sequence[int], lines: Sequence[Line], items: Sequence[str], headings: Mapping[str, str]
) -> list[str]:
    groups: dict[str, list[str]] = {}
    for place in kept:
        groups.setdefault(lines[place][1], []).append(items[place])
    return [line for kind, group in groups.items() for line in (headings[kind], *group)]


def _capacity(items: Sequence[str], budget: int) -> CapacityNote | None:
    used = estimate_tokens("\n".join(items))
    if not budget or used < NEARLY_FULL * budget:
        return None
    detail = (
        f"The scratchpad takes about {used} of {budget} tokens; past them the model is asked to condense it."
    )
    return CapacityNote(used, budget, round(used / budget, 2), detail)
