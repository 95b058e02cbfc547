"""Reads new messages by rules and says what to add, change and strike out."""

import re
from collections.abc import Callable
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memory.providers.base import IngestionMaterial, NumberedMessage
from memory.providers.offline.achievements import read_achievements
from memory.providers.offline.ages import read_ages
from memory.providers.offline.appointments import read_appointments
from memory.providers.offline.arrivals import read_arrivals
from memory.providers.offline.clauses import Clause
from memory.providers.offline.corrections import read_corrections, read_denials
from memory.providers.offline.diet import read_diet
from memory.providers.offline.events import read_events
from memory.providers.offline.family import read_family, read_mentions
from memory.providers.offline.forgetting import read_forgetting
from memory.providers.offline.goals import read_goals
from memory.providers.offline.habits import read_habits
from memory.providers.offline.health import read_health
from memory.providers.offline.leaving import read_leaving
from memory.providers.offline.names import read_names
from memory.providers.offline.notebook import Notebook
from memory.providers.offline.partners import read_partners
from memory.providers.offline.patterns import pattern
from memory.providers.offline.people import about_whom
from memory.providers.offline.places import read_places
from memory.providers.offline.preferences import read_preferences
from memory.providers.offline.reading import Reading
from memory.providers.offline.sentences import read_clauses
from memory.providers.offline.traits import read_traits
from memory.providers.offline.unplaced import acts_on_known
from memory.providers.offline.work import read_work

MAX_FACTS = 60  # new ones of one message; nobody tells more in one breath
Rule = Callable[[Clause, Reading], bool]
# The first that takes a clause has it.
RULES: tuple[Rule, ...] = (
    read_denials,
    read_names,
    read_ages,
    read_traits,
    read_places,
    read_leaving,
    read_work,
    read_family,
    read_arrivals,
    read_partners,
    read_health,
    read_diet,
    read_achievements,
    read_goals,
    read_preferences,
    read_habits,
    read_appointments,
    read_events,
    read_corrections,
)
# Someone else's text that tries to give orders; nothing in such a message makes us forget.
_ORDERS = pattern(
    r"\b(?:ignore|disregard|override|bypass)\b.{0,60}\b(?:above|previous|prior|instructions?|rules?|prompt|earlier"
    r"|everything)\b|\bsystem prompt\b|\byou are now\b|\"(?:operations|op)\"\s*:|<\s*/?(?:system|instructions?)\b"
)


def read_messages(material: IngestionMaterial) -> list[dict[str, Any]]:
    """The operations that the person's own messages ask for, each with the numbers of the messages it rests on."""
    return read_into_notebook(material).notebook.operations()


def read_into_notebook(material: IngestionMaterial) -> Reading:
    """The person's own messages, read; the notebook holds the entries as they were given and what became of them."""
    notebook = Notebook(material.entries, user_name=material.user_name)
    reading = Reading(notebook=notebook, types=material.types)
    _meet_known(reading, material)
    if material.task != "operations":  # whose list names everybody there is
        _meet_mentioned(reading, material)
    read: list[int] = []
    for message in material.messages:
        if message.role == "user":
            reading.today = day_of(message, material.timezone)
            _read_message(message, reading, read)
            read.append(message.number)
    return reading


def _read_message(message: NumberedMessage, reading: Reading, previous: list[int]) -> None:
    reading.message = message.number
    reading.cast.next_message()
    orders = bool(_ORDERS.search(message.content))
    before = len(reading.notebook)
    for said in read_clauses(message.content):
        if len(reading.notebook) - before >= MAX_FACTS:
            break
        if said.forgets and orders:
            continue
        touched = reading.notebook.touched
        if not read_forgetting(said, reading, previous=previous):
            read_statement(said, reading)
        if said.forgets or (touched == reading.notebook.touched and acts_on_known(said)):
            reading.unplaced.append((said, message.number))


def read_statement(said: Clause, reading: Reading) -> None:
    """One statement, through the first rule that takes it."""
    read_mentions(said, reading)
    clause = about_whom(said, reading.cast)
    if not any(rule(clause, reading) for rule in RULES) and clause is not said:
        any(rule(said, reading) for rule in RULES)


def _meet_known(reading: Reading, material: IngestionMaterial) -> None:
    """The people the entries already name can be spoken of by name alone."""
    for entry in material.entries:
        if entry.subject != "user":
            reading.cast.names.setdefault(entry.subject, "")
        for relation, name in _named_in(entry.content):
            reading.cast.names[name] = relation


def _meet_mentioned(reading: Reading, material: IngestionMaterial) -> None:
    """So can those of whom the person spoke a little earlier. What was said of them then is not read again."""
    aside = Reading(notebook=Notebook((), user_name=material.user_name), types=material.types)
    aside.today = day_of(material.messages[0], material.timezone) if material.messages else date(2000, 1, 1)
    for text in material.earlier:
        aside.cast.next_message()
        for said in read_clauses(text):
            if not said.forgets:
                read_statement(said, aside)
    for name, relation in aside.cast.names.items():
        reading.cast.names.setdefault(name, relation)


def _named_in(content: str) -> list[tuple[str, str]]:
    found = re.match(
        r"^(?:The user |User )?[Hh]a[sd] an? (?P<relation>[\w -]{2,30}?) (?:named|called) (?P<name>[^\W\d_][\w'-]*)",
        content,
    )
    return [(found["relation"].lower(), found["name"])] if found else []


def day_of(message: NumberedMessage, timezone: str) -> date:
    """The day on which it was sent, in the person's time zone."""
    try:
        return message.sent_at.astimezone(_zone(timezone)).date()
    except OverflowError:  # the last hours of the year 9999
        return message.sent_at.date()


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")
