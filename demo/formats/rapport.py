"""Rapport's own conversation files. Turns are dated by `time` and by `day`, relative to the day of playing."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from django.conf import settings
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter

from demo.conversation import Conversation, Person, Persona, Source
from demo.formats.fields import Text, Utterance, checked, named
from memory.retrieval.configuration import Language
from relationships.services.turns import NewMessage, NewTurn, turn_faults
from web.errors import InvalidInput
from web.fields import CompanionSlug, ExternalId, Name, SessionName, TimeZone

QUESTION = "What do you remember about me?"


def _clock(text: str) -> str:
    try:
        time.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is no time such as 09:30") from None
    return text


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Companion(_Part):
    name: Name
    slug: CompanionSlug
    core_prompt: Text = ""
    language: Language | None = None
    """The language of the conversation, for stemming in searches."""


class _User(_Part):
    external_id: ExternalId
    display_name: Name


class _Message(_Part):
    role: Literal["user", "assistant", "system", "tool"]
    content: Utterance


class _Turn(_Part):
    day: Annotated[int, Field(ge=-36_500, le=0)]
    time: Annotated[str, AfterValidator(_clock)]
    session: SessionName = "current"
    messages: Annotated[list[_Message], Field(min_length=1, max_length=settings.MAX_MESSAGES_PER_TURN)]


class _File(_Part):
    about: str = ""
    companion: _Companion
    user: _User
    timezone: TimeZone = "UTC"
    turns: Annotated[list[_Turn], Field(min_length=1)]
    question: Utterance = QUESTION
    expected: list[str] = []
    """What the scratchpad should contain in the end, as regular expressions; for tests."""
    forgotten: list[str] = []


_FILE = TypeAdapter(_File)


def parse(data: Mapping[str, Any], source: Source) -> Conversation:
    file = checked(_FILE, data)
    zone = ZoneInfo(file.timezone)
    today = _last_day(file.turns, source.now, zone)
    turns = [_turn(turn, today, zone) for turn in file.turns]
    problems = [
        named(line, f"turns.{place}") for place, turn in enumerate(turns) for line in turn_faults(turn)
    ]
    if problems:
        raise InvalidInput.naming(problems)
    for place, (turn, before) in enumerate(zip(turns[1:], turns, strict=False), start=1):
        if turn.occurred_at < before.occurred_at:
            raise InvalidInput.of(f"turns.{place}.time", "lies before the turn above it")
    return Conversation(
        user=Person(file.user.external_id, file.user.display_name, file.timezone),
        companion=Persona(
            file.companion.slug,
            file.companion.name,
            file.companion.core_prompt,
            file.companion.language or "",
        ),
        turns=turns,
        question=file.question,
    )


def _last_day(turns: Sequence[_Turn], now: datetime, zone: ZoneInfo) -> date:
    """Day 0: today, or yesterday if a turn would otherwise be in the future."""
    today = now.astimezone(zone).date()
    ahead = any(_moment(turn, today, zone) > now for turn in turns)
    return today - timedelta(days=1) if ahead else today


def _turn(turn: _Turn, today: date, zone: ZoneInfo) -> NewTurn:
    messages = [NewMessage(message.role, message.content) for message in turn.messages]
    return NewTurn(messages, occurred_at=_moment(turn, today, zone), session=turn.session)


def _moment(turn: _Turn, today: date, zone: ZoneInfo) -> datetime:
    day = today + timedelta(days=turn.day)
    return datetime.combine(day, time.fromisoformat(turn.time), tzinfo=zone).astimezone(UTC)
