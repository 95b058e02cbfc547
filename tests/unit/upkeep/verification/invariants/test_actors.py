"""A change is somebody's: of a key, an operator, the person, a model that was asked, or a rule."""

import pytest

from memory.entries.editing import add_entry
from memory.models import EntryRevision, EntrySource
from relationships.models import Operator
from relationships.services.api_keys import create_api_key, revoke_api_key
from tests.fixtures.turns import PERSON, Conversation
from tests.unit.upkeep.verification.damage import check_left, check_whole, imported, problems, run, unguarded
from upkeep.verification import verify
from web.actor import Actor, ActorKind


def add_by(conversation: Conversation, by: Actor) -> None:
    values = {"content": f"Was told of by {by.kind}", "type": "other"}
    add_entry(relationship=conversation.relationship, values=values, by=by, source=EntrySource.API)


@pytest.mark.parametrize(
    ("kind", "actor_id"),
    [
        ("developer", "rk_00000000"),
        ("operator", "nobody@example.org"),
        ("end_user", "00000000-0000-7000-8000-000000000000"),
        ("model", "another-model"),
        ("policy", ""),
        ("operator", ""),
        ("model", ""),
    ],
)
def test_a_change_by_nobody_is_named(lived: Conversation, kind: str, actor_id: str) -> None:
    read = next(revision for revision in lived.revisions if revision.turn_id)
    with unguarded():
        run(
            "UPDATE memory_entryrevision SET actor_kind = %s, actor_id = %s WHERE id = %s",
            kind,
            actor_id,
            read.id,
        )

    report = check_left(["actors/nobody"])

    [tally] = report.tallies.values()
    assert [finding.row_id for finding in tally.examples] == [read.id]
    assert actor_id == "" or actor_id not in "\n".join(report.lines())


def test_changes_of_everybody_there_is_are_in_order(lived: Conversation) -> None:
    relationship = lived.relationship
    key, _ = create_api_key(project_id=relationship.project_id, name="app", scopes=["write"], by=PERSON)
    add_by(lived, Actor(ActorKind.DEVELOPER, key.prefix))
    revoke_api_key(project_id=relationship.project_id, key_id=key.id, by=PERSON)
    add_by(lived, Actor(ActorKind.END_USER, str(relationship.user_id)))
    add_by(lived, Actor.policy("expiry"))

    check_whole()


def test_a_key_of_another_project_is_nobody_here(lived: Conversation) -> None:
    with unguarded():
        run(
            "UPDATE memory_entryrevision SET actor_kind = 'developer', actor_id = 'rk_elsewher' WHERE seq = 1"
        )
        run(
            "INSERT INTO relationships_project (id, name, config, version, created_at)"
            " SELECT gen_random_uuid(), 'Other', '{}', version, now() FROM relationships_project"
        )
        run(
            "INSERT INTO relationships_apikey (id, project_id, name, prefix, key_hash, scopes, created_at)"
            " SELECT gen_random_uuid(), id, 'app', 'rk_elsewher', 'x', '{read}', now()"
            "   FROM relationships_project WHERE name = 'Other'"
        )

    check_left(["actors/nobody"])


def test_an_account_that_changed_its_case_is_the_same(lived: Conversation) -> None:
    Operator.objects.update(email="Ana@Example.org")

    check_whole()


def test_what_was_imported_keeps_who_did_it_elsewhere(lived: Conversation) -> None:
    """Its keys, accounts and calls are of where it comes from; what is changed here must be somebody's here."""
    with unguarded():
        run(
            "UPDATE memory_entryrevision SET actor_id = 'rk_elsewher', actor_kind = 'developer' WHERE seq = 1"
        )
    copy = imported(lived.relationship, "a copy")
    lived_id = lived.relationship.id
    assert problems(verify(relationship_id=copy.id)) == {}
    assert problems(verify(relationship_id=lived_id)) == {"actors/nobody": 1}

    add_by(Conversation(copy), Actor(ActorKind.OPERATOR, "nobody@example.org"))

    assert problems(verify(relationship_id=copy.id)) == {"actors/nobody": 1}
    assert EntryRevision.objects.for_relationship(copy.id).count() == len(lived.revisions) + 1
