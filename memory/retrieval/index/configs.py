"""The part of a relationship's configuration that concerns the index. A turn's own level is ignored."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import orjson

from config.postgresql.sessions import execute
from memory.retrieval.configuration import Retrieval
from relationships.configuration.cascade import valid_configuration

_STANDING = """
SELECT r.id, r.project_id, u.display_name, c.name, p.config::text, c.config::text, r.config::text,
       r.language
  FROM relationships_relationship r
  JOIN relationships_companion c ON c.id = r.companion_id
  JOIN relationships_project p ON p.id = r.project_id
  JOIN relationships_enduser u ON u.id = r.user_id
 WHERE r.id = ANY(%s) ORDER BY r.id
"""
_HELD = _STANDING + " FOR UPDATE OF r"


@dataclass(frozen=True, slots=True)
class RelationshipConfig:
    """`names`: of the person and the companion, for `without_names`. `retrieval` None: the configuration is invalid."""

    relationship_id: UUID
    project_id: UUID
    names: tuple[str, ...]
    retrieval: Retrieval | None

    @property
    def written_as(self) -> Retrieval:
        """`retrieval`, or the defaults if the configuration is invalid, as writing must not wait for that."""
        return self.retrieval or Retrieval()


def retrieval_of(levels: Iterable[Mapping[str, Any]]) -> Retrieval:
    """The section `retrieval`, or its defaults if the levels are invalid, as writing must not wait for that."""
    values = valid_configuration(levels)
    return values.retrieval if values else Retrieval()


def configs_of(relationship_ids: Sequence[UUID]) -> list[RelationshipConfig]:
    """The configurations of existing relationships, in order of ID. One query."""
    return _read(_STANDING, relationship_ids)


def config_of(relationship_id: UUID) -> RelationshipConfig | None:
    """The relationship's configuration; None if it doesn't exist any more."""
    return next(iter(_read(_STANDING, [relationship_id])), None)


def lock_config(relationship_id: UUID) -> RelationshipConfig | None:
    """Take the relationship's row lock, in a transaction, and return the same."""
    return next(iter(_read(_HELD, [relationship_id])), None)


def _read(statement: str, relationship_ids: Sequence[UUID]) -> list[RelationshipConfig]:
    return [
        RelationshipConfig(row[0], row[1], (row[2], row[3]), _standing(row[7], row[4:7]))
        for row in execute(statement, [list(relationship_ids)])
    ]


def _standing(language: str, levels: Sequence[str]) -> Retrieval | None:
    values = valid_configuration(map(orjson.loads, levels))
    return values.retrieval.spoken_in(language) if values else None
