"""The section `retrieval` of the configuration: how entries and messages are found again."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, field_validator

from providers.embeddings.registry import DEFAULT_EMBEDDER
from relationships.configuration.plugins import known_slug, registered
from relationships.configuration.strict import Share, Strict

# PostgreSQL's own text search configurations. Which of them a server has depends on its version.
Language = Literal[
    "simple", "arabic", "armenian", "basque", "catalan", "danish", "dutch", "english", "finnish", "french", "german",
    "greek", "hindi", "hungarian", "indonesian", "irish", "italian", "lithuanian", "nepali", "norwegian", "portuguese",
    "romanian", "russian", "serbian", "spanish", "swedish", "tamil", "turkish", "yiddish",
]  # fmt: skip
# In days. At least a minute and a half, so that the number of half-lives fits a float.
HalfLife = Annotated[float, Field(ge=0.001, le=36_500)]


class Gate(Strict):
    """When a context searches the archive: when any gate of `open_on` is open."""

    open_on: tuple[str, ...] = Field(default=("content",), max_length=6)
    keywords: tuple[Annotated[str, StringConstraints(min_length=1, max_length=80)], ...] = Field(
        default=("remember", "recall", "last time", "earlier", "you said", "i told you"), max_length=200
    )
    """For `keywords`: whole words or phrases in the message, in upper or lower case."""
    turns: Annotated[int, Field(ge=1, le=1000)] = 2
    """For `cadence`: open once every this many turns of the session."""
    gap_seconds: Annotated[float, Field(ge=0, le=31_536_000)] = 30
    """For `gap`: open when this long has passed since the last message."""

    @field_validator("open_on")
    @classmethod
    def _known_gates(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(known_slug("GATES", name) for name in value)


class Retrieval(Strict):
    """How entries and messages are found again."""

    embedder: Annotated[str, registered("EMBEDDING_PROVIDERS", DEFAULT_EMBEDDER)] | None = None
    """Alias of an embedder, or `default` for the service's own. Null: no vectors; search by text only."""
    embed_messages: bool = False
    """Embed messages too, not only entries. Messages are found by text either way."""
    language: Language | None = None
    """The language whose word endings are stripped and whose stop words are left out. Null: the language of most
    messages, detected for each relationship, and of each document; `simple`: words are used unchanged.
    """
    ranker: Annotated[str, registered("RANKERS")] = "best"
    reranker: Annotated[str, registered("RERANKERS")] | None = None
    """What reads the first 40 results and puts them in a better order: `model`, the companion's language model, with
    one call per search; `cross_encoder`, a small model on this machine. Null: nothing.
    """
    reranker_timeout_ms: Annotated[int, Field(ge=50, le=60_000)] = 2_000
    """How long a search waits for the reranker; after that the order stays unchanged, and `notes` says so."""
    top_k: Annotated[int, Field(ge=1, le=200)] = 15
    """How many entries a context retrieves at most."""
    top_messages: Annotated[int, Field(ge=1, le=200)] = 20
    """How many messages a context retrieves at most, within the budget of the layer `episodes`."""
    more_messages: Annotated[int, Field(ge=0, le=200)] = 40
    """`best`, by text only: how many more to retrieve at most, of those that score nearly as much as the best, for
    questions that ask for all of a kind.
    """
    min_score: Annotated[float, Field(ge=0)] | None = None
    """Results that score less, on the ranker's own scale, are left out."""
    recency: Share = 0.0
    """`best`: the most that recency can add to a score; .1 costs little, more ruins long-term recall."""
    half_life_days: HalfLife = 30
    """`decay`, and `recency`: after this many days half of the weight is left."""
    saliency_floor: Share = 0.0
    """`importance`: results that score less are left out."""
    hourly_decay: Annotated[float, Field(gt=0, le=1)] = 0.995
    """`importance`: the share of the weight that is left an hour after the last access."""
    candidates: Annotated[int, Field(ge=1, le=10_000)] = 300
    """`importance`: how many of the nearest entries are re-ranked."""
    record_access: bool = False
    """Note when and how often an entry was shown; written later, so no context waits for it."""
    query_seconds: Annotated[float, Field(gt=0, le=60)] = 0.8
    """How long a context waits for the question's vector; after that it searches by text only, and says so."""
    gate: Gate = Gate()

    def spoken_in(self, language: str) -> "Retrieval":
        """Set the language that was detected in the conversation ("": none), unless the configuration has one."""
        if self.language or not language:
            return self
        return self.model_copy(update={"language": language})
