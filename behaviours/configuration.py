"""The section `behaviours` of the configuration: named things that a companion does besides remembering.

A level may set a part of a behaviour, such as `enabled`. So a behaviour is checked as a whole only when it is used; an
incomplete one does nothing, and `fault` says why.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints, model_validator

from behaviours.schedule import known_schedule
from behaviours.templates import known_template
from behaviours.text_conditions import instructions, known_keyword, known_pattern
from memory.ingestion.strategies.options import ModelName, Slug
from memory.ingestion.templates import MAX_TEMPLATE_CHARACTERS, variables_in
from relationships.configuration.plugins import ProviderAlias
from relationships.configuration.strict import Strict
from web.field_problems import matching
from web.fields import JsonObject


def _known_address(url: str) -> str:
    """Return the URL. Raises ValueError if its host or port can't be read."""
    try:
        parts = urlsplit(url)
        readable = url.isascii() and parts.hostname and parts.port != 0
    except ValueError:
        readable = False
    if not readable:
        raise ValueError("has a host or a port that can't be called")
    return url


Template = Annotated[
    str, StringConstraints(min_length=1, max_length=MAX_TEMPLATE_CHARACTERS), AfterValidator(known_template)
]
Pattern = Annotated[str, StringConstraints(min_length=1, max_length=1000), AfterValidator(known_pattern)]
Schedule = Annotated[str, StringConstraints(max_length=100), AfterValidator(known_schedule)]
Keyword = Annotated[str, StringConstraints(min_length=1, max_length=100), AfterValidator(known_keyword)]
Path = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Url = Annotated[
    str,
    matching(
        r"^https?://[^\s/]+(/\S*)?$",
        "has to be an address such as https://example.com/hook, without spaces",
        max_length=2000,
    ),
    AfterValidator(_known_address),
]
Scalar = str | int | float | bool | None


class ValueCondition(Strict):
    """A condition on a value of the profile or the session's state. All the given parts have to hold."""

    of: Literal["profile", "session"] = "profile"
    path: Path
    """Names, and in lists indexes from 0: `plan.name`, `pets.0`."""
    exists: bool | None = None
    equals: Scalar = None
    """Null: not checked."""
    contains: str | None = None
    """Part of a text, or a member of a list."""
    at_least: float | None = None
    at_most: float | None = None


class EntryCondition(Strict):
    """A condition that the turn added or changed an entry."""

    types: tuple[Slug, ...] = Field(default=(), max_length=30)
    """One of these types; empty: any type."""
    event: Literal["added", "changed", "any"] = "any"


class HappensCondition(Strict):
    """A condition that an entry with a date (`happens_at`) is known for a day, in the person's time zone."""

    days: Annotated[int, Field(ge=-366, le=366)] = 0
    """Days from today to that day. 0 and more: it begins then. Below 0: it was told beforehand, ended then, and nobody
    has told how it went.
    """
    types: tuple[Slug, ...] = Field(default=(), max_length=30)
    """One of these types; empty: any type."""


