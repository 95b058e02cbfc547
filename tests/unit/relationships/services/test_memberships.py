from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from relationships.models import AuditEvent, Membership, Operator, Project, Role
from relationships.services.memberships import accept_invitation, add_member, change_role, remove_member
from tests.fixtures.distributed import somebody_waits_for_us
from tests.waiting import wait_until
from web.actor import Actor
from web.errors import Conflict, InvalidInput

BY = Actor.policy("a test")
PHRASE = "a rather long phrase"


def let_in(project: Project, email: str = "ana@example.org", role: str = Role.OWNER) -> Membership:
    return add_member(project=project, email=email, role=role, password=PHRASE, by=BY)


@pytest.mark.parametrize(
    ("email", "role", "password", "field"),
    [
        ("no address", Role.VIEWER, PHRASE, "email"),
        ("ana@example.org", "king", PHRASE, "role"),
        ("ana@example.org", Role.VIEWER, "short", "password"),
        ("longname@example.org", Role.VIEWER, "longname@example.org", "password"),
    ],
)
def test_what_is_wrong_is_named(project: Project, email: str, role: str, password: str, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        add_member(project=project, email=email, role=role, password=password, by=BY)

    assert caught.value.problems[0].field == field
    assert not Membership.objects.exists()


def test_nobody_is_let_in_twice(project: Project) -> None:
    let_in(project)

    with pytest.raises(Conflict, match="a member, as owner"):
        let_in(project, email="ANA@example.org ", role=Role.VIEWER)


def test_every_change_is_told_in_the_audit(project: Project) -> None:
    let_in(project)
    member = let_in(project, "bo@example.org", Role.VIEWER)

    change_role(project_id=project.id, membership_id=member.id, role=Role.OWNER, by=BY)
    remove_member(project_id=project.id, membership_id=member.id, by=BY)

    actions = AuditEvent.objects.order_by("recorded_at", "id").values_list("action", "detail__role")
    assert list(actions)[1:] == [
        ("membership.created", "viewer"),
        ("membership.changed", "owner"),
        ("membership.removed", "owner"),
    ]


def test_the_last_owner_who_joined_stays_whoever_else_is_invited_to_be_one(project: Project) -> None:
    owner = let_in(project)
    add_member(project=project, email="bo@example.org", role=Role.OWNER, by=BY)

    with pytest.raises(Conflict, match="no owner left"):
        remove_member(project_id=project.id, membership_id=owner.id, by=BY)


def test_two_links_of_a_new_account_that_are_sent_at_once_set_one_password(project: Project) -> None:
    other = Project.objects.create(name="Other")
    first, second = (
        add_member(project=one, email="bo@example.org", role=Role.VIEWER, by=BY) for one in (project, other)
    )
    accept_invitation(first, name="Bo", password=PHRASE)

    with pytest.raises(Conflict):
        accept_invitation(second, name="Not Bo", password="another long phrase")

    assert Operator.objects.get(email="bo@example.org").check_password(PHRASE)


@pytest.mark.django_db(transaction=True)
def test_who_accepts_while_they_are_invited_again_stays_a_member(project: Project) -> None:
    invited = add_member(project=project, email="bo@example.org", role=Role.VIEWER, by=BY)

    def invite_again() -> None:
        try:
            add_member(project=project, email="bo@example.org", role=Role.VIEWER, by=BY)
        finally:
            connection.close()

    with ThreadPoolExecutor() as pool:
        with transaction.atomic():
            accept_invitation(invited, name="Bo", password=PHRASE)
            other = pool.submit(invite_again)
            wait_until(somebody_waits_for_us, what="the invitation to wait for the acceptance")
        with pytest.raises(Conflict, match="already a member"):
            other.result(30)

    assert Membership.objects.get().invited_at is None


@pytest.mark.django_db(transaction=True)
def test_who_is_invited_twice_at_once_is_invited_once(project: Project) -> None:
    def invite() -> None:
        try:
            add_member(project=project, email="bo@example.org", role=Role.VIEWER, by=BY)
        finally:
            connection.close()

    with ThreadPoolExecutor() as pool:
        with transaction.atomic():
            add_member(project=project, email="bo@example.org", role=Role.VIEWER, by=BY)
            other = pool.submit(invite)
            wait_until(somebody_waits_for_us, what="the other invitation to wait for this one")
        other.result(30)

    assert Membership.objects.get().operator.email == "bo@example.org"
