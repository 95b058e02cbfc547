"""The options of each ingestion strategy: how it decides what to keep. Part of the section `ingestion`."""

from typing import Annotated

from pydantic import Field, StringConstraints, field_validator, model_validator

from relationships.configuration.strict import Share, Strict, repeated_names

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,59}$")]
ModelName = Annotated[str, StringConstraints(max_length=120)]
Phrase = Annotated[str, StringConstraints(min_length=2, max_length=60, strip_whitespace=True)]


class Candidates(Strict):
    """Which entries a strategy shows the model beside the new messages or facts."""

    all_up_to: Annotated[int, Field(ge=0, le=200)] = 20
    """Where there are no more entries than these, all are shown, and nothing is looked up."""
    top_k: Annotated[int, Field(ge=0, le=100)] = 20
    """How many for each message or fact; together they are one list."""
    most: Annotated[int, Field(ge=0, le=200)] = 80
    """How many in all."""
    floor: Annotated[float, Field(ge=0)] = 0.25
    """What scores less by the ranker `best`, but for names, is not shown."""


class Floor(Strict):
    """What is never scored below `at_least`, whatever the model thinks of it."""

    name: Slug
    at_least: Share
    phrases: tuple[Phrase, ...] = Field(min_length=1, max_length=200)
    """Whole words that tell it, in any case."""


def _floor(name: str, at_least: float, phrases: str) -> Floor:
    return Floor(name=name, at_least=at_least, phrases=tuple(phrases.split(", ")))


IDENTITY = _floor(
    "identity",
    0.85,
    "my name is, name is, call me, is called, i am a, i'm a, is a, i am an, i'm an, is an, i live "
    "in, lives in, i work, works as, works at, works for, born in, born on, years old, birthday, my "
    "job, married to, comes from, come from",
)
GOALS = _floor(
    "goals",
    0.75,
    "i want to, wants to, i plan to, plans to, planning to, my goal, goal is, i hope to, hopes to, "
    "i'd like to, would like to, my dream, dreams of, training for, saving for, trying to, aims to, "
    "learning to",
)
CONSTRAINTS = _floor(
    "constraints",
    0.65,
    "allergic, allergy, intolerant, can't, cannot, can not, must not, never, not allowed, "
    "vegetarian, vegan, doctor says, avoid, avoids, don't want, doesn't want, no longer",
)
PREFERENCES = _floor(
    "preferences",
    0.6,
    "i like, likes, i love, loves, i enjoy, enjoys, i prefer, prefers, favourite, favorite, i hate, "
    "hates, i dislike, dislikes, don't like, doesn't like, rather than",
)


class ImportanceOptions(Strict):
    """`importance`: a small model scores from 1 to 10; a tenth of it is the entry's importance."""

    kept_from: Share = 0.55
    """What comes to less is left out, visibly."""
    floors: tuple[Floor, ...] = Field(default=(IDENTITY, GOALS, CONSTRAINTS, PREFERENCES), max_length=20)
    model: ModelName | None = None
    """A small model for the scores; null: `ingestion.model`."""


class TwoCallOptions(Strict):
    """`two_call`: the first call extracts facts, the second decides what they do to the entries like them."""

    similar_from: Share | None = None
    """Show only entries of at least this cosine, as was published (.85). Null: the ranker `best` and its floor."""
    confident_from: Share = 0.0
    """Facts the first call is less sure of are left out, visibly."""


class ClassifierOptions(Strict):
    """`classifier`: a cheap model beside the reply sorts what was said into the entry types."""

    confident_from: Share = 0.7
    """What the model is less sure of is left out, visibly."""
    skip_above: Share = 0.92
    """What is nearer than this to an entry, by cosine, is skipped; it can be restored."""
    weights: dict[Slug, Share] = {
        "identity": 1.0,
        "goal": 0.9,
        "relationship": 0.9,
        "preference": 0.8,
        "event": 0.7,
    }
    """The importance of what is kept, by type."""
    weight_otherwise: Share = 0.6
    """The importance of what is kept of any other type."""
    schedule_days: Annotated[int, Field(ge=0, le=36_500)] | None = 30
    """So many days after it happens, what has a date expires. Null: never by itself."""
    model: ModelName | None = None
    """A cheap model for the sorting; null: `ingestion.model`."""


class FactKey(Strict):
    """One key that facts may be recorded under."""

    name: Slug
    type: Slug = "other"
    single_valued: bool = False
    """A person has one at a time: a new value supersedes the old."""
    says: Annotated[str, StringConstraints(max_length=200)] = ""
    """The entry's text, with `{value}`; empty: the key and the value."""
    near: tuple[Slug, ...] = Field(default=(), max_length=30)
    """Other names for it, such as current_city for city."""

    @field_validator("says")
    @classmethod
    def _has_the_value(cls, value: str) -> str:
        if value and "{value}" not in value:
            raise ValueError("says holds {value}, where the value is to stand")
        return value


class KeyedFactsOptions(Strict):
    """`keyed_facts`: the model must call a tool that records values under keys of a strict vocabulary."""

    keys: tuple[FactKey, ...] = Field(default=(), max_length=200)
    """The companion's own keys, beside those that ship; one of the same name takes its place."""
    shipped_keys: bool = True
    """Off: only the companion's own."""
    confident_from: Share = 0.5
    """What the model is less sure of is left out, visibly."""

    @field_validator("keys")
    @classmethod
    def _keys_once(cls, value: tuple[FactKey, ...]) -> tuple[FactKey, ...]:
        if repeated := repeated_names(name for key in value for name in (key.name, *key.near)):
            raise ValueError(f"each key and near key is named once; repeated: {', '.join(repeated)}")
        return value

    @model_validator(mode="after")
    def _there_are_keys(self) -> "KeyedFactsOptions":
        if not self.keys and not self.shipped_keys:
            raise ValueError("name keys of your own, or leave shipped_keys on")
        return self
