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


def test_a_trigger_that_is_not_there_is_left_to_a_person(db: None) -> None:
    run("DROP TRIGGER append_only ON memory_modelcall")

    check_left(["schema/trigger_missing"])


def test_a_constraint_that_was_never_held_against_the_rows_is_named(db: None) -> None:
    run("ALTER TABLE relationships_turn ADD CONSTRAINT late CHECK (attempts < 100) NOT VALID")

    report = check_left(["schema/constraint_not_validated"])

    assert "late on relationships_turn" in "\n".join(report.lines())


def test_an_index_that_the_database_calls_invalid_is_named(db: None) -> None:
    run("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'turn_due'::regclass")

    check_left(["schema/index_invalid"])


def test_an_index_that_is_being_made_is_no_problem(db: None) -> None:
    run("CREATE INDEX turn_due_ccnew ON relationships_turn (attempts)")
    run("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'turn_due_ccnew'::regclass")

    check_whole()


def test_one_relationship_is_verified_without_the_schema(lived: Conversation) -> None:
    run("DROP TRIGGER append_only ON memory_modelcall")

    assert problems(verify(relationship_id=lived.relationship.id)) == {}
