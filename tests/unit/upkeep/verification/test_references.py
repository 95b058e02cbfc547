"""What is named and is not there, where breaking it takes more than a statement."""

from uuid import UUID, uuid4

from django.utils import timezone

from memory.ingestion.intake import accept_turn
from memory.ingestion.prompt_versions import create_prompt
from memory.models import HeldDeletion, HeldState, IngestionPrompt
from relationships.models import Companion, EndUser, IdempotencyKey, Relationship, Turn
from relationships.services.idempotency import TURNS, Idempotency
from relationships.services.turns import NewMessage, NewTurn
from tests.fixtures.archives import copied
from tests.fixtures.turns import Conversation, hold_deletions
from tests.unit.upkeep.verification.damage import (
    check_left,
    check_mended,
    check_whole,
    problems,
    run,
    unguarded,
)
from upkeep.verification import verify
from web.actor import Actor


def hold(entry_id: UUID) -> HeldDeletion:
    return hold_deletions(Turn.objects.order_by("seq")[0], entry_id)


def test_a_held_deletion_of_an_unknown_entry_is_named_until_it_is_decided(lived: Conversation) -> None:
    hold(lived.entries[0].id)
    check_whole()
    held = hold(uuid4())

    check_left(["references/held_deletion"])

    HeldDeletion.objects.filter(id=held.id).update(state=HeldState.DECLINED)
    check_whole()


def test_a_lost_call_that_a_turn_cites_is_named(lived: Conversation) -> None:
    turn = Turn.objects.for_relationship(lived.relationship.id).order_by("seq")[0]
    with unguarded():
        run("DELETE FROM memory_modelcall WHERE id = ANY(%s)", turn.model_call_ids)

    report = check_left(["references/lost_call"])

    [tally] = report.tallies.values()
    assert [(finding.row_id, finding.detail) for finding in tally.examples] == [(turn.id, "1 calls")]


def test_calls_that_an_import_left_behind_are_not_lost_and_those_it_brought_are(lived: Conversation) -> None:
    without = copied(lived.relationship, calls=False)
    with_calls = copied(lived.relationship)
    check_whole()
    Conversation(without).hear("I swim, too")
    check_whole()

    with unguarded():
        run("DELETE FROM memory_modelcall")

    assert problems(verify(relationship_id=without.id)) == {"references/lost_call": 1}
    assert problems(verify(relationship_id=with_calls.id)) == {"references/lost_call": 2}


def test_an_import_of_an_import_that_left_calls_behind_is_whole_and_what_is_lost_of_it_is_named(
    lived: Conversation,
) -> None:
    """Its archive has some of the calls: those of what was said since."""
    without = copied(lived.relationship, calls=False)
    Conversation(without).hear("I swim, too")

    again = copied(without)

    check_whole()
    with unguarded():
        run("DELETE FROM memory_modelcall WHERE relationship_id = %s", again.id)
    assert problems(verify(relationship_id=again.id)).keys() == {"references/lost_call"}


def test_of_an_import_that_did_not_count_the_calls_it_left_behind_none_is_said_to_be_lost(
    lived: Conversation,
) -> None:
    copied(lived.relationship, calls=False)
    with unguarded():
        run("UPDATE relationships_auditevent SET detail = detail - 'calls_left_behind'")

    check_whole()


def test_an_idempotency_key_of_nothing_goes_so_that_the_call_can_be_made(lived: Conversation) -> None:
    new = NewTurn([NewMessage("user", "Once")], occurred_at=timezone.now())
    accept_turn(relationship=lived.relationship, new=new, idempotency=Idempotency("k", b"h" * 32))
    IdempotencyKey.objects.filter(route=TURNS).update(resource_id=uuid4())

    check_mended(["references/idempotency_key"])

    assert not IdempotencyKey.objects.exists()


def test_a_relationship_with_another_id_than_its_pair_makes_is_named(
    companion: Companion, end_user: EndUser
) -> None:
    Relationship.objects.create(
        id=uuid4(), project_id=companion.project_id, companion=companion, user=end_user
    )

    check_left(["pairs/other_id"])


def test_a_version_of_a_prompt_that_is_lost_is_named(companion: Companion) -> None:
    by = Actor.policy("test")
    for number in range(3):
        create_prompt(companion=companion, template=f"Keep {number}.", note="", publish=True, by=by)
    check_whole()
    IngestionPrompt.objects.filter(version=2).delete()

    check_left(["prompts/gap"])


def test_rows_of_nobody_are_found_by_the_project_that_they_name(lived: Conversation) -> None:
    with unguarded():
        run("UPDATE relationships_message SET relationship_id = gen_random_uuid()")

    assert problems(verify(project_id=uuid4())) == {}
    found = problems(verify(project_id=lived.relationship.project_id))
    assert found["owners/orphan"] == 2
