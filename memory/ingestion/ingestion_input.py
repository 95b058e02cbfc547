"""What a batch of turns is read with: the configuration that holds, the entries, the messages. Only reads."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import Exists

from memory.errors import InvalidTemplate
from memory.fence import cut_fenced
from memory.ingestion.configuration import Ingestion
from memory.ingestion.templates import default_instructions
from memory.models import IngestionPrompt, ScratchpadEntry, Tier
from memory.retrieval.configuration import Retrieval
from providers.tokens import estimate_tokens, line_tokens
from relationships.configuration.cascade import resolve_configuration
from relationships.configuration.schema import Configuration
from relationships.models import Companion, Message, Relationship, Turn
from web.errors import NotFound

TOKENS_PER_LINE = 12  # number, type, day and brackets of a shown entry, on top of its content
EARLIER = 1000  # numbers of earlier messages begin above it, or above those of the new where they are more


class ShownEntry(NamedTuple):
    """An entry as the model sees it, by its columns. Its place in `IngestionInput.entries`, from 1, is its number."""

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


@dataclass(frozen=True, slots=True)
class InputMessage:
    """A message as the model sees it: without memory that was injected into it (`cut` characters of it)."""

    id: UUID
    turn_id: UUID
    role: str
    speaker: str
    content: str
    occurred_at: datetime
    cut: int = 0
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

    `entries` are the scratchpad's; a strategy that shows others asks with an input of those. `tier` is where what
    it adds is kept. `has_archive`: there are active entries beside the scratchpad, so a search is worth while.
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
    tier: Tier = Tier.SCRATCHPAD

    @property
    def earlier_above(self) -> int:
        return max(EARLIER, len(self.messages))

    @property
    def earlier_numbers(self) -> range:
        return range(self.earlier_above + 1, self.earlier_above + len(self.references) + 1)


def read_batch(turns: Sequence[Turn]) -> IngestionInput:
    """What the model will be shown for these turns of one relationship. Raises NotFound when it was erased, and
    InvalidConfiguration.
    """
    relationship = _relationship(turns[0].relationship_id)
    configuration = _configuration(relationship, turns[0].config)
    messages = _new_messages(relationship, turns, configuration.ingestion)
    references = _reference_messages(relationship, turns, configuration.ingestion)
    return compose_input(
        relationship,
        configuration,
        turns,
        messages,
        references,
        _instructions_of(relationship.companion, configuration.ingestion),
        has_archive=relationship.has_archive,  # type: ignore[attr-defined]  # annotated
    )


def compose_input(
    relationship: Relationship,
    configuration: Configuration,
    turns: Sequence[Turn],
    messages: Sequence[InputMessage],
    references: Sequence[InputMessage],
    instructions: Instructions,
    *,
    has_archive: bool,
) -> IngestionInput:
    entries, hidden, tokens = _shown_entries(relationship.id, configuration.ingestion.shown_budget)
    return IngestionInput(
        relationship_id=relationship.id,
        project_id=relationship.project_id,
        timezone=relationship.timezone,
        user_name=relationship.user.display_name or relationship.user.external_id,
        companion_name=relationship.companion.name,
        ingestion=configuration.ingestion,
        instructions=instructions,
        turns=tuple(turns),
        entries=entries,
        hidden_entries=hidden,
        entry_tokens=tokens,
        messages=tuple(messages),
        references=tuple(references),
        retrieval=configuration.retrieval,
        has_archive=has_archive,
        tier=Tier(configuration.ingestion.tier),
    )


def find_instructions(companion: Companion, version: int | None = None) -> Instructions:
    """A version's template; None: the published one. Raises NotFound."""
    wanted = companion.prompt_version if version is None else version
    if not wanted:
        return Instructions(None, default_instructions())
    prompt = IngestionPrompt.objects.filter(companion_id=companion.id, version=wanted).first()
    if prompt is None:
        raise NotFound(f"This companion's prompt has no version {wanted}.")
    return Instructions(prompt.version, prompt.template)


def _instructions_of(companion: Companion, ingestion: Ingestion) -> Instructions:
    """Those the configuration names. Raises InvalidTemplate: the turn fails, and says what to mend."""
    try:
        return find_instructions(companion, ingestion.prompt_version)
    except NotFound:
        raise InvalidTemplate(
            f"ingestion.prompt_version is {ingestion.prompt_version}, and this companion's prompt has no such version."
        ) from None


