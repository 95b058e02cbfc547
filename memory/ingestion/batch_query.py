"""Read everything needed to process a batch of turns, in one statement, which memory.ingestion.claim also uses."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import orjson
from django.utils import timezone

from config.postgresql.sessions import prepared_cursor
from memory.errors import InvalidTemplate
from memory.ingestion.ingestion_input import (
    MESSAGE_COLUMNS,
    IngestionInput,
    InputMessage,
    Instructions,
    ShownEntry,
    compose_input,
    input_message,
)
from memory.ingestion.templates import default_instructions
from relationships.configuration.cascade import resolve_configuration
from relationships.configuration.schema import Configuration
from relationships.models import Companion, EndUser, Relationship, Turn
from relationships.services.model_budgets import ModelBudget, has_budget, model_budget_of
from web.errors import NotFound

_MESSAGE = ", ".join(MESSAGE_COLUMNS)
_ENTRY = ", ".join(ShownEntry._fields)

# The new messages, the earlier ones as background, and the scratchpad, each as a list of lists. An earlier message that
# a deleted entry cites is not shown, as it would be learnt again. Nor is one of a turn that was never read: a provider
# that refused it once would refuse it again, and what was said while remembering was paused must not be used.
FACTS = f"""
SELECT r.timezone, u.display_name, u.external_id, c.id, c.name, c.prompt_version,
       (SELECT template FROM memory_ingestionprompt
         WHERE companion_id = c.id AND version = coalesce(%(prompt)s::int, c.prompt_version)),
       (SELECT json_agg(json_build_array({_MESSAGE}) ORDER BY seq)::text FROM relationships_message
         WHERE relationship_id = %(relationship)s AND turn_id = ANY(%(turns)s) AND role = ANY(%(roles)s)
           AND erased_at IS NULL AND hidden_at IS NULL),
       (SELECT json_agg(json_build_array({_MESSAGE}) ORDER BY seq)::text FROM (
           SELECT seq, {_MESSAGE} FROM relationships_message m
            WHERE m.relationship_id = %(relationship)s AND m.seq < %(before)s AND m.erased_at IS NULL
              AND m.hidden_at IS NULL AND m.role = ANY(%(roles)s)
              AND EXISTS (SELECT 1 FROM relationships_turn t
                           WHERE t.relationship_id = m.relationship_id AND t.id = m.turn_id AND t.state = 'applied')
              AND NOT EXISTS (SELECT 1 FROM memory_scratchpadentry e
                               WHERE e.relationship_id = m.relationship_id AND e.state = 'deleted'
                                 AND m.id = ANY(e.source_message_ids))
            ORDER BY m.seq DESC LIMIT %(references)s) earlier),
       (SELECT json_agg(json_build_array({_ENTRY}) ORDER BY effective_at DESC, id DESC)::text
          FROM memory_scratchpadentry
         WHERE relationship_id = %(relationship)s AND state = 'active' AND tier = 'scratchpad'),
       (SELECT max(effective_at) FROM memory_scratchpadentry
         WHERE relationship_id = %(relationship)s AND state = 'active' AND tier = 'archive') IS NOT NULL,
       p.daily_tokens, p.daily_usd
  FROM relationships_relationship r
  JOIN relationships_companion c ON c.id = r.companion_id
  JOIN relationships_enduser u ON u.id = r.user_id
  JOIN relationships_project p ON p.id = r.project_id
 WHERE r.id = %(relationship)s
"""  # noqa: S608 - columns of ours


@dataclass(frozen=True, slots=True)
class Facts:
    """The resolved configuration, the project's budget if it has one, and what else the statement returned."""

    configuration: Configuration
    budget: ModelBudget | None
    row: Sequence[Any]


def read_batch(turns: Sequence[Turn]) -> IngestionInput:
    """What the model will be shown for these turns of one relationship. Raises NotFound if it was erased,
    InvalidConfiguration, InvalidTemplate.
    """
    return input_of(turns, read_facts(turns))


def read_facts(turns: Sequence[Turn]) -> Facts:
    """Read the facts. Two statements, and one more if the project has a budget. Raises like read_batch."""
    owner = Relationship.objects.filter(id=turns[0].relationship_id)
    levels = owner.values_list("project__config", "companion__config", "config").first()
    if levels is None:
        raise NotFound("This relationship no longer exists.")
    configuration = resolve_configuration(*[*levels, turns[0].config]).values
    now = timezone.now()
    with prepared_cursor() as cursor:
        cursor.execute(FACTS, facts_asked(turns, configuration))
        row = cursor.fetchone()
    if row is None:
        raise NotFound("This relationship no longer exists.")
    return facts_of(row, configuration, project_id=turns[0].project_id, now=now)


def facts_asked(turns: Sequence[Turn], configuration: Configuration) -> dict[str, Any]:
    """The parameters of FACTS."""
    ingestion = configuration.ingestion
    return {
        "relationship": turns[0].relationship_id,
        "turns": [turn.id for turn in turns],
        "before": turns[0].seq,
        "roles": list(ingestion.roles),
        "references": ingestion.reference_messages,
        "prompt": ingestion.prompt_version,
    }


def facts_of(row: Sequence[Any], configuration: Configuration, *, project_id: UUID, now: datetime) -> Facts:
    """Make the facts from a row of FACTS. One statement if the project has a budget."""
    budget = model_budget_of(project_id, now=now) if has_budget(*row[-2:]) else None
    return Facts(configuration, budget, row)


def input_of(turns: Sequence[Turn], facts: Facts) -> IngestionInput:
    """Make the input. Raises InvalidTemplate if the published version of the prompt doesn't exist."""
    timezone, display_name, external_id, companion_id, companion_name, published, template = facts.row[:7]
    messages, references, entries, has_archive = facts.row[7:11]
    relationship = Relationship(
        id=turns[0].relationship_id,
        project_id=turns[0].project_id,
        timezone=timezone,
        companion=Companion(id=companion_id, name=companion_name),
        user=EndUser(display_name=display_name, external_id=external_id),
    )
    named = facts.configuration.ingestion.prompt_version
    version = published if named is None else named
    if version and template is None:
        raise InvalidTemplate(
            f"ingestion.prompt_version is {version}, and this companion's prompt has no such version."
        )
    return compose_input(
        relationship,
        facts.configuration,
        turns,
        _messages(relationship, messages),
        _messages(relationship, references),
        Instructions(version, template) if version else Instructions(None, default_instructions()),
        entries=map(_entry, orjson.loads(entries or "[]")),
        has_archive=has_archive,
    )


def _messages(relationship: Relationship, listed: str | None) -> list[InputMessage]:
    return [
        input_message(
            relationship, UUID(id), UUID(turn_id), role, speaker, text, datetime.fromisoformat(at), session
        )
        for id, turn_id, role, speaker, text, at, session in orjson.loads(listed or "[]")
    ]


def _entry(columns: Sequence[Any]) -> ShownEntry:
    entry = ShownEntry(*columns)
    return entry._replace(
        id=UUID(columns[0]),
        effective_at=datetime.fromisoformat(columns[6]),
        expires_at=entry.expires_at and datetime.fromisoformat(columns[11]),
    )
