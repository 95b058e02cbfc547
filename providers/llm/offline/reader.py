"""The state of a reading, which rules use: the list, the day, and the people who were mentioned."""

import re
from dataclasses import dataclass, field, replace
from datetime import date

from providers.llm.offline.clauses import Clause, without_adverbs
from providers.llm.offline.dates import DatePhrase, absolute
from providers.llm.offline.facts import Fact, find_fact
from providers.llm.offline.notebook import Line, Notebook
from providers.llm.offline.wording import (
    DISTANT,
    NAME,
    PETS,
    RELATION,
    RELATIONS,
    WORDS,
    clean_name,
    first_person,
    is_several,
    mentions,
    noun,
    pattern,
    plural,
    uncapitalised,
    with_article,
)

_TOGETHER = pattern(rf"^(?P<who>(?:my|our) {RELATION}(?:,? [^\W\d_][\w'-]*)?|[^\W\d_][\w'-]*) and I ")
_NAMED = pattern(rf"^(?:my|our) {RELATION},? (?P<name>{NAME})")
_UNNAMED = pattern(rf"^(?:my|our) (?P<relation>{RELATION}|{RELATIONS}) (?P<verb>[a-z]+)\b(?P<rest>.*)$")
_VERB = re.compile(r"^ (?P<verb>[a-z]+)\b(?P<rest>.*)$")
_PRONOUN = pattern(r"^(?P<pronoun>he|she|it) (?P<verb>[a-z]+)\b(?P<rest>.*)$")


@dataclass(slots=True)
class Reader:
    """The state of a reading: the list, the current message and its day, and who was mentioned.

    `names`: people and animals with their relation, "" if unknown. `latest`: the last one named in this message.
    `unnamed`: the last relation mentioned without a name. `unplaced`: statements, with their message, about something
    that is not on the list: wishes to forget, corrections, things that ended.
    """

    notebook: Notebook
    today: date = date(2000, 1, 1)  # of the message, in the person's time zone
    message: int = 0
    names: dict[str, str] = field(default_factory=dict)
    latest: str = ""
    unnamed: str = ""
    unplaced: list[tuple[Clause, int]] = field(default_factory=list)

    def meet(self, name: str, relation: str) -> None:
        """Note that somebody is named in this message."""
        self.names[name] = relation or self.names.get(name, "")
        self.latest = name

    def keep(self, clause: Clause, fact: Fact) -> None:
        """Add a fact about the clause's subject, unless it is known."""
        if clause.together and fact.kind in ("event", "partner") and clause.together not in fact.content:
            fact = replace(fact, content=f"{fact.content} with {clause.together}")
        told = _subject_and_fact(clause.subject, fact)
        if told is not None:
            subject, fact = told
            self.notebook.keep(fact, subject=subject, message=self.message)

    def rewrite(self, line: Line, content: str, happens_at: str | None = None) -> None:
        """Change a line's text; if it is about somebody else, begin with their name."""
        if line.subject != "user" and not content.lower().startswith(line.subject.lower()):
            content = f"{line.subject} {uncapitalised(content)}"
        self.notebook.rewrite(line, content, message=self.message, happens_at=happens_at)

    def rewrite_first(self, lines: list[Line], content: str, reason: str) -> None:
        """Change the first line's text, and strike the others out."""
        for line in lines[1:]:
            self.strike(line, reason)
        for line in lines[:1]:
            self.rewrite(line, content)

    def strike(self, line: Line, reason: str) -> None:
        """Strike a line out."""
        self.notebook.strike(line, message=self.message, reason=reason)

    def dated(self, text: str, *, past: bool) -> tuple[str, list[DatePhrase]]:
        """Return `text` with its dates made absolute, and the dates."""
        return absolute(text, today=self.today, past=past)

    def find_fact(self, clause: Clause) -> Fact | None:
        """The fact that the clause states, or None."""
        return find_fact(clause, today=self.today)


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
    if found := _UNNAMED.match(text):
        return _shifted(clause, f"their {found['relation'].lower()}", found)
    for name in reader.names:
        if text.startswith(f"{name} "):
            reader.latest = name
            return _shifted(clause, name, _VERB.match(text[len(name) :]))
    found = _PRONOUN.match(text)
    if found and reader.latest and _fits(found["pronoun"].lower(), reader.names.get(reader.latest, "")):
        return _shifted(clause, reader.latest, found)
    return clause


def _shifted(clause: Clause, subject: str, found: re.Match[str] | None) -> Clause:
    if found is None:
        return clause
    text = without_adverbs(f"I {first_person(found['verb'].lower())}{found['rest']}")
    return replace(clause, text=text, subject=subject)


def _fits(pronoun: str, relation: str) -> bool:
    who = noun(relation) if relation else ""
    return who in PETS if pronoun == "it" else who not in WORDS["he" if pronoun == "she" else "she"]
