"""Text that several layers write alike: names filled in, what fits a budget of tokens, and fenced data.

Things are kept whole or left out whole.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

import orjson

from context.answer import ChatMessage
from context.facts import Facts
from memory.fence import escape_items, fence
from providers.tokens import estimate_tokens
from web.errors import shorten

AROUND_A_MESSAGE = 4  # tokens that vendors' chat templates put around one: its role and its two borders
DEEPEST_PATH = 6
LONGEST_NAME = 200  # characters of an object's name; it stands before every value in that object
G = TypeVar("G")
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


def all_fit(
    lines: Sequence[str], *, budget: int | None, groups: Sequence[tuple[bool, str, int]] = ()
) -> bool:
    """Whether the lines fit with the headings of their `groups`, counted as one text."""
    if budget is None:
        return True
    heads = [group[1] for group in dict.fromkeys(groups) if group[1]]
    return estimate_tokens("\n".join([*heads, *lines])) < budget


def fit_lines(
    lines: Sequence[str],
    *,
    budget: int | None,
    first: Sequence[int] = (),
    groups: Sequence[tuple[bool, str, int]] = (),
) -> tuple[Sequence[int], Sequence[int]]:
    """The places of the lines that fit and of those that don't; lines in `first` go before the others, in its order.

    `groups`: what each line stands under, with its heading ("": none), which the first line of it pays for.
    """
    if budget is None or all_fit(lines, budget=budget, groups=groups):
        return range(len(lines)), ()
    costs = {group: line_cost(group[1]) if group[1] else 0 for group in dict.fromkeys(groups)}
    own = [line_cost(line) for line in lines]
    kept = keep_within(own, room=budget, first=first, groups=groups, group_costs=costs)
    shown = set(kept)
    return kept, [place for place in range(len(lines)) if place not in shown]


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


def divide(room: int, wanted: Mapping[str, int], weights: Mapping[str, int]) -> dict[str, int]:
    """How much of `room` each may have: by weight, and none more than is wanted; what one leaves, the others share."""
    given: dict[str, int] = {}
    while len(given) < len(wanted):
        open_ = [name for name in wanted if name not in given]
        unit = max(room - sum(given.values()), 0) / sum(weights[name] for name in open_)
        content = [name for name in open_ if wanted[name] <= weights[name] * unit]
        given |= {name: wanted[name] for name in content} or {
            name: int(weights[name] * unit) for name in open_
        }
    return given


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
) -> tuple[str, list[str]]:
    """A JSON object as `- path: value` lines inside a fence under `intro`, and the paths that did not fit."""
    pairs = list(_pairs(data, "", 1))
    if budget is not None:
        budget -= line_cost(f"{intro}\n{fence([], what=what)}")
    lines = [f"- {item}" for item in escape_items([f"{path}: {value}" for path, value in pairs])]
    kept, left = fit_lines(lines, budget=budget)
    text = f"{intro}\n{fence([lines[place] for place in kept], what=what)}" if kept else ""
    return text, [pairs[place][0] for place in left]


def _pairs(data: Mapping[str, Any], prefix: str, depth: int) -> Iterator[tuple[str, str]]:
    for name, value in data.items():
        if isinstance(value, dict) and value and depth < DEEPEST_PATH:
            yield from _pairs(value, f"{prefix}{shorten(name, LONGEST_NAME)}.", depth + 1)
        else:
            yield f"{prefix}{name}", value if isinstance(value, str) else orjson.dumps(value).decode()
