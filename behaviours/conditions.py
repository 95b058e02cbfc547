"""Evaluates conditions. Values that are expensive to look up are checked last, and only if a condition needs them."""

from collections.abc import Callable, Mapping
from typing import Any

from behaviours.configuration import Condition, EntryCondition, ValueCondition
from behaviours.moments import Moment
from behaviours.schedule import is_time
from behaviours.text_conditions import holds_keyword, matches

_NOTHING = object()
EVENTS = {"added": ("added",), "changed": ("changed",), "any": ("added", "changed")}


def holds(condition: Condition, moment: Moment) -> bool:
    return all(
        check(getattr(condition, name), moment)
        for name, check in _CHECKS.items()
        if getattr(condition, name) is not None
    )


def value_at(document: Any, path: str) -> Any:
    """The value at a path such as `pets.0.name` in a JSON document; _NOTHING if there is none."""
    for part in path.split("."):
        if isinstance(document, Mapping) and part in document:
            document = document[part]
        elif isinstance(document, list) and part.isdecimal() and int(part) < len(document):
            document = document[int(part)]
        else:
            return _NOTHING
    return document


def _value_holds(asked: ValueCondition, moment: Moment) -> bool:
    value = value_at(moment.profile if asked.of == "profile" else moment.state, asked.path)
    if value is _NOTHING:
        return asked.exists is False
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else None
    return (
        asked.exists is not False
        and (asked.equals is None or _is_equal(value, asked.equals))
        and (asked.contains is None or (isinstance(value, str | list) and asked.contains in value))
        and (asked.at_least is None or (number is not None and number >= asked.at_least))
        and (asked.at_most is None or (number is not None and number <= asked.at_most))
    )


def _is_equal(value: Any, asked: Any) -> bool:
    """Return whether two values of JSON are the same: 5 and 5.0 are, 1 and true are not."""
    return bool(value == asked) and isinstance(value, bool) is isinstance(asked, bool)


def _entry_holds(asked: EntryCondition, moment: Moment) -> bool:
    return any(
        entry["event"] in EVENTS[asked.event] and (not asked.types or entry["type"] in asked.types)
        for entry in moment.entries
    )


def _gap(minutes: float, moment: Moment) -> bool:
    return moment.minutes_since is not None and moment.minutes_since >= minutes


_CHECKS: dict[str, Callable[[Any, Moment], bool]] = {
    "keywords": lambda keywords, moment: holds_keyword(keywords, moment.message),
    "matches": lambda pattern, moment: matches(pattern, moment.message),
    "schedule": lambda cron, moment: is_time(cron, moment.now, moment.timezone),
    "first_turn": lambda asked, moment: (
        moment.is_first_ever if asked == "ever" else moment.is_first_of_session
    ),
    "gap_minutes": _gap,
    "every_n_turns": lambda n, moment: moment.turn > 0 and moment.turn % n == 0,
    "value": _value_holds,
    "entry": _entry_holds,
    "happens": lambda asked, moment: bool(moment.happening(asked)),
    "deletions_held": lambda n, moment: moment.deletions_held >= n,
    "not_": lambda part, moment: not holds(part, moment),
    "all": lambda parts, moment: all(holds(part, moment) for part in parts),
    "any": lambda parts, moment: any(holds(part, moment) for part in parts),
}