class Condition(Strict):
    """When a behaviour does something. All the given parts have to hold; if none is given, it always does."""

    model_config = ConfigDict(serialize_by_alias=True)  # `not` is a keyword in Python

    all: "tuple[Condition, ...] | None" = Field(default=None, max_length=20)
    any: "tuple[Condition, ...] | None" = Field(default=None, max_length=20)
    not_: "Condition | None" = Field(default=None, alias="not")
    keywords: tuple[Keyword, ...] | None = Field(default=None, min_length=1, max_length=100)
    """What the person says contains one of these words, phrases or emoji, ignoring case."""
    matches: Pattern | None = None
    """A regular expression (RE2) that matches part of what the person says."""
    every_n_turns: Annotated[int, Field(ge=1, le=100_000)] | None = None
    """The n-th turn of the session, the 2n-th, and so on."""
    gap_minutes: Annotated[float, Field(ge=0, le=5_256_000)] | None = None
    """At least this long after the previous message."""
    first_turn: Literal["session", "ever"] | None = None
    value: ValueCondition | None = None
    schedule: Schedule | None = None
    """A cron expression of five fields, in the person's time zone."""
    entry: EntryCondition | None = None
    """Only for asynchronous behaviours, which then wait until the turn is read."""
    happens: HappensCondition | None = None
    """An entry has a date so many days from today."""
    deletions_held: Annotated[int, Field(ge=1, le=10_000)] | None = None
    """At least this many held deletions wait for a person."""

    def mentions(self, name: str) -> bool:
        """Return whether the condition, or any part of it, uses this field."""
        return any(getattr(part, name) is not None for part in self.parts())

    @property
    def names_a_time(self) -> bool:
        """Whether it has a schedule that is not inside `not`."""
        parts = (*(self.all or ()), *(self.any or ()))
        return self.schedule is not None or any(part.names_a_time for part in parts)

    def parts(self) -> "Iterator[Condition]":
        """Yield the condition and all conditions inside it."""
        yield self
        for part in (*(self.all or ()), *(self.any or ()), *([self.not_] if self.not_ else ())):
            yield from part.parts()


# Limits for all behaviours together, as they are checked before each reply, on messages of up to 64 kB.
MOST_CONDITIONS, MOST_KEYWORDS, MOST_INSTRUCTIONS, MOST_DATES = 1000, 5000, 10_000, 20
# A rare time is looked for through 40 years, and a part through all of a profile.
MOST_SCHEDULES = MOST_CONTAINED = 100


def refuse_too_many(conditions: Iterable[Condition]) -> None:
    """Raises ValueError if there are more conditions than can be checked quickly for one message."""
    parts = [part for condition in conditions for part in condition.parts()]
    patterns = {part.matches for part in parts if part.matches is not None}
    contained = [part for part in parts if part.value and part.value.contains is not None]
    for count, most, what in (
        (len(parts), MOST_CONDITIONS, "conditions, including nested ones"),
        (sum(len(part.keywords or ()) for part in parts), MOST_KEYWORDS, "keywords"),
        (sum(part.happens is not None for part in parts), MOST_DATES, "conditions with `happens`"),
        (sum(part.schedule is not None for part in parts), MOST_SCHEDULES, "conditions with `schedule`"),
        (len(contained), MOST_CONTAINED, "conditions with `contains`"),
        (sum(map(instructions, patterns)), MOST_INSTRUCTIONS, "instructions of compiled patterns"),
    ):
        if count > most:
            raise ValueError(f"have {count} {what}; at most {most} are allowed")


class Ask(Strict):
    """A question to a small model, whose answer is added to the context."""

    prompt: Template | None = None
    timeout_ms: Annotated[int, Field(ge=20, le=10_000)] = 300
    """After this time the context is built without it."""
    max_output_tokens: Annotated[int, Field(ge=16, le=4000)] = 200
    provider: ProviderAlias | None = None
    """Alias of an LLM provider; null: `ingestion.provider`."""
    model: ModelName | None = None


class Prompt(Strict):
    """A question to a model, whose answer is stored."""

    prompt: Template | None = None
    into: Literal["session", "profile", "entry", "message"] | None = None
    """As a merge patch to the session's state or the profile, checked against its schema; as an entry; or as a message
    to the person, for `/outbox`.
    """
    type: Slug = "other"
    """The type of the entry."""
    max_output_tokens: Annotated[int, Field(ge=16, le=16_000)] = 1000
    provider: ProviderAlias | None = None
    """Alias of an LLM provider; null: `ingestion.provider`."""
    model: ModelName | None = None


class Webhook(Strict):
    """A signed POST to the developer's URL."""

    url: Url | None = None
    text: Template = "{{ message }}"
    """The template of the body's member `text`."""
    data: JsonObject = {}
    """Further members of the body's `data`, unchanged."""
    timeout_seconds: Annotated[float, Field(ge=0.1, le=30)] = 10


ACTIONS = ("text", "ask", "prompt", "webhook", "message")
PRIORITY = frozenset({"text", "ask"})


