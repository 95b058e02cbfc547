import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from relationships.models import AuditEvent, Project
from relationships.services.audit import record_audit
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer
from tests.guards.sources import CODE, python_files
from tests.unit.upkeep.erasure.forgetting import HERON, erase
from upkeep.erasure.allow_erasure import erasing
from web.actor import Actor


@pytest.fixture
def audited(project: Project) -> Project:
    by = Actor.policy("test")
    record_audit(project_id=project.id, action="tried", target_kind="project", target_id=project.id, by=by)
    return project


def flag() -> str | None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('rapport.erasing', true)")
        value: str | None = cursor.fetchone()[0]
    return value


def refused(change: str) -> bool:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(change)
    except DatabaseError as error:
        return "append-only" in str(error)
    return False


CHANGES = [
    "DELETE FROM relationships_auditevent",
    "UPDATE relationships_auditevent SET action = 'another'",
]


@pytest.mark.parametrize("change", CHANGES, ids=["delete", "update"])
def test_history_is_closed_without_the_permit_and_can_be_emptied_with_it(
    audited: Project, change: str
) -> None:
    assert refused(change)
    assert AuditEvent.objects.get().action == "tried"

    with erasing():
        assert not refused(change)


def test_the_permit_ends_with_its_block_also_inside_a_longer_transaction(audited: Project) -> None:
    with transaction.atomic():
        with erasing():
            pass
        assert refused(CHANGES[0])


def test_a_block_inside_another_leaves_the_outer_one_its_permit(audited: Project) -> None:
    with erasing():
        with erasing():
            pass
        assert flag() == "on"
    assert flag() == "off"


def test_a_block_that_fails_gives_the_permit_back(audited: Project) -> None:
    with pytest.raises(ZeroDivisionError), erasing():
        _ = 1 / 0

    assert refused(CHANGES[0])


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("relationships_message", "content = 'I have a heron'"),
        ("memory_entryrevision", "reason = 'the heron'"),
        ("memory_entryrevision", "after = '{}'"),
        ("memory_modelcall", "answer = 'heron'"),
        ("memory_operationresult", "text = 'heron'"),
    ],
)
def test_what_is_marked_as_erased_can_hold_no_words(
    table: str, words: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    """Not even by a restore that switches the triggers off."""
    scripted_provider.answer_with(answer(add(HERON)))
    conversation.hear("I have a heron on my arm.")
    erase(conversation, conversation.entries[0])

    with pytest.raises(IntegrityError, match="is_empty"), erasing(), connection.cursor() as cursor:
        cursor.execute(f"UPDATE {table} SET {words}")


def test_nothing_else_sets_the_flag() -> None:
    sources = [path for path in python_files(*CODE) if "migrations" not in path.parts]
    setting = [path for path in sources if "rapport.erasing" in path.read_text()]

    assert [path.name for path in setting] == ["allow_erasure.py"], (
        "Only upkeep/erasure/allow_erasure.py may set rapport.erasing: erase through upkeep.erasure."
    )
