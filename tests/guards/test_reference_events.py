"""Log events are a closed set: every line of the log has a name, and docs/reference/events.md has them all."""

import ast
from collections.abc import Iterator

from tests.guards.sources import CODE, calls, named, python_files, text_of, tree_of
from tests.guards.tables import named_in

LOGGERS = ("log", "logger")
LEVELS = ("debug", "info", "warning", "error", "exception", "critical")


def log_lines() -> Iterator[tuple[str, str, str | None]]:
    """Every call that logs: where it stands, its level, its event."""
    for path in python_files(*CODE):
        for name, call in calls(tree_of(path)):
            logger, _, level = name.rpartition(".")
            if logger.rsplit(".", 1)[-1] in LOGGERS and level in LEVELS:
                yield f"{named(path)}:{call.lineno}", level, _event(call)


def test_every_line_of_the_log_has_a_name() -> None:
    nameless = [place for place, _, event in log_lines() if event is None]
    assert not nameless, f'Give them event_name="...", written out: {nameless}'


def test_every_event_is_described_and_no_other() -> None:
    written = {event for _, _, event in log_lines() if event}
    assert written == set(named_in("events.md"))


def test_the_levels_are_those_of_the_code() -> None:
    described = named_in("events.md")
    wrong = [
        f"{event}: {described[event][1]}, the code has {level}"
        for _, level, event in log_lines()
        if event in described and described[event][1] != level
    ]
    assert not wrong


def _event(call: ast.Call) -> str | None:
    return next((text_of(keyword.value) for keyword in call.keywords if keyword.arg == "event_name"), None)
