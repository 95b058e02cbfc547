"""LoCoMo's conversations (Maharana et al. 2024): two speakers, in sessions that have a date.

    {"conversation": {"speaker_a": "Ann", "speaker_b": "Bo",
                      "session_1_date_time": "1:56 pm on 8 May, 2023",
                      "session_1": [{"speaker": "Ann", "dia_id": "D1:1", "text": "Hi!", "blip_caption": "a photo"}]}}

One speaker becomes the user, the other the companion. Only sessions have dates, so their messages are dated half a
minute apart, which keeps their order.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from django.conf import settings
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from demo.conversation import Conversation, Person, Persona, Source
from demo.formats.fields import Text, Utterance, checked
from relationships.services.turns import NewMessage, NewTurn
from web.errors import FieldProblem, InvalidInput
from web.fields import EARLIEST, Name

APART = timedelta(seconds=30)
QUESTION = "What have I been up to lately?"
_SESSION = re.compile(r"session_(\d{1,6})", re.ASCII)
_UNDER = "conversation"


class _Said(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    speaker: str
    text: Text
    blip_caption: Text = ""
    """A description of the picture that was sent with it."""

    @property
    def content(self) -> str:
        shared = f"[shares a picture: {self.blip_caption.strip()}]" if self.blip_caption.strip() else ""
        return f"{self.text.strip()} {shared}".strip()


class _Speakers(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True, frozen=True)

    speaker_a: Name
    speaker_b: Name


_SPEAKERS = TypeAdapter(_Speakers)
_SAID = TypeAdapter(Annotated[list[_Said], Field(max_length=100_000)])
_CONTENT: TypeAdapter[str] = TypeAdapter(Utterance)


@dataclass(frozen=True, slots=True)
class _Session:
    name: str
    field: str
    begins: datetime
    said: Sequence[_Said]


def parse(data: Mapping[str, Any], source: Source) -> Conversation:
    conversation = data["conversation"]
    if not isinstance(conversation, dict):
        raise InvalidInput.of(
            _UNDER, "must be an object with speaker_a, speaker_b and session_1, session_2, …"
        )
    names = checked(_SPEAKERS, conversation, under=_UNDER)
    if names.speaker_a == names.speaker_b:
        raise InvalidInput.of(f"{_UNDER}.speaker_b", "is the same as speaker_a")
    user = _chosen(names, source.as_speaker)
    companion = names.speaker_b if user == names.speaker_a else names.speaker_a
    zone = source.zone or ZoneInfo("UTC")
    sample = str(data.get("sample_id") or source.name)
    sessions = list(_sessions(conversation, source, zone, prefix=_tidy(sample)))
    _check_speakers(sessions, (user, companion))
    turns = [turn for session in sessions for turn in _turns(session, user)]
    if not turns:
        raise InvalidInput.of(_UNDER, "has no session in which anything is said; the first one is session_1")
    return Conversation(
        user=Person(f"{_tidy(sample)}-{_tidy(user)}", user, str(zone)),
        companion=Persona(_tidy(companion).lower(), companion, ""),
        turns=turns,
        question=QUESTION,
    )


def _chosen(names: _Speakers, wanted: str | None) -> str:
    by_field = {"speaker_a": names.speaker_a, "speaker_b": names.speaker_b}
    known = {name.casefold(): name for name in by_field.values()}
    if wanted is None:
        return names.speaker_a
    chosen = by_field.get(wanted) or known.get(wanted.casefold())
    if chosen is None:
        raise InvalidInput.of(
            "--as", f"{wanted!r} does not speak here; write {names.speaker_a} or {names.speaker_b}"
        )
    return chosen


def _sessions(
    conversation: Mapping[str, Any], source: Source, zone: ZoneInfo, *, prefix: str
) -> Iterator[_Session]:
    """The sessions in order of their numbers, without empty ones."""
    numbered = sorted((int(found[1]), name) for name in conversation if (found := _SESSION.fullmatch(name)))
    for _, field in numbered:
        said = checked(_SAID, conversation.get(field), under=f"{_UNDER}.{field}")
        if said:
            begins = _date(conversation, f"{field}_date_time", zone)
            if begins + len(said) * APART > source.now:
                raise InvalidInput.of(f"{_UNDER}.{field}_date_time", "lies in the future")
            yield _Session(f"{prefix}-{field.replace('_', '-')}", f"{_UNDER}.{field}", begins, said)


def _date(conversation: Mapping[str, Any], field: str, zone: ZoneInfo) -> datetime:
    written = conversation.get(field)
    try:
        naive = datetime.strptime(str(written).strip().lower(), "%I:%M %p on %d %B, %Y")
        at = naive.replace(tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        at = None
    if at is None or at < EARLIEST:
        said = "is required" if written is None else f"{written!r} is no date"
        raise InvalidInput.of(f"{_UNDER}.{field}", f"{said}; write it as '1:56 pm on 8 May, 2023'")
    return at


def _check_speakers(sessions: Sequence[_Session], known: tuple[str, str]) -> None:
    problems = []
    for session in sessions:
        for place, said in enumerate(session.said):
            if said.speaker not in known:
                detail = f"{said.speaker!r} is neither {known[0]} nor {known[1]}"
                problems.append(FieldProblem(f"{session.field}.{place}.speaker", detail))
            else:
                checked(_CONTENT, said.content, under=f"{session.field}.{place}.text")
    if problems:
        raise InvalidInput.naming(problems)


def _turns(session: _Session, user: str) -> Iterator[NewTurn]:
    """Group messages into turns: what the user says and the replies. An opening by the companion is
    part of the first.
    """
    turn: list[NewMessage] = []
    answered = False
    for place, said in enumerate(session.said):
        role = "user" if said.speaker == user else "assistant"
        if turn and ((answered and role == "user") or len(turn) >= settings.MAX_MESSAGES_PER_TURN):
            yield _turn(turn, session)
            turn, answered = [], False
        at = session.begins + place * APART
        turn.append(NewMessage(role, said.content, speaker=said.speaker, occurred_at=at))
        answered = role == "assistant" and any(message.role == "user" for message in turn)
    if turn:
        yield _turn(turn, session)


def _turn(messages: Sequence[NewMessage], session: _Session) -> NewTurn:
    return NewTurn(
        tuple(messages), occurred_at=messages[0].occurred_at or session.begins, session=session.name
    )


def _tidy(name: str) -> str:
    """Make a name fit for an ID: at most 60 letters, digits and dashes."""
    return re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-_")[:60] or "conversation"
