import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from relationships.models import Relationship
from tests.fixtures.turns import Conversation


@pytest.fixture
def page(relationship: Relationship) -> str:
    return f"/admin-ui/relationships/{relationship.id}/context/"


def test_the_page_shows_each_layer_and_links_what_it_was_made_of(
    viewer: Client,
    page: str,
    conversation: Conversation,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    entry = conversation.remember("Is allergic to peanuts")[0]

    with django_assert_max_num_queries(12):
        shown = viewer.get(f"{page}?message=What+can+I+cook").content.decode()

    assert f"/entries/{entry.id}/" in shown
    assert "whole scratchpad, newest first" in shown
    assert "What can I cook" in shown
    assert "Empty layers: " in shown
    assert "<h2>profile</h2>" not in shown


def test_looking_stores_nothing(viewer: Client, page: str, relationship: Relationship) -> None:
    viewer.get(f"{page}?message=Hello&session=nobody%00s")

    relationship.refresh_from_db()
    assert relationship.last_seq == 0
