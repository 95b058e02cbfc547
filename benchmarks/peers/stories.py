"""Generates stories: people tell a companion facts about themselves, which then change.

The same seed gives the same stories. Every value is a made-up word that is used only once, so each statement and
message belongs to one story.

A book maps the person's message to its changes. The model is taught it, and answers each system with the changes that
follow from what the system has shown. So all systems store the same texts.
"""

import random
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

OPENING_TOPICS = 9
CHANGES = 4
_CONSONANTS = "bcdfghjklmnprstvwz"
_VOWELS = "a e i o u ai ea ou".split()
_ENDS = "dan gor lin mar nel pik rass sund ton vek wyn zim bury ford holm".split()
_READ = tomllib.loads(Path(__file__).with_name("topics.toml").read_text())
SMALL_TALK, TOPICS = _READ["small_talk"], _READ["topics"]


@dataclass(frozen=True, slots=True)
class Change:
    """A fact that a message adds (`new`), ends (`old`), or replaces (both), such as "Lives in Lisbon"."""

    new: str = ""
    old: str = ""


Book = Mapping[str, Sequence[Change]]


@dataclass(frozen=True, slots=True)
class Move:
    """A change of what a system has shown. `at`: the index of a shown text; None: it is new."""

    kind: Literal["add", "update", "delete"]
    text: str = ""
    at: int | None = None
    said: int = 0  # the index of its message


def moves_for(book: Book, said: Sequence[str], shown: Sequence[str]) -> list[Move]:
    """What a faultless model does about the new messages `said`, if it knows only the texts `shown`.

    It does not add what is shown. What is not shown can't be changed: its replacement is added, and nothing forgotten.
    """
    moves: list[Move] = []
    known = list(shown)  # the texts after the moves so far
    for place, words in enumerate(said):
        for change in book.get(words.strip(), ()):
            old = known.index(change.old) if change.old in known else None
            there = not change.new or change.new in known
            if old is not None:
                known[old] = "" if there else change.new
                moves.append(
                    Move("delete", at=old, said=place) if there else Move("update", change.new, old, place)
                )
            elif not there:
                known.append(change.new)
                moves.append(Move("add", change.new, None, place))
    return moves


class Words:
    """Makes up words, the same for the same seed. None is repeated or part of another. `stem`: their beginning."""

    def __init__(self, seed: str, *, stem: str = "") -> None:
        self._random = random.Random(seed)
        self._stem = stem
        self._given = {""}

    def new(self) -> str:
        """A new word, such as `Teavoudan`."""
        pick, word = self._random.choice, ""
        while word in self._given:
            syllables = pick(_CONSONANTS) + pick(_VOWELS) + pick(_CONSONANTS) + pick(_VOWELS) + pick(_ENDS)
            word = (self._stem + syllables).capitalize()
        self._given.add(word)
        return word


@dataclass(frozen=True, slots=True)
class Told:
    """A message of the person. `says`: new statements; `ends`: an earlier statement that is now untrue or unwanted.

    `question`: a question for whose answer this is needed.
    """

    message: str
    says: tuple[str, ...] = ()
    ends: str = ""
    question: str = ""

    @property
    def changes(self) -> list[Change]:
        if self.ends:
            return [Change(new="".join(self.says), old=self.ends)]
        return [Change(new=statement) for statement in self.says]


@dataclass(frozen=True, slots=True)
class Story:
    user: str
    opening: tuple[Told, ...]
    changes: tuple[Told, ...]

    @property
    def told(self) -> tuple[Told, ...]:
        return self.opening + self.changes

    def forms_of(self, statement: str) -> tuple[str, ...]:
        """The statement and the messages that say it, which some systems show instead."""
        return statement, *(told.message for told in self.told if statement in told.says)

    def true_at_the_end(self) -> set[str]:
        true: set[str] = set()
        for told in self.told:
            true = (true - {told.ends}) | set(told.says)
        return true


def life_stories(count: int, *, seed: str, words: Words | None = None) -> list[Story]:
    """This many stories. `words`: the source of values; made from the seed by default."""
    words = words or Words(seed)
    return [_story(f"{seed}-{number:03d}", words) for number in range(count)]


def plain_facts(count: int, words: Words) -> list[Told]:
    """This many messages, each with one fact that never changes."""
    return [_Topic(TOPICS[number % len(TOPICS)], words).begin() for number in range(count)]


def book_of(told: Iterable[Told]) -> dict[str, list[Change]]:
    return {one.message: one.changes for one in told if one.changes}


def turn_of(told: Told) -> list[dict[str, str]]:
    return [{"role": "user", "content": told.message}, {"role": "assistant", "content": "I see."}]


class _Topic:
    """What is true on one topic while a story is made."""

    def __init__(self, topic: Mapping[str, Any], words: Words) -> None:
        self._topic, self._words = topic, words
        self._value = words.new()
        self._before = ""  # the previous value
        self._says = topic["says"].format(a=self._value)

    def begin(self) -> Told:
        return Told(self._message(self._value), (self._says,), question=self._topic["question"])

    def happen(self, event: Mapping[str, str]) -> Told:
        """A message that changes what is true. After an event without `says`, nothing is."""
        new = self._words.new() if "{b}" in event["message"] else self._value
        message = event["message"].format(a=self._value, b=new)
        told = self._told(message, event.get("says", "").format(a=self._value, b=new))
        self._before, self._value = self._value, new
        return told

    def go_back(self) -> Told:
        """A message after which the previous value is true again."""
        message = f"It is as it was before. {self._message(self._before)}"
        return self._told(message, self._topic["says"].format(a=self._before))

    def repeat(self) -> Told:
        """A message that repeats what is true."""
        message = f"As I said: {self._message(self._value)}"
        return Told(message, (self._says,), question=self._topic["question"])

    def _told(self, message: str, says: str) -> Told:
        """A message with the statement `says`, which ends the previous one."""
        old, self._says = self._says, says
        return Told(message, (says,) if says else (), old, self._topic["question"])

    def _message(self, value: str) -> str:
        message: str = self._topic["message"].format(a=value)
        return message


def _story(user: str, words: Words) -> Story:
    choices = random.Random(user)
    topics = choices.sample(TOPICS, OPENING_TOPICS)
    subjects = [_Topic(topic, words) for topic in topics]
    opening = list(_joined([subject.begin() for subject in subjects], choices))
    opening.insert(choices.randrange(len(opening) + 1), Told(choices.choice(SMALL_TALK)))
    events = [choices.choice(topic["events"]) for topic in topics]
    return Story(user, tuple(opening), tuple(_changes(subjects, events, choices)))


def _changes(subjects: list[_Topic], events: list[Any], choices: random.Random) -> Iterator[Told]:
    """One change of each of the first topics. Half of the stories undo one, and a third repeats another topic."""
    back_after = choices.randrange(2 * CHANGES)
    for place in range(CHANGES):
        yield subjects[place].happen(events[place])
        if place >= back_after and "{b}" in events[place]["message"]:
            back_after = CHANGES
            yield subjects[place].go_back()
    if choices.random() < 1 / 3:
        yield subjects[-1].repeat()


def _joined(told: list[Told], choices: random.Random) -> Iterator[Told]:
    """Join most of the messages in pairs."""
    waiting = list(told)
    while waiting:
        first = waiting.pop(0)
        if waiting and choices.random() < 0.7:
            second = waiting.pop(0)
            yield Told(f"{first.message} {second.message}", first.says + second.says)
        else:
            yield first
