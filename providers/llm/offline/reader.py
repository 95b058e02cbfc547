"""The state of a reading, which rules use: the list, the day, and who was mentioned or is spoken of."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Any

from providers.llm.base import NumberedEntry
from providers.llm.offline.clauses import Clause, without_adverbs
from providers.llm.offline.dates import DatePhrase, absolute
from providers.llm.offline.facts import Fact, find_fact
from providers.llm.offline.lines import LONG_AGO, SAID_ANEW, Line, replaces, same
from providers.llm.offline.wording import (
    DISTANT,
    NAME,
    PETS,
    RELATION,
    RELATIONS,
    WORDS,
    clean_name,
    first_person,
    folded,
    is_several,
    mentions,
    noun,
    pattern,
    plural,
    uncapitalised,
    with_article,
)

MAX_CONTENT = 240  # characters; a compact statement, not a story
# Names of these types in companions with other types.
_AKIN = {"identity": "fact", "relationship": "fact", "event": "schedule"}
_MEANT = {"fact": "identity", "schedule": "event", "general": "other"}
_TOGETHER = pattern(rf"^(?P<who>(?:my|our) {RELATION}(?:,? [^\W\d_][\w'-]*)?|[^\W\d_][\w'-]*) and I ")
_NAMED = pattern(rf"^(?:my|our) {RELATION},? (?P<name>{NAME})")
_UNNAMED = pattern(
    rf"^(?:my|our|(?P<the>the)) (?P<relation>{RELATION}|{RELATIONS}) (?P<verb>[a-z]+)\b(?P<rest>.*)$"
)
_VERB = re.compile(r"^ (?P<verb>[a-z]+)\b(?P<rest>.*)$")
_PRONOUN = pattern(r"^(?P<pronoun>he|she|it) (?P<verb>[a-z]+)\b(?P<rest>.*)$")


class Reader:
    """The list with the known entries and their changes, the current message and its day, and who was mentioned.

    `names`: people and animals with their relation, "" if unknown. `latest`: the last one named in this message.
    `unnamed`: the last relation mentioned without a name. `touched` counts changes and repetitions. `repeats`:
    (message, line) for lines that were said again. `unplaced`: statements, with their message, about something that is
    not on the list: wishes to forget, corrections, things that ended.
    """

    def __init__(
        self, entries: tuple[NumberedEntry, ...] = (), *, types: tuple[str, ...] = (), user_name: str = ""
    ) -> None:
        self._types = types
        self._user_name = folded(user_name)
        self.today = date(2000, 1, 1)  # of the message, in the person's time zone
        self.message = self.touched = 0
        self.names: dict[str, str] = {}
        self.latest = self.unnamed = ""
        self.repeats: list[tuple[int, Line]] = []
        self.unplaced: list[tuple[Clause, int]] = []
        self._lines = [
            Line(
                entry.number, _MEANT.get(entry.type, entry.type), entry.subject, entry.content, entry.key,
                self._called(entry.subject), entry.content, entry.read_only, entry.effective_at or LONG_AGO,
            )
            for entry in entries
        ]  # fmt: skip

    def __len__(self) -> int:
        """The number of lines, struck out ones included."""
        return len(self._lines)

    def lines(self, subject: str | None = None, *kinds: str) -> Iterator[Line]:
        """Yield the valid lines in the given order, new ones last."""
        for line in list(self._lines):
            if not line.gone and subject in (None, line.subject) and (not kinds or line.fact.kind in kinds):
                yield line

    def newest_first(self) -> list[Line]:
        """The valid lines: new ones first, last written first, then the others by when they were said."""
        lines = list(self.lines())
        shown = [line for line in lines if line.number is not None]
        written = [line for line in reversed(lines) if line.number is None]
        return written + sorted(shown, key=lambda line: line.known_since, reverse=True)

    def is_recent(self, line: Line) -> bool:
        """Return whether a line was said on this day or the day before, or nobody knows when."""
        return line.known_since == LONG_AGO or (self.today - line.known_since.date()).days <= 1

    def meet(self, name: str, relation: str) -> None:
        """Note that somebody is named in this message."""
        self.names[name] = relation or self.names.get(name, "")
        self.latest = name

    def keep(self, clause: Clause, fact: Fact) -> None:
        """Add a fact about the clause's subject, or replace the lines that it contradicts or refines."""
        if clause.together and fact.kind in ("event", "partner") and clause.together not in fact.content:
            verb, up, rest = fact.content.partition(" up")  # "Broke up with Ana in May"
            fact = replace(fact, content=f"{verb}{up} with {clause.together}{rest}")
        told = _subject_and_fact(clause.subject, fact)
        if told is None or not 0 < len(told[1].content) <= MAX_CONTENT:
            return
        subject, fact = told
        rivals: list[Line] = []
        content = folded(fact.content)
        for line in self.lines(subject):
            if line.folded == content or same(fact, line.fact):
                self.touched += 1
                self.repeats.append((self.message, line))
                return
            if replaces(fact, line.fact):
                if line.read_only:
                    return
                rivals.append(line)
        self.rewrite_first(rivals, fact.content, SAID_ANEW, fact.happens_at)
        if not rivals:
            type = self.type_or_other(fact.type)
            line = Line(
                None, _MEANT.get(type, type), subject, fact.content, fact.key, self._called(subject),
                happens_at=fact.happens_at,
            )  # fmt: skip
            self._cite(line)
            self._lines.append(line)

    def rewrite_first(
        self, lines: list[Line], content: str, reason: str, happens_at: str | None = None
    ) -> None:
        """Change the first line's text, and strike the others out."""
        for line in lines[1:]:
            self.strike(line, reason)
        for line in lines[:1]:
            self.rewrite(line, content, happens_at)

    def rewrite(self, line: Line, content: str, happens_at: str | None = None) -> None:
        """Change a line's text, unless it is read-only; if it is about somebody else, begin with their name."""
        if line.subject != "user" and not content.lower().startswith(line.subject.lower()):
            content = f"{line.subject} {uncapitalised(content)}"
        said = folded(content)
        if line.read_only or line.folded == said or len(content) > MAX_CONTENT:
            return
        if any(other.folded == said for other in self.lines(line.subject) if other is not line):
            self.strike(line, "the same is kept in another entry")
            return
        line.content = content
        line.happens_at = happens_at or line.happens_at
        self._cite(line)

    def strike(self, line: Line, reason: str) -> None:
        """Strike out a line, unless it is read-only."""
        if not line.read_only:
            line.gone, line.reason = True, reason
            self._cite(line)

    def changed_lines(self) -> list[Line]:
        """The lines that were added, changed or struck out."""
        return [line for line in self._lines if line.outcome]

    def operations(self) -> list[dict[str, Any]]:
        """One operation for each changed line."""
        return [line.as_operation(self.type_or_other(line.type)) for line in self.changed_lines()]

    def type_or_other(self, type: str) -> str:
        """The type if the companion has it; or its other name, `other`, `general`, or the companion's first type."""
        if not self._types or type in self._types:
            return type
        return next(
            (name for name in (_AKIN.get(type), "other", "general") if name in self._types), self._types[0]
        )

    def dated(self, text: str, *, past: bool) -> tuple[str, list[DatePhrase]]:
        """Return `text` with its dates made absolute, and the dates."""
        return absolute(text, today=self.today, past=past)

    def find_fact(self, clause: Clause) -> Fact | None:
        return find_fact(clause, today=self.today)

    def _called(self, subject: str) -> str:
        return self._user_name if subject == "user" else folded(subject)

    def _cite(self, line: Line) -> None:
        self.touched += 1
        if self.message not in line.messages:
            line.messages.append(self.message)


