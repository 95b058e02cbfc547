"""Rules: "Forget that I like jazz", "Delete everything about my job", "Forget everything about me"."""

import re
from collections.abc import Callable
from datetime import timedelta

from memory.providers.offline.clauses import Clause
from memory.providers.offline.notebook import Line
from memory.providers.offline.people import PARTNERS, is_name, noun
from memory.providers.offline.reading import Reading
from memory.providers.offline.stems import overlap, stem, words

ASKED = "asked to forget it"

_WHAT = re.compile(
    r"\b(?:forget|delete|erase|wipe|remove|clear|scrap|do not (?:remember|keep|store|save)|stop remembering)\b(?P<what>.*)$", re.IGNORECASE
)
_EVERYTHING = re.compile(
    r"^(?: (?:please|all|every ?thing|anything|of|that|what|the (?:things|stuff)|my|your|memor(?:y|ies)|data|entries|notes|information|records?"
    r"|you(?: ever)? (?:know|knew|have|remember|learned|learnt|stored|saved|kept)|I(?: have)?(?: ever)? (?:told|said)(?: to)?(?: you)?|on|about|of|from))*"
    r" (?:me|myself|(?:I(?: have)?(?: ever)? told you)|my (?:data|memories|information|entries|records))(?: please| completely| now)?$",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"\b(?:all|every ?thing|my data|my memories|my information|wipe)\b", re.IGNORECASE)
