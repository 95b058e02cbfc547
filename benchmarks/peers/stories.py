"""Scripted lives: people tell a companion about themselves, and then it changes.

A seeded generator; the same seed tells the same stories. Every value is a word that nobody uses, given out once: so a
statement or message belongs to one story, and a value that is found can only come from there.
"""

import random
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.peers.facts import Change

OPENING_TOPICS = 9
CHANGES = 4
_CONSONANTS = "bcdfghjklmnprstvwz"
_VOWELS = "a e i o u ai ea ou".split()
_ENDS = "dan gor lin mar nel pik rass sund ton vek wyn zim bury ford holm".split()


@dataclass(frozen=True, slots=True)
class Event:
    """How a thing ends. `says` is empty where nothing takes the place of what ends."""

    kind: str
    message: str
    says: str = ""


@dataclass(frozen=True, slots=True)
class Topic:
    question: str
    message: str
    says: str
    events: tuple[Event, ...]


_READ = tomllib.loads(Path(__file__).with_name("topics.toml").read_text())
SMALL_TALK: tuple[str, ...] = tuple(_READ["small_talk"])
TOPICS = tuple(
    Topic(**topic | {"events": tuple(Event(**event) for event in topic["events"])})
    for topic in _READ["topics"]
)


class Words:
    """Gives words out, the same for the same seed. None is given twice, and none is a part of another.

    `stem` begins each of them, so that one search finds whatever is left of any.
    """

    def __init__(self, seed: str, *, stem: str = "") -> None:
        self._random = random.Random(seed)
        self._stem = stem
        self._given: set[str] = set()

    def new(self) -> str:
        """Such as `Teavoudan`."""
        while (word := self._draw()) in self._given:
            continue
        self._given.add(word)
        return word

    def _draw(self) -> str:
        pick = self._random.choice
        syllables = pick(_CONSONANTS) + pick(_VOWELS) + pick(_CONSONANTS) + pick(_VOWELS) + pick(_ENDS)
        return (self._stem + syllables).capitalize()


@dataclass(frozen=True, slots=True)
class Told:
    """One message of the person, and what a memory that reads it rightly does.

    `says`: statements that are new; `ends`: the statement that was remembered and now is untrue or unwanted.
    `question`: what the person might ask next, so that an answer needs this memory.
    """

    kind: str
    message: str
    says: tuple[str, ...] = ()
    ends: str = ""
    question: str = ""

    @property
    def changes(self) -> list[Change]:
        """For the book of facts."""
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
        """The statement, and the messages that say it: systems that keep messages show these instead."""
        return statement, *(told.message for told in self.told if statement in told.says)

    def true_at_the_end(self) -> set[str]:
        true: set[str] = set()
        for told in self.told:
            true = (true - {told.ends}) | set(told.says)
        return true


def life_stories(count: int, *, seed: str, words: Words | None = None) -> list[Story]:
    """`words`: where their values come from; of the seed's own by default."""
    words = words or Words(seed)
    return [_story(f"{seed}-{number:03d}", words) for number in range(count)]


def plain_facts(count: int, words: Words) -> list[Told]:
    """As many messages of one fact each, which never change."""
    life = _Life(words)
    return [life.begin(TOPICS[number % len(TOPICS)]) for number in range(count)]


def book_of(told: Iterable[Told]) -> dict[str, list[Change]]:
    return {one.message: one.changes for one in told if one.changes}


def turn_of(told: Told) -> list[dict[str, str]]:
    return [{"role": "user", "content": told.message}, {"role": "assistant", "content": "I see."}]


class _Life:
    """What is true of somebody, topic by topic, while their story is made."""

    def __init__(self, words: Words) -> None:
        self._words = words
        self._now: dict[Topic, tuple[str, str]] = {}  # the value, and the statement about it
        self._before: dict[Topic, str] = {}

    def begin(self, topic: Topic) -> Told:
        value = self._words.new()
        says = topic.says.format(a=value)
        self._now[topic] = value, says
        return Told("opening", topic.message.format(a=value), (says,), question=topic.question)

    def happen(self, topic: Topic, event: Event) -> Told:
        """A change of what is true now; where it says nothing, nothing is true of the topic afterwards."""
        value, old = self._now.pop(topic)
        new = self._words.new() if "{b}" in event.message else value
        says = event.says.format(a=value, b=new)
        if says:
            self._before[topic], self._now[topic] = value, (new, says)
        message = event.message.format(a=value, b=new)
        return Told(event.kind, message, (says,) if says else (), old, topic.question)

    def go_back(self, topic: Topic) -> Told:
        """The value of before is true again."""
        (_, old), value = self._now[topic], self._before[topic]
        says = topic.says.format(a=value)
        self._now[topic] = value, says
        message = f"It is as it was before. {topic.message.format(a=value)}"
        return Told("back again", message, (says,), old, topic.question)

    def repeat(self, topic: Topic) -> Told:
        """Nothing changes: what is remembered already is said once more."""
        value, says = self._now[topic]
        return Told("said again", f"As I said: {topic.message.format(a=value)}", (says,), "", topic.question)


def _story(user: str, words: Words) -> Story:
    choices = random.Random(user)
    life = _Life(words)
    topics = choices.sample(TOPICS, OPENING_TOPICS)
    opening = list(_joined([life.begin(topic) for topic in topics], choices))
    opening.insert(choices.randrange(len(opening) + 1), Told("small talk", choices.choice(SMALL_TALK)))
    return Story(user, tuple(opening), tuple(_changes(life, topics, choices)))


def _changes(life: _Life, topics: list[Topic], choices: random.Random) -> Iterator[Told]:
    """One of each of the first topics. One story in two goes back on one of them, one in three repeats another."""
    back_after = choices.randrange(2 * CHANGES)
    for place, topic in enumerate(topics[:CHANGES]):
        event = choices.choice(topic.events)
        yield life.happen(topic, event)
        if place >= back_after and "{b}" in event.message:
            back_after = CHANGES
            yield life.go_back(topic)
    if choices.random() < 1 / 3:
        yield life.repeat(topics[-1])


def _joined(told: list[Told], choices: random.Random) -> Iterator[Told]:
    """The same, most of them two to a message."""
    waiting = list(told)
    while waiting:
        first = waiting.pop(0)
        if waiting and choices.random() < 0.7:
            second = waiting.pop(0)
            yield Told("opening", f"{first.message} {second.message}", first.says + second.says)
        else:
            yield first