class Behaviour(Strict):
    """One thing that a companion does. With `text` or `ask` it is a priority behaviour: it runs before the model
    replies and adds to the layer `priorities`. With `prompt`, `webhook` or `message` it runs after the turn, in the
    worker.
    """

    enabled: bool = True
    order: Annotated[int, Field(ge=-1000, le=1000)] = 0
    """Lower numbers go first; equal ones are sorted by name."""
    cooldown_minutes: Annotated[float, Field(ge=0, le=525_600)] = 0
    """How long it does nothing after it has done something."""
    when: Condition = Condition()
    text: Template | None = None
    """Text for the model."""
    ask: Ask | None = None
    prompt: Prompt | None = None
    webhook: Webhook | None = None
    message: Template | None = None
    """A message to the person, for `/outbox`."""

    @model_validator(mode="after")
    def _not_too_many(self) -> Self:
        refuse_too_many([self.when])
        return self

    @property
    def action(self) -> str:
        """The one of ACTIONS that is given; "" if there is none, or more than one."""
        given = [name for name in ACTIONS if getattr(self, name) is not None]
        return given[0] if len(given) == 1 else ""

    @property
    def kind(self) -> str:
        return "priority" if self.action in PRIORITY else "async"

    @property
    def is_scheduled(self) -> bool:
        """Whether it runs on a schedule, and not after turns."""
        return self.kind == "async" and self.when.mentions("schedule")

    @property
    def rests_on_reply(self) -> bool:
        """Whether what it does may quote what the companion said, or what was learnt from that."""
        template = self.message or (self.prompt.prompt if self.prompt else None) or ""
        return self.when.mentions("entry") or not {"reply", "entries"}.isdisjoint(variables_in(template))

    @property
    def waits_for_reading(self) -> bool:
        return self.when.mentions("entry") or self.when.mentions("deletions_held")

    @property
    def fault(self) -> str:
        """Why it can't do anything, as a sentence without its subject; "" if it can."""
        if not self.action:
            return f"needs exactly one of {', '.join(ACTIONS)}"
        if self.action in ("ask", "prompt") and getattr(self, self.action).prompt is None:
            return f"needs {self.action}.prompt"
        if self.prompt is not None and self.prompt.into is None:
            return "needs prompt.into"
        if self.webhook is not None and self.webhook.url is None:
            return "needs webhook.url"
        if self.kind == "priority" and self.when.mentions("entry"):
            return "runs before the turn is read, so `entry` never holds"
        if self.is_scheduled and (
            self.when.mentions("entry") or (self.prompt and self.prompt.into == "entry")
        ):
            return "runs on a schedule, so there is no turn whose entries it could see or add to"
        if self.is_scheduled and not self.when.names_a_time:
            return "runs on a schedule, and all its times are inside `not`, so it never does anything"
        return ""


class Behaviours(Strict):
    """What a companion does besides remembering."""

    named: dict[Slug, Behaviour] = Field(default={}, max_length=50)

    @model_validator(mode="after")
    def _not_too_many(self) -> Self:
        refuse_too_many(behaviour.when for behaviour in self.named.values())
        return self

    @cached_property
    def by_kind(self) -> dict[str, tuple[tuple[str, Behaviour], ...]]:
        """The enabled and complete behaviours in order, by kind: `priority` and `async`."""
        on = [(name, one) for name, one in self.named.items() if one.enabled and not one.fault]
        on.sort(key=lambda pair: (pair[1].order, pair[0]))
        return {kind: tuple(pair for pair in on if pair[1].kind == kind) for kind in ("priority", "async")}


class Webhooks(Strict):
    """How a companion's webhooks are signed."""

    secrets: Annotated[
        tuple[Annotated[int, Field(ge=0, le=1_000_000)], ...], Field(min_length=1, max_length=3)
    ] = (0,)
    """The numbers of the secrets. Each call has a signature by each, so that a receiver may change from one to another
    while nothing is refused.
    """