def archive_of(relationship_id: UUID) -> Any:
    """The active entries that are not in the scratchpad."""
    return ScratchpadEntry.objects.filter(relationship_id=relationship_id, tier=Tier.ARCHIVE).active()


def _relationship(relationship_id: UUID) -> Relationship:
    """With `has_archive`: asked along, so that an empty archive costs no statement of its own."""
    found = (
        Relationship.objects.select_related("companion", "project", "user")
        .annotate(has_archive=Exists(archive_of(relationship_id)))
        .filter(id=relationship_id)
        .first()
    )
    if found is None:
        raise NotFound("This relationship is not there any more.")
    return found


def _configuration(relationship: Relationship, turn_config: dict[str, Any]) -> Configuration:
    return resolve_configuration(
        project=relationship.project.config,
        companion=relationship.companion.config,
        relationship=relationship.config,
        turn=turn_config,
    ).values


def _shown_entries(relationship_id: UUID, budget: int) -> tuple[tuple[ShownEntry, ...], int, int]:
    """The newest within `budget` tokens, in the order in which they were made, which stays as it is when others are
    added: (shown, how many are not, tokens of all as lines of the scratchpad).
    """
    rows = (
        ScratchpadEntry.objects.for_relationship(relationship_id)
        .active()
        .in_scratchpad()
        .newest_first()
        .values_list(*ShownEntry._fields)
    )
    shown, total, hidden, tokens = [], 0, 0, 0
    for row in rows:
        entry = ShownEntry(*row)
        total += estimate_tokens(entry.content) + TOKENS_PER_LINE
        tokens += line_tokens(entry.content)
        if total <= budget:
            shown.append(entry)
        else:
            hidden += 1
    return tuple(sorted(shown, key=lambda entry: entry.id)), hidden, tokens


def _new_messages(
    relationship: Relationship, turns: Sequence[Turn], ingestion: Ingestion
) -> list[InputMessage]:
    rows = Message.objects.for_relationship(relationship.id).filter(
        turn_id__in=[turn.id for turn in turns], role__in=ingestion.roles, erased_at=None, hidden_at=None
    )
    return [input_message(row, relationship) for row in rows.order_by("seq")]


# Earlier messages give the new ones their sense. One that a deleted entry rests on is not shown again: it would only
# be learnt anew. Nor is one of a turn that was never read: what a provider refused once, it would refuse again, and
# what was said while remembering was paused is nobody's business.
REFERENCES = """
SELECT m.id, m.turn_id, m.role, m.speaker, m.content, m.occurred_at, m.session FROM relationships_message m
 WHERE m.relationship_id = %(relationship)s AND m.seq < %(before)s AND m.erased_at IS NULL AND m.hidden_at IS NULL
   AND m.role = ANY(%(roles)s)
   AND EXISTS (SELECT 1 FROM relationships_turn t
                WHERE t.relationship_id = m.relationship_id AND t.id = m.turn_id AND t.state = 'applied')
   AND NOT EXISTS (SELECT 1 FROM memory_scratchpadentry e
                    WHERE e.relationship_id = m.relationship_id AND e.state = 'deleted'
                      AND m.id = ANY(e.source_message_ids))
 ORDER BY m.seq DESC LIMIT %(limit)s
"""


def _reference_messages(
    relationship: Relationship, turns: Sequence[Turn], ingestion: Ingestion
) -> list[InputMessage]:
    if not ingestion.reference_messages:
        return []
    with connection.cursor() as cursor:
        cursor.execute(
            REFERENCES,
            {
                "relationship": relationship.id,
                "before": turns[0].seq,
                "roles": list(ingestion.roles),
                "limit": ingestion.reference_messages,
            },
        )
        rows = cursor.fetchall()
    columns = ("id", "turn_id", "role", "speaker", "content", "occurred_at", "session")
    messages = [
        Message(relationship_id=relationship.id, **dict(zip(columns, row, strict=True))) for row in rows
    ]
    return [input_message(message, relationship) for message in reversed(messages)]


def input_message(message: Message, relationship: Relationship) -> InputMessage:
    content, cut = cut_fenced(message.content)
    return InputMessage(
        id=message.id,
        turn_id=message.turn_id,
        role=message.role,
        speaker=message.speaker or _default_speaker(message.role, relationship),
        content=content,
        occurred_at=message.occurred_at,
        cut=cut,
        session=message.session,
    )


def _default_speaker(role: str, relationship: Relationship) -> str:
    if role == "user":
        return relationship.user.display_name or relationship.user.external_id
    return relationship.companion.name if role == "assistant" else role
