"""Erasing a relationship, a person, a companion: all of it, nobody else's, and finished however often it is killed."""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from uuid import UUID

import pytest
from django.db import IntegrityError, OperationalError, connection, connections, transaction

from memory.ingestion.intake import accept_turn
from relationships.ids import relationship_id
from relationships.models import AuditEvent, Companion, EndUser, Message, Project, Relationship, Turn
from relationships.services.relationships import get_or_create_relationship
from relationships.services.turns import NewMessage, NewTurn
from tests.fakes import ScriptedProvider
from tests.fixtures.people import MORNING
from tests.fixtures.turns import Conversation, add, answer
from tests.waiting import wait_until
from upkeep.erasure.counts import Counts
from upkeep.erasure.relationships import (
    erase_companion,
    erase_project,
    erase_relationship,
    erase_user,
    owned_models,
)
from web.actor import Actor
from web.errors import InvalidInput, NotFound

BY = Actor.policy("test")


def pair(project: Project, companion: Companion, user: EndUser) -> Relationship:
    return get_or_create_relationship(
        project_id=project.id, companion=companion.slug, user=user.external_id, by=BY
    )[0]


def another_companion(project: Project, slug: str) -> Companion:
    return Companion.objects.create(project=project, slug=slug, name=slug)


def say(relationship: Relationship, text: str) -> None:
    accept_turn(relationship=relationship, new=NewTurn([NewMessage("user", text)], occurred_at=MORNING))


def rows_of(relationship: Relationship) -> int:
    return sum(
        model._base_manager.filter(relationship_id=relationship.id).count() for model in owned_models()
    )


def test_what_was_erased_is_told_in_numbers(relationship: Relationship, project: Project) -> None:
    say(relationship, "I like tea.")

    erase_relationship(project_id=project.id, relationship_id=relationship.id, by=BY)

    event = AuditEvent.objects.get(action="relationship.erased")
    assert (event.target_id, event.actor_kind, event.actor_id) == (relationship.id, "policy", "test")
    assert event.detail == {
        "erased": {"message": 1, "relationship": 1, "search_text": 1, "session_state": 1, "turn": 1}
    }


def erase_this_user(project: Project, relationship: Relationship) -> Counts:
    return erase_user(project_id=project.id, user_id=relationship.user_id, by=BY)


def erase_this_companion(project: Project, relationship: Relationship) -> Counts:
    return erase_companion(project_id=project.id, companion_id=relationship.companion_id, by=BY)


def erase_this_project(project: Project, relationship: Relationship) -> Counts:
    return erase_project(project_id=project.id, by=BY)


def erase_this_relationship(project: Project, relationship: Relationship) -> Counts:
    return erase_relationship(project_id=project.id, relationship_id=relationship.id, by=BY)


@pytest.mark.parametrize(
    ("erase", "gone"),
    [
        (erase_this_relationship, {"relationship": 1}),
        (erase_this_user, {"relationship": 2, "end_user": 1}),
        (erase_this_companion, {"relationship": 2, "companion": 1, "ingestion_prompt": 1}),
    ],
    ids=["relationship", "user", "companion"],
)
def test_what_is_asked_for_goes_with_everything_it_owns_and_no_other(
    erase: Callable[[Project, Relationship], Counts],
    gone: dict[str, int],
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    project: Project,
    companion: Companion,
    end_user: EndUser,
) -> None:
    """Of a person with two companions, and of a companion with two people."""
    scripted_provider.answer_with(answer(add("Likes tea")))
    conversation.hear("I like tea.")
    companion.prompts.create(version=1, template="Keep what matters.", created_by_kind="policy")
    bob, noa = another_companion(project, "bob"), EndUser.objects.create(project=project, external_id="noa")
    others = [pair(project, bob, end_user), pair(project, companion, noa), pair(project, bob, noa)]
    for other in others:
        say(other, "I like tea.")
    before = [rows_of(other) for other in others]

    counts = erase(project, conversation.relationship)

    assert rows_of(conversation.relationship) == 0
    assert counts.items() >= {**gone, "turn": gone["relationship"], "scratchpad_entry": 1}.items()
    left = set(Relationship.objects.values_list("id", flat=True))
    assert len(left) == 4 - gone["relationship"] and others[2].id in left
    assert [rows_of(other) for other in others] == [
        count if other.id in left else 0 for other, count in zip(others, before, strict=True)
    ]
    assert EndUser.objects.count() == 2 - gone.get("end_user", 0)
    assert Companion.objects.count() == 2 - gone.get("companion", 0)


