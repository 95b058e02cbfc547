import pytest

from tests.fixtures.turns import Conversation
from tests.unit.upkeep.verification.damage import check_left, check_mended, check_whole, problems, run
from upkeep.verification import verify


@pytest.mark.parametrize(
    ("table", "trigger"),
    [
        ("memory_entryrevision", "append_only"),
        ("relationships_message", "append_only"),
        ("memory_embedding", "decayed_vector_written"),
    ],
)
def test_a_trigger_that_is_switched_off_is_switched_on_again(db: None, table: str, trigger: str) -> None:
    run(f"ALTER TABLE {table} DISABLE TRIGGER {trigger}")

    check_mended(["schema/trigger_disabled"])


@pytest.mark.parametrize(
    ("found", "damage", "named"),
    [
        ("column_missing", "ALTER TABLE memory_mendingplan DROP COLUMN left_out", "left_out of memory_mendingplan"),
        ("trigger_missing", "DROP TRIGGER append_only ON memory_modelcall", "append_only on memory_modelcall"),
        ("constraint_not_validated", "ALTER TABLE relationships_turn ADD CONSTRAINT late CHECK (attempts < 100) NOT VALID",
         "late on relationships_turn"),
        ("index_invalid", "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'turn_due'::regclass", "turn_due"),
    ],
)  # fmt: skip
def test_a_schema_that_is_not_whole_is_left_to_a_person(
    db: None, found: str, damage: str, named: str
) -> None:
    run(damage)

    report = check_left([f"schema/{found}"])

    assert named in "\n".join(report.lines())


def test_an_index_that_is_being_made_is_no_problem(db: None) -> None:
    run("CREATE INDEX turn_due_ccnew ON relationships_turn (attempts)")
    run("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'turn_due_ccnew'::regclass")

    check_whole()


def test_one_relationship_is_verified_without_the_schema(lived: Conversation) -> None:
    run("DROP TRIGGER append_only ON memory_modelcall")

    assert problems(verify(relationship_id=lived.relationship.id)) == {}
