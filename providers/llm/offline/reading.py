"""Reads the person's own messages: stores, corrects or forgets facts."""

import re
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from providers.llm.base import NumberedMessage, PromptData
from providers.llm.offline.changes import acts_on_known, change_or_keep, meet_mentioned
from providers.llm.offline.clauses import Clause, read_clauses
from providers.llm.offline.lines import Line
from providers.llm.offline.reader import Reader, about_whom
from providers.llm.offline.wording import RULES, folded, noun, part, pattern, stem, words

ASKED = "asked to forget it"

_WHOLE = pattern(r"\b(?:all|every ?thing|my data|my memories|my information|wipe)\b")
_TOPICS = [
    (frozenset(map(stem, telling.split())), kinds.split(), pattern(wording))
    for telling, kinds, wording in RULES["forgetting"]["topics"]
]
MAX_FACTS = 60  # new facts per message; more than anybody states at once
MAX_CLAUSES = 1000  # of all messages together, as each is compared with every line of the list
_NAMED = re.compile(r"^(?:The user |User )?[Hh]a[sd] an? ([\w -]{2,30}?) (?:named|called) ([^\W\d_][\w'-]*)")


def _forget(clause: Clause, reader: Reader) -> None:
    """Strike out what has to be forgotten. What was said last is left to memory.mending."""
    found = part("WHAT").search(clause.text)
    said = part("GOES_ON").sub("", found["what"]) if found else ""
    what = part("TAIL").sub("", f" {said.strip(' ,.!?')}")
    if part("NOTHING").match(what) or part("TO_THE_MACHINE").search(clause.text):
        return
    lines, topic = list(reader.lines()), part("LEAD").sub("", what).strip()
    if _WHOLE.search(clause.text) and part("EVERYTHING").match(what):
        pass
    elif not words(topic):  # as in "where I live", whose significant words were cut off
        lines = _on_topic(lines, words(what) | {stem(word) for word in re.findall(r"\w+", what.lower())})
    else:
        lines = _about(lines, topic, reader)
    for line in lines:
        reader.strike(line, ASKED)


def _about(lines: list[Line], topic: str, reader: Reader) -> list[Line]:
    """Lines with all significant words or of the topic's kind."""
    told = words(re.sub(r"\bex\b", "", topic))
    # "My sister's surgery" is Ana's, if the sister's name is known.
    related = [(name, frozenset({stem(noun(who))})) for name, who in reader.names.items() if who]
    tellings = [told, *(told - who | words(name) for name, who in related if who < told)] if told else []
    by_kind = _on_topic(lines, words(topic)) if len(words(topic)) <= 2 else []
    said = [(line, line.words | words(line.subject)) for line in lines]
    return [line for line, there in said if line in by_kind or any(telling <= there for telling in tellings)]


def _on_topic(lines: list[Line], wanted: frozenset[str]) -> list[Line]:
    """The person's own lines that belong to a topic which has one of the words."""
    topics = [(kinds, wording) for telling, kinds, wording in _TOPICS if telling & wanted]

    def belongs(line: Line, kinds: list[str], wording: re.Pattern[str]) -> bool:
        return line.fact.kind in kinds or line.type in kinds or bool(wording.search(line.content))

    own = [line for line in lines if line.subject == "user"]
    return [line for line in own if any(belongs(line, *topic) for topic in topics)]


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
    if prompt_data.task != "operations":  # operations have all entries, and so all names
        _meet_earlier(reader, prompt_data)
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


def _read_statement(said: Clause, reader: Reader) -> bool:
    """Add the people that a statement mentions, then change known lines, or else store what it states. Returns whether
    a rule matched.
    """
    meet_mentioned(said, reader)
    clause = about_whom(said, reader)
    return change_or_keep(clause, reader) or (clause is not said and change_or_keep(said, reader))


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
    reader.latest = reader.unnamed = ""  # pronouns don't reach across messages
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
        elif not orders:
            _forget(said, reader)
            reader.unplaced.append((said, message.number))


def _meet_earlier(reader: Reader, prompt_data: PromptData) -> None:
    """Learn the names of people mentioned in earlier messages, without reading the rest again."""
    aside = Reader()
    for text in prompt_data.earlier:
        for said in read_clauses(text, most=MAX_CLAUSES // len(prompt_data.earlier)):
            if not said.forgets:
                _read_statement(said, aside)
    reader.names = aside.names | reader.names
