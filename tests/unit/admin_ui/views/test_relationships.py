import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from relationships.models import Companion, EndUser, Relationship, Role
from tests.fixtures.markup import squeezed
from tests.fixtures.operators import Browser
from tests.fixtures.people import meet
from tests.fixtures.turns import Conversation
from worker.models import WorkerHeartbeat

LIST = "/admin-ui/relationships/"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", True),
        ("?person=may", True),
        ("?person=nobody", False),
        ("?person=MÄYA o brien", True),
        ("?person=ＯＢＲＩＥＮ’s", True),
        ("?person=anne-marie", False),
        ("?text=PORTO", True),
        ("?text=Lisbon", False),
        ("?waits=1", False),
        ("?companion=no-id", True),
        ("?type=other", True),
        ("?type=preference", False),
    ],
)
def test_a_relationship_is_found_by_person_and_by_what_is_remembered(
    viewer: Client, relationship: Relationship, conversation: Conversation, query: str, found: bool
) -> None:
    conversation.remember("Lives in Porto")
    EndUser.objects.filter(id=relationship.user_id).update(display_name="Maya O'Brién")

    assert (str(relationship.id) in viewer.get(LIST + query).content.decode()) is found


def test_the_workers_have_a_page_and_the_overview_a_part_of_it(
    viewer: Client, relationship: Relationship
) -> None:
    now = timezone.now()
    WorkerHeartbeat.objects.create(name="alive-1", started_at=now, beat_at=now)
    WorkerHeartbeat.objects.create(name="silent-2", started_at=now, beat_at=now - timedelta(minutes=9))
    part = {"HX-Request": "true", "HX-Target": "status"}

    page = squeezed(viewer.get("/admin-ui/status/"))

    assert "<h1>Workers</h1>" in page
    assert re.findall(r"<code>([^<]+)</code>.*?>(running|not responding)<", page) == [
        ("alive-1", "running"),
        ("silent-2", "not responding"),
    ]
    assert "alive-1" not in viewer.get("/admin-ui/status/", headers=part).content.decode()
    for leads_there in ("/admin-ui/", "/admin-ui/find/?q=work"):
        assert re.search(r'href="/admin-ui/status/">.*Workers', squeezed(viewer.get(leads_there)))


def test_a_hit_shows_its_line_and_two_companions_of_one_name_are_told_apart(
    viewer: Client, relationship: Relationship, conversation: Conversation
) -> None:
    twin = Companion.objects.create(
        project=relationship.project, slug="its-twin", name=relationship.companion.name
    )
    meet(twin)
    (entry,) = conversation.remember("Since the summer she plays the sackbut in a band")

    hit = viewer.get(f"{LIST}?text=sack").content.decode()
    everybody = viewer.get(LIST).content.decode()

    assert "Since the summer she plays the <mark>sackbut</mark> in a band" in hit
    assert f"/entries/{entry.id}/" in hit
    assert "1 relationship<" in hit
    assert "2 relationships<" in everybody
    table = everybody.partition("<tbody>")[2]
    assert f"<bdi>{relationship.companion.slug}</bdi>" in table
    assert "<bdi>its-twin</bdi>" in table


def test_the_list_is_sorted(viewer: Client, relationship: Relationship) -> None:
    EndUser.objects.filter(id=relationship.user_id).update(display_name="ben")
    for name in ("Zoe", "Ana"):
        EndUser.objects.filter(id=meet(relationship.companion).user_id).update(display_name=name)

    def names(order: str) -> list[str]:
        table = viewer.get(f"{LIST}?order={order}").content.decode().partition("<tbody>")[2]
        return re.findall(r"<bdi>(ben|Zoe|Ana)</bdi></a>", table)

    assert names("person") == ["Ana", "ben", "Zoe"]
    assert names("-person") == ["Zoe", "ben", "Ana"]
    assert names("-created") == ["Ana", "Zoe", "ben"]
    assert sorted(names("nonsense")) == ["Ana", "Zoe", "ben"]


@pytest.mark.parametrize(("role", "offered"), [(Role.VIEWER, False), (Role.OWNER, True)])
def test_actions_are_found_by_who_may_do_them(signed_in: Browser, role: Role, offered: bool) -> None:
    window = signed_in(role)

    for words, action in (("api", "Create API key"), ("erase", "Erase a person: choose the relationship")):
        assert (action in window.get(f"/admin-ui/find/?q={words}").content.decode()) is offered
