import pytest
from django.test import Client

from relationships.models import Relationship
from tests.fixtures.turns import Conversation

LIST = "/admin-ui/relationships/"


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", True),
        ("?person=may", True),
        ("?person=nobody", False),
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

    assert (str(relationship.id) in viewer.get(LIST + query).content.decode()) is found


def test_without_scripts_the_workers_have_a_page(viewer: Client) -> None:
    assert "<h1>Workers</h1>" in viewer.get("/admin-ui/status/").content.decode()
    assert "<h1>" not in viewer.get("/admin-ui/status/", headers={"HX-Request": "true"}).content.decode()
