"""Wishes to forget, with what must be gone and what must survive: ten kinds, made from tables of facts.

A fact: what the entry says, what the person said, what the companion answered. Survivors are in the same relationship.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Fact:
    entry: str
    said: str
    echo: str = "I see."
    subject: str = "user"


@dataclass(frozen=True, slots=True)
class Case:
    """A case. `gone`: words that must not be visible any more. `stays`: texts that entries must still have."""

    kind: str
    number: int
    facts: tuple[Fact, ...]
    wish: str
    gone: tuple[str, ...]
    stays: tuple[str, ...]
    again: Fact | None = None
    what: str = ""  # by API, if that differs from what is said

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.number}"

    @property
    def ways(self) -> tuple[str, ...]:
        return ("conversation",) if self.kind == "no_wish" else ("api", "conversation")


_TABLES: dict[str, Any] = json.loads(Path(__file__).with_name("forgetting_facts.json").read_text())
FRESH: dict[str, Any] = json.loads(Path(__file__).with_name("fresh_wishes.json").read_text())
# OWN: entry, said, echo, the distinctive word, a topic of the wish
OWN = _TABLES["OWN"]
PEOPLE = _TABLES["PEOPLE"]
IDENTIFIERS = _TABLES["IDENTIFIERS"]
TWO = _TABLES["TWO"]
SPELLINGS = _TABLES["SPELLINGS"]
LANGUAGES = _TABLES["LANGUAGES"]
PARAPHRASES = _TABLES["PARAPHRASES"]
CHANGES = _TABLES["CHANGES"]
PAIRS = _TABLES["PAIRS"]
DENIALS = _TABLES["DENIALS"]
ASKS = _TABLES["ASKS"]


def ask(number: int, what: str) -> str:
    if what.startswith("that "):
        return str(ASKS[number % 4].format(what))
    return str(ASKS[number % 5].format(what))


def own_fact(number: int) -> Fact:
    return Fact(*OWN[number % len(OWN)][:3])


def cases() -> Iterator[Case]:
    makers = [
        equal,
        identifiers,
        paraphrases,
        denials,
        changes,
        people,
        two_facts,
        spellings,
        languages,
        told_again,
    ]
    for make in makers:
        for number, (facts, wish, gone, stays, again) in enumerate(make(), start=1):
            yield Case(make.__name__, number, tuple(facts), wish, tuple(gone), tuple(stays), again)


def fresh_cases(name: str = "WISHES") -> Iterator[Case]:
    """Cases that were all written before they were first run; `no_wish`: nothing is asked for."""
    for number, row in enumerate(FRESH[name], start=1):
        facts = tuple(Fact(*fact) for fact in row["facts"])
        told = Fact(*row["again"]) if "again" in row else None
        given = (facts, row["spoken"], tuple(row["gone"]), tuple(row["stays"]), told, row.get("what", ""))
        yield Case(row["kind"], number, *given)


Row = tuple[list[Fact], str, list[str], list[str], Fact | None]


def equal() -> Iterator[Row]:
    for number, (entry, said, echo, word, topic) in enumerate(OWN):
        others = [own_fact(number + 3), own_fact(number + 7)]
        facts, stays = [Fact(entry, said, echo), *others], [one.entry for one in others]
        statement = "that " + said[0].lower().replace("i", "I") + said[1:].rstrip(".")
        for place, what in enumerate((statement, topic, f"what I said about {word}")):
            yield facts, ask(number + place, what), [word], stays, None


def identifiers() -> Iterator[Row]:
    for number, (noun, one, other) in enumerate(IDENTIFIERS):
        facts = [
            Fact(f"Has the {noun} {one}", f"My {noun} is {one}.", f"Got it, {one}."),
            Fact(f"Also has the {noun} {other}", f"The other {noun} is {other}.", f"And {other}."),
            own_fact(number),
        ]
        for place, what in enumerate((f"my {noun} {one}", one)):
            yield facts, ask(number + place, what), [one], [other, facts[2].entry], None


def paraphrases() -> Iterator[Row]:
    for number, (entry, said, echo, what, word) in enumerate(PARAPHRASES):
        others = [
            Fact("Likes jazz", "I like jazz."),
            Fact("Sister Ana lives in Porto", "My sister Ana lives in Porto."),
        ]
        for place in range(3):
            yield (
                [Fact(entry, said, echo), *others],
                ask(number + place, what),
                [word],
                [one.entry for one in others],
                None,
            )


def denials() -> Iterator[Row]:
    for number, (entry, said, what, word, other, other_said) in enumerate(DENIALS):
        for place in range(3):
            facts = [Fact(entry, said), Fact(other, other_said), own_fact(number + place + 4)]
            yield facts, ask(number + place, what), [word], [other, facts[2].entry], None


def changes() -> Iterator[Row]:
    for number, (new, old) in enumerate(PAIRS):
        for entry, said, was, was_said, what in CHANGES:
            fill = {"new": new, "old": old}
            now = Fact(entry.format(**fill), said.format(**fill))
            then = Fact(was.format(**fill), was_said.format(**fill), f"{old} has changed since.")
            yield (
                [now, then, own_fact(number + 1)],
                ask(number, what.format(**fill)),
                [old],
                [now.entry],
                None,
            )


def people() -> Iterator[Row]:
    for number, (one, other, does, word) in enumerate(PEOPLE):
        sure, spared = (
            Fact(f"{one} {does}", f"My friend {one} {does}."),
            Fact(f"{other} {does}", f"{other} {does}, too."),
        )
        yield [sure, spared], ask(number, f"that {one} {does}"), [one], [spared.entry], None
        yield (
            [sure, spared, own_fact(number)],
            ask(number, f"everything about {one}"),
            [one],
            [spared.entry, own_fact(number).entry],
            None,
        )
        about = Fact(does.capitalize(), f"{one} {does}.", subject=one)
        yield (
            [about, Fact(does.capitalize(), f"{other} {does}.", subject=other)],
            ask(number, f"that {one} {does}"),
            [one],
            [does.capitalize()],
            None,
        )
        plural = {
            "lives in": "live in",
            "works at": "work at",
            "plays": "play",
            "has": "have",
            "studies": "study",
            "owns": "own",
            "speaks": "speak",
            "drives": "drive",
        }
        verb = next(key for key in plural if does.startswith(key))
        both = Fact(
            f"{other} and {one} {plural[verb]}{does[len(verb) :]}",
            f"{other} and {one} {plural[verb]}{does[len(verb) :]}.",
        )
        yield [both, own_fact(number + 2)], ask(number, f"that {one} {does}"), [one], [other, word], None
        del word


def two_facts() -> Iterator[Row]:
    for number, (entry, said, what, word, rest) in enumerate(TWO):
        for place in range(2):
            yield (
                [Fact(entry, said), own_fact(number + 6 + place)],
                ask(number + 2 * place, what),
                [word],
                [rest],
                None,
            )


def spellings() -> Iterator[Row]:
    for number, (kept, asked) in enumerate(SPELLINGS):
        facts = [
            Fact(f"Reaches {kept} on Mondays", f"I reach {kept} on Mondays.", f"{kept}, I see."),
            own_fact(number),
        ]
        yield facts, ask(number, asked), [kept], [facts[1].entry], None
        turned = [Fact(f"Often thinks of {asked}", f"I often think of {asked}."), own_fact(number + 1)]
        yield turned, ask(number, f"what I said about {kept}"), [asked], [turned[1].entry], None


def languages() -> Iterator[Row]:
    for number, (entry, said, wish, word) in enumerate(LANGUAGES):
        other = LANGUAGES[(number + 2) % len(LANGUAGES)]
        more = LANGUAGES[(number + 7) % len(LANGUAGES)]
        spared = [Fact(row[0], row[1]) for row in (other, more)]
        yield [Fact(entry, said, f"{word}!"), *spared], wish, [word], [one.entry for one in spared], None
        third = own_fact(number + 1)  # none of them says the same in English
        yield [Fact(entry, said), third], wish, [word], [third.entry], None


def told_again() -> Iterator[Row]:
    for number, (entry, said, echo, word, _) in enumerate(OWN):
        other = own_fact(number + 5)
        statement = "that " + said[0].lower().replace("i", "I") + said[1:].rstrip(".")
        for place in range(3):
            again = Fact(entry, said) if place else None
            yield (
                [Fact(entry, said, echo), other],
                ask(number + place, statement),
                [word],
                [other.entry],
                again,
            )
