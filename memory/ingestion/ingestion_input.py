"""The input for a batch of turns: the configuration, the entries, the messages. Only reads."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from memory.fence import cut_fenced
from memory.ingestion.configuration import Ingestion
from memory.ingestion.prompt_versions import SHIPPED, prompt_of
from memory.models import ScratchpadEntry, Tier
from memory.retrieval.configuration import Retrieval
from providers.tokens import estimate_tokens, line_tokens
from relationships.configuration.schema import Configuration
from relationships.models import Companion, MessageRole, Relationship, Turn
from relationships.models.end_user import shows_something
from relationships.text_names import means_person

TOKENS_PER_LINE = 12  # number, type, day and brackets of a shown entry, in addition to its content
MESSAGE_COLUMNS = ("id", "turn_id", "role", "speaker", "content", "occurred_at", "session")
EARLIER = 1000  # numbers of earlier messages begin above it, or above those of the new ones if there are more


class ShownEntry(NamedTuple):
    """An entry as the model sees it. Its place in `IngestionInput.entries`, from 1, is its number."""

    id: UUID
    version: int
    type: str
    subject: str
    content: str
    key: str | None
    effective_at: datetime
    pinned: bool
    read_only: bool
    tier: str = Tier.SCRATCHPAD
    happens_at: str | None = None
    expires_at: datetime | None = None
    importance: float = 0.5


@dataclass(frozen=True, slots=True)
class InputMessage:
    """A message as the model sees it: without memory that was injected into it."""

    id: UUID
    turn_id: UUID
    role: str
    speaker: str
    content: str
    occurred_at: datetime
    session: str = ""


@dataclass(frozen=True, slots=True)
class Instructions:
    """The companion's published ingestion prompt; version None: the one that ships with Rapport."""

    version: int | None
    template: str


@dataclass(frozen=True, slots=True)
class IngestionInput:
    """Everything a strategy may look at. Numbers given to the model are places in `entries` and `messages`, from 1;
    those of earlier messages are places in `references`, from 1 above `earlier_above`.

    `entries` are the scratchpad's; a strategy that shows others makes an input with those.
    `has_archive`: there are active entries outside the scratchpad, so a search makes sense.
    """

    relationship_id: UUID
    project_id: UUID
    timezone: str
    user_name: str
    companion_name: str
    ingestion: Ingestion
    instructions: Instructions
    turns: tuple[Turn, ...]
    entries: tuple[ShownEntry, ...]
    hidden_entries: int
    entry_tokens: int
    messages: tuple[InputMessage, ...]
    references: tuple[InputMessage, ...]
    retrieval: Retrieval = field(default_factory=Retrieval)
    has_archive: bool = False

    @property
    def nears_budget(self) -> bool:
        """Whether the scratchpad is so close to its soft budget that the model is asked to condense it."""
        return bool(self.ingestion.soft_budget) and self.entry_tokens >= 0.9 * self.ingestion.soft_budget

    @property
    def earlier_above(self) -> int:
        return max(EARLIER, len(self.messages))

    def cited(self, messages: Iterable[int] = (), earlier: Iterable[int] = ()) -> list[InputMessage]:
        """The new messages with these numbers, then the earlier ones with these."""
        above = self.earlier_above + 1
        new = [self.messages[number - 1] for number in messages]
        return [*new, *(self.references[number - above] for number in earlier)]

    @property
    def other_speakers(self) -> list[str]:
        """Who speaks as the person, besides the person."""
        said = (*self.references, *self.messages)
        names = dict.fromkeys(" ".join(one.speaker.split()) for one in said if one.role == MessageRole.USER)
        return [name for name in names if not means_person(name, self.user_name)]

    @property
    def earlier_numbers(self) -> range:
        return range(self.earlier_above + 1, self.earlier_above + len(self.references) + 1)


def compose_input(
    relationship: Relationship,
    configuration: Configuration,
    turns: Sequence[Turn],
    messages: Sequence[InputMessage],
    references: Sequence[InputMessage],
    instructions: Instructions,
    *,
    entries: Iterable[ShownEntry],
    has_archive: bool,
) -> IngestionInput:
    """Make the input. `entries`: the whole scratchpad, newest first."""
    shown, hidden, tokens = _within(configuration.ingestion.shown_budget, entries)
    user, said = relationship.user, (*references, *messages)
    speakers = {" ".join(one.speaker.split()) for one in said if one.role == MessageRole.USER}
    # If no display name is known and one alone speaks, that is the person.
    alone = len(speakers) == 1 and not shows_something(user.display_name)
    return IngestionInput(
        relationship_id=relationship.id,
        project_id=relationship.project_id,
        timezone=relationship.timezone,
        user_name=speakers.pop() if alone else str(user),
        companion_name=relationship.companion.name,
        ingestion=configuration.ingestion,
        instructions=instructions,
        turns=tuple(turns),
        entries=shown,
        hidden_entries=hidden,
        entry_tokens=tokens,
        messages=tuple(messages),
        references=tuple(references),
        retrieval=configuration.retrieval,
        has_archive=has_archive,
    )


def find_instructions(companion: Companion, version: int | None = None) -> Instructions:
    """A version's template; None: the published one. Raises NotFound."""
    prompt = prompt_of(companion, (companion.prompt_version or SHIPPED) if version is None else version)
    return Instructions(prompt.version or None, prompt.template)


def scratchpad_of(relationship_id: UUID) -> Iterable[ShownEntry]:
    """The whole scratchpad, newest first."""
    active = ScratchpadEntry.objects.for_relationship(relationship_id).active().in_scratchpad()
    return map(ShownEntry._make, active.newest_first().values_list(*ShownEntry._fields))


def _within(budget: int, entries: Iterable[ShownEntry]) -> tuple[tuple[ShownEntry, ...], int, int]:
    """Return (shown, number of hidden, tokens of all as lines of the scratchpad). The newest within `budget` tokens are
    shown, in order of creation, so that their numbers stay the same when others are added.
    """
    shown, total, hidden, tokens = [], 0, 0, 0
    for entry in entries:
        total += estimate_tokens(entry.content) + TOKENS_PER_LINE
        tokens += line_tokens(entry.content)
        if total <= budget:
            shown.append(entry)
        else:
            hidden += 1
    return tuple(sorted(shown, key=lambda entry: entry.id)), hidden, tokens


def input_message(
    relationship: Relationship,
    id: UUID,
    turn_id: UUID,
    role: str,
    speaker: str,
    said: str,
    occurred_at: datetime,
    session: str = "",
) -> InputMessage:
    """Make it from the MESSAGE_COLUMNS."""
    user = relationship.user
    names = {"user": str(user), "assistant": relationship.companion.name}
    if not speaker or (role == MessageRole.USER and means_person(speaker, str(user))):
        speaker = names.get(role, role)
    return InputMessage(id, turn_id, role, speaker, cut_fenced(said)[0], occurred_at, session)
