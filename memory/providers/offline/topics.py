"""What a person means by a topic ("my job", "my health") when they speak of the list as a whole."""

from collections.abc import Callable

from memory.providers.offline.notebook import Line
from memory.providers.offline.patterns import pattern
from memory.providers.offline.people import PARTNERS
from memory.providers.offline.stems import stem

_OF_HEALTH = pattern(
    r"\b(?:allerg|asthma|diabet|surgery|diagnos|medication|medicine|illness|disease|pain|injur|knee|doctor|therap"
    r"|depress|anxiety|intoleran|celiac|coeliac|blood pressure|pregnan|adhd|cannot eat|bad back|migraine)"
)
_OF_MONEY = pattern(r"\b(?:earns?|salary|income|paid|debts?|loan|mortgage|savings|rent)\b|[€$£]")
_OF_WORK = pattern(r"\bjob\b")


def _stems(telling: str) -> frozenset[str]:
    return frozenset(map(stem, telling.split()))


def _of_kind(*kinds: str) -> Callable[[Line], bool]:
    return lambda line: line.slot.kind in kinds


def _of_type(type: str) -> Callable[[Line], bool]:
    return lambda line: line.type == type


# Telling words of the topic, and whether a line belongs to it.
_TOPICS: tuple[tuple[frozenset[str], Callable[[Line], bool]], ...] = (
    (_stems("job work career employer employment profession office boss"), _of_kind("work")),
    (_stems("job work career employer"), lambda line: bool(_OF_WORK.search(line.content))),
    (_stems("birthday birthdate"), _of_kind("birthday", "birthyear")),
    (_stems("age old"), _of_kind("age", "birthyear")),
    (_stems("name surname nickname"), _of_kind("name", "surname")),
    (_stems("live address home city town residence location"), _of_kind("city", "home", "move")),
    (_stems("health illness medical medication diet"), _of_kind("health", "diet")),
    (_stems("health illness medical medication"), lambda line: bool(_OF_HEALTH.search(line.content))),
    (_stems("salary income money pay wage finances"), lambda line: bool(_OF_MONEY.search(line.content))),
    (_stems("family relatives relations"), _of_type("relationship")),
    (_stems("family relatives relations"), _of_kind("person", "people", "partner")),
    (_stems(f"relationship partner marriage {' '.join(PARTNERS)}"), _of_kind("partner")),
    (_stems("goal plan dream ambition"), _of_type("goal")),
    (_stems("preference taste"), _of_type("preference")),
    (_stems("appointment event schedule calendar"), _of_type("event")),
)


def lines_on_topic(lines: list[Line], wanted: frozenset[str]) -> list[Line]:
    """The person's own lines that belong to a topic with one of the words."""
    tests = [test for telling, test in _TOPICS if telling & wanted]
    return [line for line in lines if line.subject == "user" and any(test(line) for test in tests)]
