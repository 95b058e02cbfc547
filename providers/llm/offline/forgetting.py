"""What is asked to be forgotten: "Forget that I like jazz", "Delete everything about my job", "Erase all my data"."""

import re
from datetime import timedelta

from providers.llm.offline.clauses import Clause
from providers.llm.offline.notebook import Line
from providers.llm.offline.patterns import RULES, part, pattern
from providers.llm.offline.people import is_name, noun
from providers.llm.offline.reader import Reader
from providers.llm.offline.wording import overlap, stem, words

ASKED = "asked to forget it"
SAME_TURN = timedelta(minutes=1)  # lines that one turn left were said at one moment

_WHAT = part("WHAT")
_EVERYTHING = part("EVERYTHING")
_WHOLE = pattern(r"\b(?:all|every ?thing|my data|my memories|my information|wipe)\b")
_JUST_NOW = part("JUST_NOW")
_LEAD = part("LEAD")
_TAIL = part("TAIL")
_GOES_ON = part("GOES_ON")
_NOTHING = part("NOTHING")
# Nobody speaks of their own life in such words; they mean the machine.
_TO_THE_MACHINE = part("TO_THE_MACHINE")
_TOPICS = [
    (frozenset(map(stem, telling.split())), kinds.split(), pattern(wording))
    for telling, kinds, wording in RULES["forgetting"]["topics"]
]


def forget(clause: Clause, reader: Reader, *, previous: list[int]) -> None:
    """Strike out what is to be forgotten. `previous` are the numbers of the messages read before this one."""
    found = _WHAT.search(clause.text)
    said = _GOES_ON.sub("", found["what"]) if found else ""
    what = _TAIL.sub("", f" {said.strip(' ,.!?')}")
    if _NOTHING.match(what) or _TO_THE_MACHINE.search(clause.text):
        return
    for line in _meant(reader, what, whole=bool(_WHOLE.search(clause.text)), previous=previous):
        reader.strike(line, ASKED)


def _meant(reader: Reader, what: str, *, whole: bool, previous: list[int]) -> list[Line]:
    lines = list(reader.notebook.lines())
    if whole and _EVERYTHING.match(what):
        return lines
    if _JUST_NOW.match(what):
        return _said_last(lines, previous)
    topic = _LEAD.sub("", what).strip()
    if not words(topic):  # "where I live": the words that tell are among those that lead
        return _on_topic(lines, words(what) | {stem(word) for word in re.findall(r"\w+", what.lower())})
    return _about(lines, topic, reader)


def _said_last(lines: list[Line], previous: list[int]) -> list[Line]:
    """What the message before this one left, else what the turn before this one left."""
    if previous:
        return [line for line in lines if previous[-1] in line.messages]
    known = [line for line in lines if line.known_since.year > 1]
    latest = max((line.known_since for line in known), default=None)
    return [line for line in known if latest and latest - line.known_since < SAME_TURN]


def _about(lines: list[Line], topic: str, reader: Reader) -> list[Line]:
    """Those with every telling word or of the topic's kind; else those that name the person; else those close to it."""
    told = words(re.sub(r"\bex\b", "", topic))
    # "My sister's surgery" as Ana's, where the sister's name is known.
    related = [(name, frozenset({stem(noun(who))})) for name, who in reader.cast.names.items() if who]
    tellings = [told, *(told - who | words(name) for name, who in related if who < told)]
    by_kind = _on_topic(lines, words(topic)) if len(words(topic)) <= 2 else []
    every = [
        line for line in lines if any(_tells(line, telling) == 1.0 for telling in tellings) or line in by_kind
    ]
    if every:
        return every
    names = [word.removesuffix("'s") for word in topic.split() if is_name(word)]
    named = [
        line for line in lines if any(name in line.content.split() or name == line.subject for name in names)
    ]
    return named or [line for line in lines if len(told) > 1 and _tells(line, told) >= 0.65]


def _tells(line: Line, telling: frozenset[str]) -> float:
    return overlap(telling, line.words | words(line.subject))


def _on_topic(lines: list[Line], wanted: frozenset[str]) -> list[Line]:
    """The person's own lines that belong to a topic with one of the words."""
    topics = [(kinds, wording) for telling, kinds, wording in _TOPICS if telling & wanted]
    return [
        line
        for line in lines
        if line.subject == "user"
        and any(
            line.fact.kind in kinds or line.type in kinds or wording.search(line.content)
            for kinds, wording in topics
        )
    ]
