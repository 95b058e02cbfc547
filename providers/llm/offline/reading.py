"""One pass over the person's own messages: what they state is kept, what they correct is put right."""

import re
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from providers.llm.base import IngestionMaterial, NumberedMessage
from providers.llm.offline.changes import acts_on_known, change_or_keep, meet_mentioned
from providers.llm.offline.clauses import Clause, read_clauses
from providers.llm.offline.forgetting import forget
from providers.llm.offline.notebook import Notebook
from providers.llm.offline.patterns import part
from providers.llm.offline.people import about_whom
from providers.llm.offline.reader import Reader

MAX_FACTS = 60  # new ones of one message; nobody tells more in one breath
# Someone else's text that tries to give orders; nothing in such a message makes us forget.
_ORDERS = part("ORDERS")
_NAMED = re.compile(r"^(?:The user |User )?[Hh]a[sd] an? ([\w -]{2,30}?) (?:named|called) ([^\W\d_][\w'-]*)")


def read_messages(material: IngestionMaterial) -> list[dict[str, Any]]:
    """The operations that the person's own messages ask for, each with the numbers of the messages it rests on."""
    return read_material(material).notebook.operations()


def read_material(material: IngestionMaterial) -> Reader:
    """The person's own messages, read; the notebook holds the entries as they were given and what became of them."""
    reader = Reader(Notebook(material.entries, types=material.types, user_name=material.user_name))
    for entry in material.entries:  # who is known can be spoken of by name alone
        if entry.subject != "user":
            reader.cast.names.setdefault(entry.subject, "")
        if found := _NAMED.match(entry.content):
            reader.cast.names[found[2]] = found[1].lower()
    if material.task != "operations":  # whose list names everybody there is
        _meet_earlier(reader, material)
    read: list[int] = []
    for message in material.messages:
        if message.role == "user":
            reader.today = day_of(message, material.timezone)
            _read_message(message, reader, read)
            read.append(message.number)
    return reader


def read_statement(said: Clause, reader: Reader) -> None:
    """One statement: who is mentioned, then what it changes, else what it states."""
    meet_mentioned(said, reader)
    clause = about_whom(said, reader.cast)
    if not change_or_keep(clause, reader) and clause is not said:
        change_or_keep(said, reader)


def day_of(message: NumberedMessage, timezone: str) -> date:
    """The day on which it was sent, in the person's time zone."""
    try:
        zone = ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        zone = ZoneInfo("UTC")
    try:
        return message.sent_at.astimezone(zone).date()
    except OverflowError:  # the last hours of the year 9999
        return message.sent_at.date()


def _read_message(message: NumberedMessage, reader: Reader, previous: list[int]) -> None:
    reader.message = message.number
    reader.cast.latest = reader.cast.unnamed = ""  # pronouns don't reach across messages
    orders = bool(_ORDERS.search(message.content))
    before = len(reader.notebook)
    for said in read_clauses(message.content):
        if len(reader.notebook) - before >= MAX_FACTS:
            break
        if said.forgets and orders:
            continue
        touched = reader.notebook.touched
        if said.forgets:
            forget(said, reader, previous=previous)
        else:
            read_statement(said, reader)
        if said.forgets or (touched == reader.notebook.touched and acts_on_known(said)):
            reader.unplaced.append((said, message.number))


def _meet_earlier(reader: Reader, material: IngestionMaterial) -> None:
    """Those of whom the person spoke a little earlier are known; what was said of them then is not read again."""
    aside = Reader(Notebook(()))
    for text in material.earlier:
        for said in read_clauses(text):
            if not said.forgets:
                read_statement(said, aside)
    for name, relation in aside.cast.names.items():
        reader.cast.names.setdefault(name, relation)