@pytest.mark.django_db(transaction=True)
def test_an_erasure_that_broke_off_is_finished_by_asking_again(
    relationship: Relationship, project: Project, companion: Companion, end_user: EndUser
) -> None:
    pairs = [relationship, pair(project, another_companion(project, "bob"), end_user)]
    first, second = sorted(pairs, key=lambda each: each.id)
    for each in pairs:
        say(each, "I like tea.")
    with Held(second.id):
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '100ms'")
        with pytest.raises(OperationalError):
            erase_this_user(project, relationship)
        with connection.cursor() as cursor:
            cursor.execute("RESET lock_timeout")

    assert not Relationship.objects.filter(id=first.id).exists()
    assert Message.objects.filter(relationship_id=second.id).exists()

    erase_this_user(project, relationship)

    assert not Relationship.objects.exists() and not Message.objects.exists()
    assert not EndUser.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_turn_that_comes_in_meanwhile_finds_nothing_to_join(
    relationship: Relationship, project: Project
) -> None:
    """It waits for the lock of the relationship's row, and then there is none."""
    refused: list[type[BaseException]] = []

    def say_meanwhile() -> None:
        try:
            say(relationship, "Am I too late?")
        except NotFound as error:
            refused.append(type(error))
        finally:
            connections.close_all()

    with transaction.atomic():
        erase_this_relationship(project, relationship)
        speaker = threading.Thread(target=say_meanwhile)
        speaker.start()
        wait_until(lambda: waiting_for_locks() == 1, what="the turn to wait")
    speaker.join(timeout=10)

    assert refused == [NotFound]
    assert not Turn.objects.exists()


def test_an_answer_on_its_way_finds_nothing_to_write_to(
    conversation: Conversation, scripted_provider: ScriptedProvider, project: Project
) -> None:
    relationship = conversation.relationship

    def erase_meanwhile(_request: object) -> None:
        erase_this_relationship(project, relationship)

    scripted_provider.while_answering = erase_meanwhile
    scripted_provider.answer_with(answer(add("Likes tea")))
    conversation.say("I like tea.")

    drained = conversation.drain()

    assert (drained.applied, drained.failed, scripted_provider.unused) == (0, 0, 0)
    assert rows_of(relationship) == 0


@pytest.mark.django_db(transaction=True)
def test_no_relationship_can_be_made_with_somebody_who_is_being_erased(
    project: Project, companion: Companion, end_user: EndUser
) -> None:
    """Its foreign key must get past the lock of the person's row, whatever order they come in."""
    outcome: list[str] = []

    def meet_meanwhile() -> None:
        try:
            Relationship.objects.create(
                id=relationship_id(companion.id, end_user.id),
                project=project,
                companion=companion,
                user=end_user,
            )
            outcome.append("met")
        except IntegrityError:
            outcome.append("too late")
        finally:
            connections.close_all()

    with transaction.atomic():
        erase_user(project_id=project.id, user_id=end_user.id, by=BY)
        other = threading.Thread(target=meet_meanwhile)
        other.start()
        wait_until(lambda: waiting_for_locks() == 1, what="the new relationship to wait")
    other.join(timeout=10)

    assert outcome == ["too late"]
    assert not Relationship.objects.exists() and not EndUser.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("erase", [erase_this_companion, erase_this_project], ids=["companion", "project"])
def test_an_erasure_ends_although_with_each_who_is_erased_another_arrives(
    erase: Callable[[Project, Relationship], Counts],
    relationship: Relationship,
    project: Project,
    companion: Companion,
) -> None:
    """Until the row of the companion or project is locked."""
    arrived: list[Relationship] = []

    def arrive() -> None:
        with suppress(OperationalError, InvalidInput), connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '100ms'")
            newcomer = EndUser(project=project, external_id=f"newcomer {len(arrived)}")
            arrived.append(pair(project, companion, newcomer))
        connections.close_all()

    def meanwhile(execute: Any, statement: str, *rest: Any) -> Any:
        if statement.startswith('DELETE FROM "relationships_relationship"'):
            assert len(arrived) < 20, "it would never end"
            newcomer = threading.Thread(target=arrive)
            newcomer.start()
            newcomer.join()
        return execute(statement, *rest)

    with connection.execute_wrapper(meanwhile):
        erase(project, relationship)

    assert arrived
    assert not Relationship.objects.exists() and not Companion.objects.exists()


class Held:
    """Another session that holds a relationship's row locked."""

    def __init__(self, relationship_id: UUID) -> None:
        self.connection = connection.copy()
        self.relationship_id = relationship_id

    def __enter__(self) -> None:
        self.connection.set_autocommit(False)
        with self.connection.cursor() as cursor:
            cursor.execute(
                "SELECT 1 FROM relationships_relationship WHERE id = %s FOR UPDATE", [self.relationship_id]
            )

    def __exit__(self, *_: object) -> None:
        self.connection.rollback()
        self.connection.close()


def waiting_for_locks() -> int:
    """Asked in a session of its own: a transaction sees the other sessions as they were when it first looked."""
    onlooker = connection.copy()
    with onlooker.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        count: int = cursor.fetchone()[0]
    onlooker.close()
    return count
