"""Reads the person's own messages. What they want forgotten is left to memory.mending, but for everything at once."""

import re
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from providers.llm.base import NumberedMessage, PromptData
from providers.llm.offline.clauses import Clause, read_clauses
from providers.llm.offline.keeping import acts_on_known, change_or_keep, meet_mentioned
from providers.llm.offline.reader import Reader, about_whom
from providers.llm.offline.wording import folded, part, pattern

ASKED = "asked to forget it"
MAX_FACTS = 60  # new facts per message; more than anybody states at once
MAX_CLAUSES = 1000  # of all messages together, as each is compared with every line of the list
_WHOLE = pattern(r"\b(?:all|every ?thing|my data|my memories|my information|wipe)\b")
_NAMED = re.compile(r"^(?:The user |User )?[Hh]a[sd] an? ([\w -]{2,30}?) (?:named|called) ([^\W\d_][\w'-]*)")


def read_messages(prompt_data: PromptData) -> list[dict[str, Any]]:
    """The operations that follow from the person's own messages, with the numbers of the messages they rest on."""
    return read_prompt_data(prompt_data).operations()


def read_prompt_data(prompt_data: PromptData) -> Reader:
    """Read the person's own messages, or a model's notes if there are only messages of the role `tool`."""
    reader = Reader(prompt_data.entries, types=prompt_data.types, user_name=prompt_data.user_name)
    for entry in prompt_data.entries:  # known people can be mentioned by name only
        if entry.subject != "user":
            reader.names.setdefault(entry.subject, "")
        if found := _NAMED.match(entry.content):
            reader.names[found[2]] = found[1].lower()
    own = "tool" if all(message.role == "tool" for message in prompt_data.messages) else "user"
    # If somebody else speaks on the person's account, their "I" is not the person.
    theirs = [
        message
        for message in prompt_data.messages
        if message.role == own and (own == "tool" or folded(message.speaker) == folded(prompt_data.user_name))
    ]
    left = MAX_CLAUSES
    for place, message in enumerate(theirs):
        reader.today = _day_of(message, prompt_data.timezone)
        clauses = read_clauses(message.content, most=left // (len(theirs) - place))
        _read_message(message, clauses, reader)
        left -= len(clauses)
    return reader


def _day_of(message: NumberedMessage, timezone: str) -> date:
    """The day on which a message was sent, in the person's time zone."""
    try:
        zone = ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        zone = ZoneInfo("UTC")
    try:
        return message.sent_at.astimezone(zone).date()
    except OverflowError:  # the last hours of the year 9999
        return message.sent_at.date()


def _read_message(message: NumberedMessage, clauses: list[Clause], reader: Reader) -> None:
    reader.message = message.number
    reader.latest = ""  # pronouns don't reach across messages
    orders = part("ORDERS").search(message.content)  # whoever gives orders can't have anything forgotten
    before = len(reader)
    for said in clauses:
        if len(reader) - before >= MAX_FACTS:
            break
        touched = reader.touched
        if not said.forgets:
            matched = _read_statement(said, reader)
            if touched == reader.touched and (matched or acts_on_known(said)):
                reader.unplaced.append((said, message.number))
        elif not orders and _means_everything(said):
            for line in reader.lines():
                reader.strike(line, ASKED)
            reader.unplaced.append((said, message.number))


def _means_everything(said: Clause) -> bool:
    found = part("WHAT").search(said.text)
    what = part("TAIL").sub("", f" {found['what'].strip(' ,.!?')}") if found else ""
    return bool(_WHOLE.search(said.text) and part("EVERYTHING").match(what))


def _read_statement(said: Clause, reader: Reader) -> bool:
    """Add the people that a statement mentions, then change known lines, or else store what it states. Returns whether
    a rule matched.
    """
    meet_mentioned(said, reader)
    clause = about_whom(said, reader)
    return change_or_keep(clause, reader) or (clause is not said and change_or_keep(said, reader))