_JUST_NOW = re.compile(
    r"^ (?:what|that|the (?:last )?thing|everything) (?:that )?I (?:have )?(?:just |only just )?(?:said|told you|wrote|mentioned)(?: just now| now)?$"
    r"|^ my last message$",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?: (?:please|about|that|the|all|everything|every ?thing|anything|any|of|what(?:ever)?|things?|stuff|fact|part|bit|detail|details|where|when|who"
    r"|how|which|you(?: ever)? (?:know|have|remember|saved|stored)|I (?:have )?(?:ever |once |just )?(?:mentioned|said|told you|told|wrote|talked)"
    r"|we (?:talked|spoke|discussed)|on|concerning|regarding|related to|to do with|it|in your memory))+(?= |$)",
    re.IGNORECASE,
)
_TAIL = re.compile(r"[\s,]+(?:please|from your memory|in your memory|for me|thanks|thank you|ok|okay|completely|for good|for ever|forever|now)$", re.I)
_GOES_ON = re.compile(
    r"(?:,|\s-|;)\s(?:and |but |so )?(?:I|my|we|the|it|he|she|they|that|this|there|because|since|as|you)\b.*$| (?:because|but|since) .*$", re.I
)
_NOTHING = re.compile(r"^[\s,]*(?:it|that|this|about it|about that|never mind|me|to\b.*|all|the (?:above|previous|rest))?[\s,]*(?:never mind)?$", re.I)
_ORDERS = re.compile(
    r"\b(?:previous|prior|above|earlier|system) (?:instructions?|prompts?|rules?|messages?|text)|\ball entries\b|\b(?:the|all|every) (?:entry|entries|rows?"
    r"|database|tables?|users?|instructions?|rules)\b|\b(?:your|the system) (?:instructions?|prompt|rules|guidelines|training)\b",
    re.IGNORECASE,
)
_HEALTH = re.compile(
    r"\b(?:allerg|asthma|diabet|surgery|diagnos|medication|medicine|illness|disease|pain|injur|knee|doctor|therap|depress|anxiety|intoleran|celiac|coeliac"
    r"|blood pressure|pregnan|adhd|cannot eat|bad back|migraine)", re.IGNORECASE
)  # fmt: skip
_MONEY = re.compile(r"\b(?:earns?|salary|income|paid|debts?|loan|mortgage|savings|rent)\b|[€$£]", re.IGNORECASE)
_TOPICS: tuple[tuple[frozenset[str], Callable[[Line], bool]], ...] = (
    (words("job work career employer employment profession office boss"), lambda line: line.slot.kind == "work" or "job" in line.content.lower()),
    (words("birthday birthdate"), lambda line: line.slot.kind in ("birthday", "birthyear")),
    (words("age old"), lambda line: line.slot.kind in ("age", "birthyear")),
    (words("name surname nickname"), lambda line: line.slot.kind in ("name", "surname")),
    (words("live address home city town residence location"), lambda line: line.slot.kind in ("city", "move")),
    (words("health illness medical medication diet"), lambda line: line.slot.kind in ("health", "diet") or bool(_HEALTH.search(line.content))),
    (words("family relatives relations"), lambda line: line.type == "relationship" or line.slot.kind in ("person", "people", "partner")),
    (words("relationship partner marriage") | frozenset(map(stem, PARTNERS)), lambda line: line.slot.kind == "partner"),
    (words("salary income money pay wage finances"), lambda line: bool(_MONEY.search(line.content))),
    (words("goal plan dream ambition"), lambda line: line.type == "goal"),
    (words("preference taste"), lambda line: line.type == "preference"),
    (words("appointment event schedule calendar"), lambda line: line.type == "event"),
)  # fmt: skip


def read_forgetting(clause: Clause, reading: Reading, *, previous: list[int]) -> bool:
    """Strike out what the person asks to be forgotten. `previous` are the numbers of the messages read before this one."""
    if not clause.forgets:
        return False
    found = _WHAT.search(clause.text)
    said = _GOES_ON.sub("", found["what"]) if found else ""
    what = _TAIL.sub("", _TAIL.sub("", f" {said.strip(' ,.!?')}"))
    if _NOTHING.match(what) or _ORDERS.search(clause.text):
        return True
    if _WHOLE.search(f"{clause.text}") and _EVERYTHING.match(what):
        _strike(reading, list(reading.notebook.lines()))
    elif _JUST_NOW.match(what):
        _strike(reading, _said_last(reading, previous))
    else:
        _strike(reading, _meant(reading, what))
    return True


def _strike(reading: Reading, lines: list[Line]) -> None:
    for line in lines:
        reading.strike(line, ASKED)


def _said_last(reading: Reading, previous: list[int]) -> list[Line]:
    """What the message before this one left; else what the last turn left, if that was no more than an hour of lines."""
    if previous:
        return [line for line in reading.notebook.lines() if previous[-1] in line.messages]
    known = [line for line in reading.notebook.lines() if line.known_since.year > 1]
    latest = max((line.known_since for line in known), default=None)
    return [line for line in known if latest and latest - line.known_since < timedelta(minutes=1)]


def _meant(reading: Reading, what: str) -> list[Line]:
    """The lines on a topic: those with every telling word, else those of the topic's kind, else those naming the person."""
    topic = _LEAD.sub("", what).strip()
    wanted = words(topic)
    lines = list(reading.notebook.lines())
    own = words(re.sub(r"\bex\b", "", topic))
    if not wanted:
        return _of_kind(lines, words(what) | frozenset(map(stem, re.findall(r"\w+", what.lower()))))
    named_too = [own, *_by_name(own, reading)]
    every = [line for line in lines if any(_has_all(line, told) for told in named_too)]
    by_kind = _of_kind(lines, wanted) if len(wanted) <= 2 else []
    if every or by_kind:
        return [line for line in lines if line in every or line in by_kind]
    names = [word.removesuffix("'s") for word in topic.split() if is_name(word)]
    named = [line for line in lines if any(name in line.content.split() or name == line.subject for name in names)]
    return named or [line for line in lines if len(own) > 1 and overlap(own, words(line.content)) >= 0.65]


def _by_name(told: frozenset[str], reading: Reading) -> list[frozenset[str]]:
    """ "My sister's surgery" as Ana's, where the sister's name is known."""
    relations = {name: frozenset({stem(noun(relation))}) for name, relation in reading.cast.names.items() if relation}
    return [told - relation | words(name) for name, relation in relations.items() if relation < told]


def _has_all(line: Line, told: frozenset[str]) -> bool:
    return overlap(told, words(f"{line.content} {line.subject}")) == 1.0


def _of_kind(lines: list[Line], wanted: frozenset[str]) -> list[Line]:
    tests = [test for topic_words, test in _TOPICS if topic_words & wanted]
    return [line for line in lines if line.subject == "user" and any(test(line) for test in tests)]
