"""The options of each ingestion strategy: how it decides what to keep. Part of the section `ingestion`."""

from typing import Annotated

from pydantic import Field, StringConstraints, field_validator, model_validator

from relationships.configuration.strict import Share, Strict, repeated_names
from web.field_problems import matching

Slug = Annotated[
    str, matching(r"^[a-z][a-z0-9_]{0,59}$", "has to be 1 to 60 of a-z, 0-9 and _, beginning with a letter")
]
ModelName = Annotated[str, StringConstraints(max_length=120)]
Phrase = Annotated[str, StringConstraints(min_length=2, max_length=60, strip_whitespace=True)]


class Candidates(Strict):
    """Which entries a strategy shows the model with the new messages or facts."""

    all_up_to: Annotated[int, Field(ge=0, le=200)] = 20
    """Up to this many entries, all are shown and none are looked up."""
    top_k: Annotated[int, Field(ge=0, le=100)] = 20
    """How many for each message or fact; they are merged into one list."""
    most: Annotated[int, Field(ge=0, le=200)] = 80
    """How many in all."""
    floor: Annotated[float, Field(ge=0)] = 0.25
    """Entries that score less by the ranker `best`, not counting names, are not shown."""


class Floor(Strict):
    """What is never scored below `at_least`, whatever the model says, because the person's own message indicates it."""

    name: Slug
    at_least: Share
    phrases: tuple[Phrase, ...] = Field(min_length=1, max_length=200)
    """Whole words that indicate it in the message, in upper or lower case; their sentence must say something more."""
    unless: tuple[Phrase, ...] = Field(default=(), max_length=200)
    """Whole words that begin with a phrase but don't indicate it, such as `I can't wait`."""
    in_questions: bool = False
    """Whether a question can indicate it: `Can you remind me to call Ana?`"""
    type: Slug = "other"
    """The type of the entry that is made from the message itself if the model says nothing about it."""


def _floor(
    name: str, at_least: float, phrases: str, *, type: str, unless: str = "", ask: bool = False
) -> Floor:
    return Floor(
        name=name,
        at_least=at_least,
        phrases=tuple(phrases.split(", ")),
        unless=tuple(unless.split(", ")) if unless else (),
        in_questions=ask,
        type=type,
    )


# The phrases and numbers of Emotion Machine's first version, with other spellings of the same words.
IDENTITY = _floor("identity", 0.85, "my name is, my name's", type="identity")
GOALS = _floor("goals", 0.75, "my goal is, my goal's", type="goal")
REMINDERS = _floor("reminders", 0.75, "remind me", type="goal", ask=True, unless="remind me of, reminds me")
CONSTRAINTS = _floor(
    "constraints",
    0.65,
    "i can't, i cannot, i can not, i never",
    type="preference",
    unless="i can't wait, i cannot wait, i can't believe, i cannot believe, i can't help, i can't even, i can't tell, "
    "i can't thank, i can't imagine, i can't remember, i can't seem, i never knew, i never thought, i never heard, "
    "i never realised, i never realized, i never said, i never meant, i never told",
)
PREFERENCES = _floor(
    "preferences",
    0.6,
    "my favorite, my favourite, i love",
    type="preference",
    unless="i love how, i love what, i love when, i love that, i love you, i love your",
)


class ImportanceOptions(Strict):
    """`importance`: a small model scores from 1 to 10; a tenth of the score is the entry's importance."""

    kept_from: Share = 0.55
    """What scores less is left out, visibly."""
    floors: tuple[Floor, ...] = Field(
        default=(IDENTITY, GOALS, REMINDERS, CONSTRAINTS, PREFERENCES), max_length=20
    )
    model: ModelName | None = None
    """A small model for the scores; null: `ingestion.model`."""


class TwoCallOptions(Strict):
    """`two_call`: the first call extracts facts, the second decides what they do to similar entries."""

    similar_from: Share | None = None
    """Show only entries with at least this cosine, as in the published design (.85). Null: the ranker `best` and its
    floor.
    """
    confident_from: Share = 0.0
    """Facts that the first call is less sure of are left out, visibly."""


class ClassifierOptions(Strict):
    """`classifier`: a cheap model sorts what was said into the entry types."""

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
    """The importance of what is kept with any other type."""
    schedule_days: Annotated[int, Field(ge=0, le=36_500)] | None = 30
    """Entries of the type `schedule` expire this many days after their date. Null: never automatically."""
    model: ModelName | None = None
    """A cheap model for the sorting; null: `ingestion.model`."""


class FactKey(Strict):
    """One key that facts may be recorded under."""

    name: Slug
    type: Slug = "other"
    single_valued: bool = True
    """The key has one value at a time: a new value supersedes the old. Off: each value is a separate fact."""
    says: Annotated[str, StringConstraints(max_length=200)] = ""
    """What a value means, with `{value}`, as the model is told: `Works at {value}`."""
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
    """The companion's own keys, in addition to those that ship with Rapport; one with the same name replaces the
    shipped key.
    """
    shipped_keys: bool = True
    """Off: only the companion's own keys."""
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
