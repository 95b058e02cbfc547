"""Erasure must reach every table, and history must be closed, in the database as it is; so each model says what it is."""

import uuid
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import DatabaseError, connection, models, transaction
from psycopg import sql

from relationships.models import Project, Relationship, RelationshipOwned
from tests.guards.sources import CODE
from upkeep.erasure.relationships import owned_models

# What was written stays as it was written; only erasure empties or deletes it. Has the trigger `append_only`.
APPEND_ONLY = set("AuditEvent EntryRevision HotContextVersion Message ModelCall ProfileRevision".split())
# What its service may change.
MUTABLE = set(
    """
    AgentSession AgentStep ApiKey BehaviourRun Blob Branch Checkpoint ChunkEmbedding Commit Companion DecayedVector
    Document DocumentChunk DocumentFile Embedding EndUser EventDelivery HeldChange HeldDeletion IdempotencyKey IngestionPrompt
    KeptContext MendingPlan Membership ModelSpending OperationResult Operator OutboxMessage PeriodicRun Profile Project
    RateWindow Relationship RelationshipToken Replay ScratchpadEntry SearchSegment SearchText SessionState Snapshot Summary Tool
    ToolCall ToolSecret Tree Turn WorkerHeartbeat
    """.split()
)
# Belongs to no project, so that erasing one leaves it. Of AuditEvent, erase_project takes the project's own.
# A RateWindow holds a number and is gone when its window is over.
OF_NO_PROJECT = {"AuditEvent", "Operator", "PeriodicRun", "RateWindow", "WorkerHeartbeat"}


def our_models() -> list[type[models.Model]]:
    return [model for model in apps.get_models() if model._meta.app_label in CODE]


def subclasses(base: type[models.Model]) -> Iterator[type[models.Model]]:
    child: type[models.Model]
    for child in base.__subclasses__():
        yield child
        yield from subclasses(child)


def names(found: Iterable[type[models.Model]]) -> list[str]:
    return sorted(model.__name__ for model in found)


def append_only_models() -> list[type[models.Model]]:
    return [model for model in our_models() if model.__name__ in APPEND_ONLY]


def test_every_model_is_declared_mutable_or_append_only() -> None:
    declared = APPEND_ONLY | MUTABLE

    assert not APPEND_ONLY & MUTABLE
    assert names(our_models()) == sorted(declared), (
        "Declare a new model in tests/guards/test_owned_tables.py: APPEND_ONLY (with its trigger in a migration, as in "
        "memory/migrations/0002_append_only_history.py) or MUTABLE."
    )


def test_erasure_knows_every_model_that_a_relationship_owns() -> None:
    owned = {model for model in subclasses(RelationshipOwned) if not model._meta.abstract}

    assert names(owned_models()) == names(owned)
    assert len(owned) >= 12


@pytest.mark.parametrize("model", our_models(), ids=lambda model: model.__name__)
def test_erasing_a_project_reaches_every_model(model: type[models.Model]) -> None:
    reached = model is Project or issubclass(model, RelationshipOwned) or _cascades_from_project(model)

    assert reached or model.__name__ in OF_NO_PROJECT, (
        f"{model.__name__}: derive it from RelationshipOwned, give it a cascading foreign key that leads to Project, "
        "or name it in OF_NO_PROJECT with the reason."
    )


@pytest.mark.parametrize("model", owned_models(), ids=lambda model: model.__name__)
def test_an_owned_table_can_be_distributed_by_its_relationship(model: type[models.Model]) -> None:
    foreign = [field.name for field in model._meta.concrete_fields if field.is_relation]
    uniques = [
        constraint.fields[0]
        for constraint in model._meta.constraints
        if isinstance(constraint, models.UniqueConstraint)
    ]

    assert model._meta.pk_fields[0].name == "relationship" and len(model._meta.pk_fields) == 2
    assert foreign == ["relationship"], "references among owned rows are plain UUID columns"
    assert set(uniques) <= {"relationship"}, "every unique constraint begins with relationship"
    assert not any(field.unique for field in model._meta.concrete_fields)


def test_every_foreign_key_of_an_owned_table_begins_an_index(db: None) -> None:
    """Otherwise each row that is deleted reads all rows of its relationship that may refer to it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT conrelid::regclass::text, conname FROM pg_constraint c WHERE contype = 'f' AND NOT EXISTS ("
            "SELECT 1 FROM pg_index WHERE indrelid = c.conrelid AND indpred IS NULL"
            " AND (string_to_array(indkey::text, ' ')::int2[])[1:cardinality(c.conkey)] @> c.conkey)"
        )
        bare = cursor.fetchall()

    assert [key for key in bare if key[0] in {model._meta.db_table for model in owned_models()}] == []


def test_append_only_tables_and_no_others_have_the_trigger(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgrelid::regclass::text FROM pg_trigger"
            " WHERE tgname = 'append_only' AND tgenabled = 'O' AND tgtype & 1 = 1 AND tgtype & 2 = 2"
            " AND tgtype & 8 = 8 AND tgtype & 16 = 16 AND NOT tgisinternal"
        )
        with_trigger = {row[0] for row in cursor.fetchall()}

    assert with_trigger == {model._meta.db_table for model in append_only_models()}


@pytest.mark.parametrize("model", append_only_models(), ids=lambda model: model.__name__)
def test_the_database_itself_refuses_to_rewrite_history(
    model: type[models.Model], relationship: Relationship
) -> None:
    _any_row(model, relationship).save(force_insert=True)

    for statement in ("UPDATE {} SET recorded_at = now()", "DELETE FROM {}"):
        written = sql.SQL(statement).format(sql.Identifier(model._meta.db_table))
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            connection.cursor().execute(written)


def _cascades_from_project(model: type[models.Model]) -> bool:
    links: list[Any] = [field for field in model._meta.concrete_fields if field.is_relation]
    parents = [link.related_model for link in links if link.remote_field.on_delete is models.CASCADE]
    return any(parent is Project or _cascades_from_project(parent) for parent in parents)


def _any_row(model: type[models.Model], relationship: Relationship) -> models.Model:
    row = model()
    for field in model._meta.concrete_fields:
        if field.name == "relationship":
            row.relationship_id = relationship.id  # type: ignore[attr-defined]
        elif field.choices:
            setattr(row, field.attname, next(iter(field.choices))[0])
        elif not (field.has_default() or field.null):
            setattr(row, field.attname, _any_value(field))
    return row


def _any_value(field: Any) -> object:
    by_type = {
        models.UUIDField: uuid.uuid4(),
        models.DateTimeField: datetime(2026, 3, 2, tzinfo=UTC),
        models.JSONField: {},
        ArrayField: [],
    }
    number = isinstance(field, models.IntegerField | models.FloatField)
    return next((value for kind, value in by_type.items() if isinstance(field, kind)), 1 if number else "x")
