"""Text functions that layers share: filling in names, fitting lines into a budget, and fencing data.

A line is kept complete or left out. Only messages may be shortened to their end.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from context.answer import ChatMessage
from context.facts import Facts
from context.passages import CUT, REST_OF_A_WORD
from memory.fence import escape_items, fence
from providers.tokens import estimate_tokens
from relationships.text_names import as_read, may_have_note
from web.errors import shorten

AROUND_A_MESSAGE = 4  # tokens that vendors' chat templates add to a message: its role and its two delimiters
DEEPEST_PATH = 6
LONG = 300  # tokens; a message with fewer is not shortened to make room for others
# Marks messages that neither side said: only the assembled system text may speak as the system.
NOTES = {"system": "[system note] ", "tool": "[tool result] "}
LONGEST_NAME = 200  # characters of an object's name, which is repeated before each of its values
_PLACEHOLDER = re.compile(r"\{(user|companion)\}")
_NOTE = re.compile(r"\[\s*(?:system\s*note|tool\s*result)\s*\]", re.IGNORECASE)


def fill_names(text: str, facts: Facts) -> str:
    """Replace {user} and {companion} in one pass, so that a placeholder inside a name is not replaced."""
    names = {"user": facts.user_name, "companion": facts.companion_name}
    return _PLACEHOLDER.sub(lambda match: names[match[1]], text) if "{" in text else text


def without_notes(text: str) -> str:
    """Write in round brackets what looks like one of NOTES, so that nobody can speak as the system or a tool."""
    if not may_have_note(text):
        return text
    read, places = as_read(text)
    characters = list(text)
    for found in _NOTE.finditer(read):
        characters[places[found.start()]], characters[places[found.end() - 1]] = "()"
    return "".join(characters)


def line_cost(line: str) -> int:
    """Count a line's tokens with its line break. The sum over lines is never less than for the whole text."""
    return estimate_tokens(f"{line}\n")


def message_tokens(message: ChatMessage) -> int:
    """Count a message's tokens, with AROUND_A_MESSAGE."""
    return estimate_tokens(message["content"]) + AROUND_A_MESSAGE


def long_of(budget: int) -> int:
    """The tokens of a message from which it is shortened, so that it takes at most an eighth of a layer's budget."""
    return max(LONG, budget // 8)


class Fit(NamedTuple):
    """The indexes of the lines that fit and of those that don't; `least`: tokens of the shortest line, framed."""

    kept: Sequence[int]
    left: Sequence[int]
    least: int


def framed(intro: str, lines: Sequence[str] = (), *, what: str) -> str:
    """Put lines into a fence below the intro; without lines, return the empty frame."""
    return f"{intro}\n{fence(lines, what=what)}".lstrip()


def all_fit(
    lines: Sequence[str], *, budget: int | None, frame: str = "", groups: Sequence[tuple[bool, str, int]] = ()
) -> bool:
    """Return whether the lines, with `frame` and the headings of `groups`, fit the budget as one text."""
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
    """Choose the lines that fit the budget: first those whose indexes are in `first`, then the others in order. What
    doesn't fit is skipped.

    `frame` is the text around the lines. `groups` has a group for each line, whose heading (its second value; "": none)
    counts together with the group's first line.
    """
    least = 0
    if lengths := list(map(len, lines)):
        place = lengths.index(min(lengths))
        head = groups[place][1] if groups else ""
        least = sum(map(line_cost, filter(None, (frame, head, lines[place]))))
    if budget is None or all_fit(lines, budget=budget, frame=frame, groups=groups):
        return Fit(range(len(lines)), (), least)
    due = {group: line_cost(group[1]) if group[1] else 0 for group in dict.fromkeys(groups)}
    room, kept = budget - _frame_cost(frame), set[int]()
    for place in dict.fromkeys([*first, *range(len(lines))]):
        cost = line_cost(lines[place]) + (due[groups[place]] if groups else 0)
        if cost <= room:
            room -= cost
            kept.add(place)
            if groups:
                due[groups[place]] = 0
    return Fit(sorted(kept), [place for place in range(len(lines)) if place not in kept], least)


def _frame_cost(frame: str) -> int:
    return line_cost(frame) if frame else 0


def end_of(text: str, *, tokens: int, note: str = "") -> str:
    """Return the text, or as much of its end as fits into `tokens`, after CUT; "" if nothing does.

    `note` is what the text begins with; it is kept.
    """
    if estimate_tokens(text) <= tokens:
        return text
    before, places = note + CUT, range(len(text) + 1)
    place = bisect_left(
        places, True, lo=len(note), key=lambda start: estimate_tokens(before + text[start:]) <= tokens
    )
    word = REST_OF_A_WORD.match(text, place)
    rest = text[word.end() if word else place :]
    return before + rest if rest else ""


def keep_last(costs: Sequence[int], *, room: int) -> int:
    """Count how many of the last things fit into `room`, without a gap."""
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
    """Write a JSON object as `- path: value` lines in a fence below `intro`.

    Return the text, the paths that did not fit, and the fewest tokens that are of use.
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
