"""One pass over the person's own messages: what they state is kept, corrected or, as they ask, forgotten."""

import re
from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from providers.llm.base import NumberedMessage, PromptData
from providers.llm.offline.changes import acts_on_known, change_or_keep, meet_mentioned
from providers.llm.offline.clauses import Clause, read_clauses
from providers.llm.offline.notebook import Line, Notebook
from providers.llm.offline.patterns import RULES, part, pattern
from providers.llm.offline.reader import Reader, about_whom
from providers.llm.offline.wording import is_name, noun, overlap, stem, words

ASKED = "asked to forget it"
SAME_TURN = timedelta(minutes=1)  # lines that one turn left were said at one moment

_WHAT = part("WHAT")
_EVERYTHING = part("EVERYTHING")
_WHOLE = pattern(r"\b(?:all|every ?thing|my data|my memories|my information|wipe)\b")
_JUST_NOW = part("JUST_NOW")
_LEAD = part("LEAD")
_TAIL = part("TAIL")
_GOES_ON = part("GOES_ON")
_NOTHING = part("NOTHING")
# Nobody speaks of their own life in such words; they mean the machine.
_TO_THE_MACHINE = part("TO_THE_MACHINE")
_TOPICS = [
    (frozenset(map(stem, telling.split())), kinds.split(), pattern(wording))
    for telling, kinds, wording in RULES["forgetting"]["topics"]
]
MAX_FACTS = 60  # new ones of one message; nobody tells more in one breath
# Someone else's text that tries to give orders; nothing in such a message makes us forget.
_ORDERS = part("ORDERS")
_NAMED = re.compile(r"^(?:The user |User )?[Hh]a[sd] an? ([\w -]{2,30}?) (?:named|called) ([^\W\d_][\w'-]*)")


def forget(clause: Clause, reader: Reader, *, previous: list[int]) -> None:
    """Strike out what is to be forgotten. `previous` are the numbers of the messages read before this one."""
    found = _WHAT.search(clause.text)
    said = _GOES_ON.sub("", found["what"]) if found else ""
    what = _TAIL.sub("", f" {said.strip(' ,.!?')}")
    if _NOTHING.match(what) or _TO_THE_MACHINE.search(clause.text):
        return
    for line in _meant(reader, what, whole=bool(_WHOLE.search(clause.text)), previous=previous):
        reader.strike(line, ASKED)


def _meant(reader: Reader, what: str, *, whole: bool, previous: list[int]) -> list[Line]:
    lines = list(reader.notebook.lines())
    if whole and _EVERYTHING.match(what):
        return lines
    if _JUST_NOW.match(what):
        return _said_last(lines, previous)
    topic = _LEAD.sub("", what).strip()
    if not words(topic):  # "where I live": the words that tell are among those that lead
        return _on_topic(lines, words(what) | {stem(word) for word in re.findall(r"\w+", what.lower())})
    return _about(lines, topic, reader)


def _said_last(lines: list[Line], previous: list[int]) -> list[Line]:
    """What the message before this one left, else what the turn before this one left."""
    if previous:
        return [line for line in lines if previous[-1] in line.messages]
    known = [line for line in lines if line.known_since.year > 1]
    latest = max((line.known_since for line in known), default=None)
    return [line for line in known if latest and latest - line.known_since < SAME_TURN]


def _about(lines: list[Line], topic: str, reader: Reader) -> list[Line]:
    """Those with every telling word or of the topic's kind; else those that name the person; else those close to it."""
    told = words(re.sub(r"\bex\b", "", topic))
    # "My sister's surgery" as Ana's, where the sister's name is known.
    related = [(name, frozenset({stem(noun(who))})) for name, who in reader.cast.names.items() if who]
    tellings = [told, *(told - who | words(name) for name, who in related if who < told)]
    by_kind = _on_topic(lines, words(topic)) if len(words(topic)) <= 2 else []
    every = [
        line for line in lines if any(_tells(line, telling) == 1.0 for telling in tellings) or line in by_kind
    ]
    if every:
        return every
    names = [word.removesuffix("'s") for word in topic.split() if is_name(word)]
    named = [
        line for line in lines if any(name in line.content.split() or name == line.subject for name in names)
    ]
    return named or [line for line in lines if len(told) > 1 and _tells(line, told) >= 0.65]


def _tells(line: Line, telling: frozenset[str]) -> float:
    return overlap(telling, line.words | words(line.subject))


def _on_topic(lines: list[Line], wanted: frozenset[str]) -> list[Line]:
    """The person's own lines that belong to a topic with one of the words."""
    topics = [(kinds, wording) for telling, kinds, wording in _TOPICS if telling & wanted]

    def belongs(line: Line, kinds: list[str], wording: re.Pattern[str]) -> bool:
        return line.fact.kind in kinds or line.type in kinds or bool(wording.search(line.content))

    own = [line for line in lines if line.subject == "user"]
    return [line for line in own if any(belongs(line, *topic) for topic in topics)]


def read_messages(prompt_data: PromptData) -> list[dict[str, Any]]:
    """The operations that the person's own messages ask for, each with the numbers of the messages it rests on."""
    return read_prompt_data(prompt_data).notebook.operations()


def read_prompt_data(prompt_data: PromptData) -> Reader:
    """The person's own messages, read, or what a model noted for them, which stands alone as a tool's; the notebook
    holds the entries as they were given and what became of them.
    """
    reader = Reader(Notebook(prompt_data.entries, types=prompt_data.types, user_name=prompt_data.user_name))
    for entry in prompt_data.entries:  # who is known can be spoken of by name alone
        if entry.subject != "user":
            reader.cast.names.setdefault(entry.subject, "")
        if found := _NAMED.match(entry.content):
            reader.cast.names[found[2]] = found[1].lower()
    if prompt_data.task != "operations":  # whose list names everybody there is
        _meet_earlier(reader, prompt_data)
    own = "tool" if all(message.role == "tool" for message in prompt_data.messages) else "user"
    read: list[int] = []
    for message in prompt_data.messages:
        if message.role == own:
            reader.today = day_of(message, prompt_data.timezone)
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


def _meet_earlier(reader: Reader, prompt_data: PromptData) -> None:
    """Those of whom the person spoke a little earlier are known; what was said of them then is not read again."""
    aside = Reader(Notebook(()))
    for text in prompt_data.earlier:
        for said in read_clauses(text):
            if not said.forgets:
                read_statement(said, aside)
    for name, relation in aside.cast.names.items():
        reader.cast.names.setdefault(name, relation)