def _subject_and_fact(subject: str, fact: Fact) -> tuple[str, Fact] | None:
    """The subject and the fact to store. A fact about a relative without a name becomes the person's own: "Has a son
    who loves dinosaurs". None: not worth storing.
    """
    if subject == "user":
        return subject, fact
    content = uncapitalised(fact.content)
    if not subject.startswith("their "):
        return subject, replace(fact, content=f"{subject} {content}")
    relation = subject.removeprefix("their ")
    own = replace(fact, key=None, kind="event" if fact.type == "event" else "other", how="")
    if fact.type in ("event", "goal"):
        return "user", replace(
            own, content=f"Their {relation} {plural(content) if is_several(relation) else content}"
        )
    if noun(relation) in DISTANT:
        return None
    if is_several(relation):
        return "user", replace(own, content=f"Their {relation} {plural(content)}", type="relationship")
    return "user", replace(own, content=f"Has {with_article(relation)} who {content}", type="relationship")


def about_whom(clause: Clause, reader: Reader) -> Clause:
    """Put a clause into the first person of its subject: "My sister Ana lives in Faro" becomes "I live in Faro" by Ana.

    The subject of somebody without a name is "their sister".
    """
    text = clause.text
    if text[:2] == "I " or text[:3].lower() == "we ":
        return clause
    if found := _TOGETHER.match(text):
        rest = text[found.end() :]
        name = clean_name(found["who"]) or (mentions(text) or [("", "")])[0][1]
        return replace(clause, text=f"we {rest}", together=name)
    if (found := _NAMED.match(text)) and (name := clean_name(found["name"])):
        return _shifted(clause, name, _VERB.match(text[found.start("name") + len(name) :]))
    found = _UNNAMED.match(text)
    if found and (not found["the"] or _is_known(found["relation"], reader)):
        return _shifted(clause, f"their {found['relation'].lower()}", found)
    for name in reader.names:
        if text.startswith(f"{name} "):
            reader.latest = name
            return _shifted(clause, name, _VERB.match(text[len(name) :]))
    found = _PRONOUN.match(text)
    if found and reader.latest and _fits(found["pronoun"].lower(), reader.names.get(reader.latest, "")):
        return _shifted(clause, reader.latest, found)
    return clause


def _is_known(relation: str, reader: Reader) -> bool:
    """Return whether "the dog" is the person's: one is on the list."""
    return any(line.fact.about == {noun(relation)} for line in reader.lines("user", "person", "partner"))


def _shifted(clause: Clause, subject: str, found: re.Match[str] | None) -> Clause:
    if found is None:
        return clause
    text = without_adverbs(f"I {first_person(found['verb'].lower())}{found['rest']}")
    return replace(clause, text=text, subject=subject)


def _fits(pronoun: str, relation: str) -> bool:
    who = noun(relation) if relation else ""
    return who in PETS if pronoun == "it" else who not in WORDS["he" if pronoun == "she" else "she"]
