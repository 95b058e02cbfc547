"""A migration that is written as ever keeps a distributed database distributed."""

from collections.abc import Iterator

import pytest
from django.apps import apps
from django.db import IntegrityError, InternalError, connection, migrations, models, transaction
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from relationships.ids import uuid7
from relationships.models import Relationship
from tests.fixtures.distributed import SHARDS, only_distributed

pytestmark = [pytest.mark.django_db(transaction=True), only_distributed]
LABEL, TABLE = "relationships", "relationships_note"
MADE: list[Operation] = [
    migrations.CreateModel(
        name="Note",
        fields=[
            ("pk", models.CompositePrimaryKey("relationship_id", "id", editable=False, primary_key=True)),
            ("id", models.UUIDField(default=uuid7, editable=False)),
            ("text", models.TextField()),
            (
                "relationship",
                models.ForeignKey(
                    "relationships.relationship",
                    on_delete=models.DO_NOTHING,
                    related_name="+",
                    db_index=False,
                ),
            ),
        ],
    ),
    migrations.AddField("Note", "stars", models.IntegerField(default=3)),
    migrations.AlterField("Note", "text", models.CharField(max_length=200)),
    migrations.AddIndex("Note", models.Index(fields=["relationship", "stars"], name="note_stars")),
    migrations.AddConstraint(
        "Note", models.CheckConstraint(condition=models.Q(stars__lte=5), name="note_at_most_five")
    ),
    migrations.AddConstraint(
        "Note", models.UniqueConstraint(fields=["relationship", "text"], name="note_said_once")
    ),
    migrations.RunSQL(
        f"CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON {TABLE}"
        " FOR EACH ROW EXECUTE FUNCTION rapport_append_only()",
        f"DROP TRIGGER append_only ON {TABLE}",
    ),
]
_ON_SHARDS = """
SELECT count(DISTINCT (nodename, shardid)), bool_and(success), min(result), max(result)
  FROM run_command_on_placements(%s, %s)
"""


@pytest.fixture
def note(relationship: Relationship) -> Iterator[type[models.Model]]:
    before = state = ProjectState.from_apps(apps)
    for operation in MADE:
        after = state.clone()
        operation.state_forwards(LABEL, after)
        with connection.schema_editor() as editor:
            operation.database_forwards(LABEL, editor, state, after)
        state = after
    yield state.apps.get_model(LABEL, "Note")
    drop = migrations.DeleteModel("Note")
    with connection.schema_editor() as editor:
        drop.database_forwards(LABEL, editor, state, before)


def on_shards(question: str) -> tuple[int, bool, str, str]:
    """How many shards were asked, whether each could answer, and the least and greatest answer."""
    with connection.cursor() as cursor:
        cursor.execute(_ON_SHARDS, [TABLE, question])
        asked: tuple[int, bool, str, str] = cursor.fetchone()
        return asked


def test_a_new_table_lies_with_its_relationships_and_every_later_change_reaches_its_shards(
    note: type[models.Model], relationship: Relationship
) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(DISTINCT colocation_id), count(*) FROM citus_tables WHERE table_name::text = ANY(%s)",
            [[TABLE, "relationships_relationship"]],
        )
        assert cursor.fetchone() == (1, 2)
    shards, *answers = on_shards("SELECT count(*) FROM pg_index WHERE indrelid = '%s'::regclass")
    assert shards == SHARDS and answers == [True, "3", "3"]  # the key, the index, the unique one
    assert on_shards(
        "SELECT count(*) FROM pg_trigger WHERE tgrelid = '%s'::regclass AND tgname LIKE 'append_only%%'"
    )[1:] == (True, "1", "1")

    rows = note._default_manager
    rows.create(relationship_id=relationship.id, text="Said once")

    assert rows.filter(relationship_id=relationship.id).values_list("stars").get() == (3,)
    for wrong in (
        {"text": "Said once"},
        {"text": "Six", "stars": 6},
        {"relationship_id": uuid7(), "text": "Whose"},
    ):
        # Of a foreign key the coordinator hears when it commits, in a shard's words.
        with pytest.raises((IntegrityError, InternalError)), transaction.atomic():
            rows.create(**{"relationship_id": relationship.id, **wrong})
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        rows.filter(relationship_id=relationship.id).update(stars=1)
