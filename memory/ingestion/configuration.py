"""The section `ingestion` of the configuration: how turns become entries."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, field_validator

from memory.ingestion.strategies.options import (
    Candidates,
    ClassifierOptions,
    ImportanceOptions,
    KeyedFactsOptions,
    ModelName,
    Slug,
    TwoCallOptions,
)
from relationships.configuration.plugins import ProviderAlias, registered
from relationships.configuration.strict import Share, Strict, repeated_names

MOST_OUTPUT_TOKENS = 100_000  # of one answer
ShortText = Annotated[str, StringConstraints(max_length=500)]
StrategyName = Annotated[str, registered("INGESTION_STRATEGIES")]


class EntryType(Strict):
    """A kind of thing to remember, with examples of entries."""

    name: Slug
    description: ShortText = ""
    examples: tuple[ShortText, ...] = Field(default=(), max_length=10)


DEFAULT_TYPES = (
    EntryType(
        name="identity",
        description="who they are: name, age, home, work, family, health",
        examples=("Lives in Lisbon since 2021", "Works as a nurse at St. Mary's"),
    ),
    EntryType(
        name="preference",
        description="likes, dislikes, ways of doing things, limits",
        examples=("Prefers tea over coffee", "Doesn't want to be called before 10:00"),
    ),
    EntryType(
        name="goal", description="what they want to reach", examples=("Wants to run a marathon in 2027",)
    ),
    EntryType(
        name="event",
        description="what happened or will happen, with its date",
        examples=("Had an interview at Acme", "Planned in 2026-02: a trip to Rome with Ana"),
    ),
    EntryType(
        name="relationship",
        description="people and animals in their life",
        examples=("Ana is their sister; she lives in Porto",),
    ),
    EntryType(
        name="agreement",
        description="promises, agreements and advice, by whom and to whom",
        examples=("Promised Ana to visit her in May", "Ada advised to ask for a raise; Maya agreed"),
    ),
    EntryType(
        name="opinion",
        description="what they think or believe, and why",
        examples=("Thinks remote work is lonely, after a year of it",),
    ),
    EntryType(
        name="worry",
        description="what troubles them for longer than a mood",
        examples=("Worries that the back injury of 2025 will end their dancing",),
    ),
    EntryType(name="other", description="anything else worth keeping", examples=("Drives a 1998 Volvo",)),
)


class Trigger(Strict):
    """When waiting turns are read."""

    mode: Literal["every_turn", "every_n_turns", "session_end", "explicit"] = "every_turn"
    """`explicit`: only when `POST /relationships/{id}/ingest` asks for it."""
    n: Annotated[int, Field(ge=1, le=1000)] = 5
    """For `every_n_turns`: how many turns are read together."""


class DeletionHold(Strict):
    """A deletion of more than `share` of the entries and more than `count` of them waits for a person."""

    share: Share = 0.3
    count: Annotated[int, Field(ge=0, le=10_000)] = 3

    def most(self, entries: int) -> int:
        """Of so many, what goes at once."""
        return max(self.count, int(self.share * entries))


class Ingestion(Strict):
    """How turns become entries."""

    enabled: bool = True
    """Off: turns are kept and marked skipped."""
    strategy: StrategyName = "operations"
    archive_strategy: StrategyName | None = None
    """A second strategy that reads the same turns and keeps what it finds in the archive."""
    tier: Literal["scratchpad", "archive"] = "scratchpad"
    """Where `strategy` stores its entries."""
    trigger: Trigger = Trigger()
    roles: tuple[Literal["user", "assistant", "system", "tool"], ...] = ("user", "assistant")
    """Messages with these roles are read; a turn without any is skipped."""
    max_batch: Annotated[int, Field(ge=1, le=50)] = 8
    """How many waiting turns one model call may read."""
    reference_messages: Annotated[int, Field(ge=0, le=50)] = 4
    """How many earlier messages are shown with the new ones, as background."""
    about_companion: Literal["none", "brief", "full"] = "brief"
    """What is kept of what the companion says about itself, promises, advises and agrees to."""
    prompt_version: Annotated[int, Field(ge=0, le=2**31 - 1)] | None = None
    """Version of the companion's ingestion prompt; null: the published one; 0: the one that ships with Rapport."""
    skip_small_talk: bool = True
    """A turn with only greetings, good-byes and thanks is not read, and costs no call."""
    types: tuple[EntryType, ...] = Field(default=DEFAULT_TYPES, min_length=1, max_length=30)
    single_valued: tuple[Slug, ...] = Field(
        default=("name", "birthday", "age", "city", "timezone"), max_length=100
    )
    """Keys that have one value at a time: a new value supersedes the old. (A job can be one of two.)"""
    max_entries: Annotated[int, Field(ge=1, le=1_000_000)] = 10_000
    """How many active entries a relationship may hold; further ones are refused, visibly."""
    soft_budget: Annotated[int, Field(ge=0, le=1_000_000)] = 2000
    """Tokens of the active scratchpad; past this, the model is asked to condense, and entries overflow."""
    overflow: Literal["archive", "keep"] = "archive"
    """Past the soft budget: the least salient unpinned entries move to the archive, or all stay."""
    shown_budget: Annotated[int, Field(ge=200, le=1_000_000)] = 16_000
    """The most tokens of entries that the model is shown; a note says how many were left out."""
    deletion_hold: DeletionHold = DeletionHold()
    candidates: Candidates = Candidates()
    importance: ImportanceOptions = ImportanceOptions()
    two_call: TwoCallOptions = TwoCallOptions()
    classifier: ClassifierOptions = ClassifierOptions()
    keyed_facts: KeyedFactsOptions = KeyedFactsOptions()
    provider: ProviderAlias | None = None
    """Alias of an LLM provider; null: the service's default."""
    model: ModelName | None = None
    """Null: the provider's default model."""
    max_output_tokens: Annotated[int, Field(ge=64, le=MOST_OUTPUT_TOKENS)] = 4000
    """Longest answer. If the answer for a single turn does not fit, the model is asked again with twice as much, then
    twice that.
    """

    @property
    def type_names(self) -> tuple[str, ...]:
        return tuple(entry_type.name for entry_type in self.types)

    @field_validator("types")
    @classmethod
    def _types_once(cls, value: tuple[EntryType, ...]) -> tuple[EntryType, ...]:
        if repeated := repeated_names(entry_type.name for entry_type in value):
            raise ValueError(f"each type is named once; repeated: {', '.join(repeated)}")
        return value
