"""Text that several layers write alike: names filled in, what fits a budget of tokens, and fenced data.

Things are kept whole or left out whole, but for the last exchange, of which a long message is shown by its end.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import orjson

from context.answer import ChatMessage
from context.facts import Facts
from memory.fence import escape_items, fence
from providers.tokens import estimate_tokens
from web.errors import shorten

AROUND_A_MESSAGE = 4  # tokens that vendors' chat templates put around one: its role and its two borders
DEEPEST_PATH = 6
CUT = "[…] "  # before what is left of a text
LONGEST_NAME = 200  # characters of an object's name; it stands before every value in that object
G = TypeVar("G")
_REST_OF_A_WORD = re.compile(r"\S{0,30}\s+")  # none in scripts without spaces
_PLACEHOLDER = re.compile(r"\{(user|companion)\}")


def fill_names(text: str, facts: Facts) -> str:
    """`text` with {user} and {companion} replaced at once: a name that holds a placeholder stays a name."""
    names = {"user": facts.user_name, "companion": facts.companion_name}
    return _PLACEHOLDER.sub(lambda match: names[match[1]], text) if "{" in text else text


def line_cost(line: str) -> int:
    """Tokens of a line with its line break; the sum over lines is never below the count of their text."""
    return estimate_tokens(f"{line}\n")


def message_tokens(message: ChatMessage) -> int:
    """Tokens of a message, with what stands around it."""
    return estimate_tokens(message["content"]) + AROUND_A_MESSAGE


class Fit(NamedTuple):
    """The places of the lines that fit and of those that don't; `least`: tokens of a line in its frame."""

    kept: Sequence[int]
    left: Sequence[int]
    least: int


def framed(intro: str, lines: Sequence[str] = (), *, what: str) -> str:
    """The lines inside a fence, under what is said of them; without lines, the frame that they are put in."""
    return f"{intro}\n{fence(lines, what=what)}".lstrip()


def all_fit(
    lines: Sequence[str], *, budget: int | None, frame: str = "", groups: Sequence[tuple[bool, str, int]] = ()
) -> bool:
    """Whether the lines fit with their `frame` and the headings of their `groups`, counted as one text."""
    if budget is None:
        return True
    heads = [group[1] for group in dict.fromkeys(groups) if group[1]]
    return estimate_tokens("\n".join([*heads, *lines])) < budget - _frame_cost(frame)


def fit_lines(
    lines: Sequence[str],
    *,
    budget: int | None,
    frame: str = "",
    first: Sequence[int] = (),
    groups: Sequence[tuple[bool, str, int]] = (),
) -> Fit:
    """Lines in `first` go before the others, in its order. `frame`: what stands around the lines.

    `groups`: what each line stands under, with its heading ("": none), which the first line of it pays for.
    """
    least = 0
    if lengths := list(map(len, lines)):
        place = lengths.index(min(lengths))
        head = groups[place][1] if groups else ""
        least = sum(map(line_cost, filter(None, (frame, head, lines[place]))))
    if budget is None or all_fit(lines, budget=budget, frame=frame, groups=groups):
        return Fit(range(len(lines)), (), least)
    costs = {group: line_cost(group[1]) if group[1] else 0 for group in dict.fromkeys(groups)}
    own, room = [line_cost(line) for line in lines], budget - _frame_cost(frame)
    kept = keep_within(own, room=room, first=first, groups=groups, group_costs=costs)
    shown = set(kept)
    return Fit(kept, [place for place in range(len(lines)) if place not in shown], least)


def _frame_cost(frame: str) -> int:
    return line_cost(frame) if frame else 0


def keep_within(
    costs: Sequence[int],
    *,
    room: int,
    first: Sequence[int] = (),
    groups: Sequence[G] = (),
    group_costs: Mapping[G, int] | None = None,
) -> list[int]:
    """The places to keep, in order; those in `first` go before others, as they stand there, and what doesn't fit is
    passed over.

    The first of a group takes on what the group costs.
    """
    kept: list[int] = []
    due = dict(group_costs or {})
    for place in dict.fromkeys([*first, *range(len(costs))]):
        cost = costs[place] + (due.get(groups[place], 0) if groups else 0)
        if cost <= room:
            room -= cost
            if groups:
                due[groups[place]] = 0
            kept.append(place)
    return sorted(kept)


def end_of(text: str, *, tokens: int, note: str = "") -> str:
    """The text, or its last part that takes no more than so many tokens, behind the `note` that it begins with; ""
    where there is no room for any.
    """
    if estimate_tokens(text) <= tokens:
        return text
    before, places = note + CUT, range(len(text) + 1)
    place = bisect_left(
        places, True, lo=len(note), key=lambda start: estimate_tokens(before + text[start:]) <= tokens
    )
    word = _REST_OF_A_WORD.match(text, place)
    rest = text[word.end() if word else place :]
    return before + rest if rest else ""


def keep_last(costs: Sequence[int], *, room: int) -> int:
    """How many of the last things fit without a gap."""
    count = 0
    for cost in reversed(costs):
        room -= cost
        if room < 0:
            break
        count += 1
    return count


def fenced_data(
    data: Mapping[str, Any], *, what: str, intro: str, budget: int | None
) -> tuple[str, list[str], int]:
    """A JSON object as `- path: value` lines inside a fence under `intro`; the paths that did not fit; and the least
    that it takes.
    """
    pairs = list(_pairs(data, "", 1))
    lines = [f"- {item}" for item in escape_items([f"{path}: {value}" for path, value in pairs])]
    fit = fit_lines(lines, budget=budget, frame=framed(intro, what=what))
    text = framed(intro, [lines[place] for place in fit.kept], what=what) if fit.kept else ""
    return text, [pairs[place][0] for place in fit.left], fit.least


def _pairs(data: Mapping[str, Any], prefix: str, depth: int) -> Iterator[tuple[str, str]]:
    for name, value in data.items():
        if isinstance(value, dict) and value and depth < DEEPEST_PATH:
            yield from _pairs(value, f"{prefix}{shorten(name, LONGEST_NAME)}.", depth + 1)
        else:
            yield f"{prefix}{name}", value if isinstance(value, str) else orjson.dumps(value).decode()
