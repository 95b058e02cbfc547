from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from relationships.services.turns import NewTurn


@dataclass(frozen=True, slots=True)
class Person:
    """Who is remembered: the developer's own ID of them, their name, and their IANA time zone."""

    external_id: str
    name: str
    timezone: str


@dataclass(frozen=True, slots=True)
class Persona:
    """Who they talk to. `language` is that of the talk, where it is known; `recipe` "" is the default one."""

    slug: str
    name: str
    core_prompt: str
    language: str = ""
    recipe: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """What two said to each other, in order, as turns that can be handed over. `question` comes after it all."""

    user: Person
    companion: Persona
    turns: Sequence[NewTurn]
    question: str


@dataclass(frozen=True, slots=True)
class Source:
    """What a format must know beside the file's contents.

    `name` is the file's, without its ending. `as_speaker` says which of two speakers is the user: `speaker_a`,
    `speaker_b` or a name. `zone` is where dates without a zone were written; None: what the file says, or UTC.
    """

    name: str
    now: datetime
    as_speaker: str | None = None
    zone: ZoneInfo | None = None
