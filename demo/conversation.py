from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from relationships.services.turns import NewTurn


@dataclass(frozen=True, slots=True)
class Person:
    """The person who is remembered: the developer's ID, the name, and the IANA time zone."""

    external_id: str
    name: str
    timezone: str


@dataclass(frozen=True, slots=True)
class Persona:
    """The companion. `language`: that of the conversation, if known; `recipe`: "" for the default."""

    slug: str
    name: str
    core_prompt: str
    language: str = ""
    recipe: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation as turns, in order. `question`: asked at the end."""

    user: Person
    companion: Persona
    turns: Sequence[NewTurn]
    question: str


@dataclass(frozen=True, slots=True)
class Source:
    """What a format needs besides the file's contents.

    `name`: the file's, without its ending. `as_speaker`: which of two speakers is the user: `speaker_a`, `speaker_b`
    or a name. `zone`: the time zone of dates without one; None: the file's, or UTC.
    """

    name: str
    now: datetime
    as_speaker: str | None = None
    zone: ZoneInfo | None = None
