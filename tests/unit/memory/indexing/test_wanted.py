import pytest
from django.db import transaction
from pytest_django import DjangoAssertNumQueries

from memory.indexing.wanted import lock_config, retrieval_of, wanted_of
from relationships.configuration.retrieval import Retrieval
from relationships.ids import uuid7
from relationships.models import Relationship
from tests.fixtures.index import configure


def test_the_levels_below_a_turn_decide() -> None:
    found = retrieval_of({"retrieval": {"language": "german"}}, {}, {"retrieval": {"embedder": "offline"}})

    assert (found.language, found.embedder) == ("german", "offline")


def test_where_the_levels_have_become_wrong_the_defaults_hold() -> None:
    assert retrieval_of({}, {"retrieval": {"ranker": "lost"}}, {}) == Retrieval()


def test_it_is_read_in_one_query_with_the_names(
    relationship: Relationship, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    configure(relationship, language="german")

    with django_assert_num_queries(1):
        wanted = wanted_of([relationship.id, uuid7()])

    assert [(each.relationship_id, each.names) for each in wanted] == [(relationship.id, ("Maya", "Ada"))]
    assert wanted[0].retrieval is not None
    assert wanted[0].retrieval.language == "german"


def test_a_wrong_configuration_is_told_apart_from_the_defaults(relationship: Relationship) -> None:
    configure(relationship, ranker="lost")

    assert wanted_of([relationship.id])[0].retrieval is None


@pytest.mark.django_db
def test_what_is_not_there_can_not_be_held() -> None:
    with transaction.atomic():
        assert lock_config(uuid7()) is None


def test_who_holds_it_has_the_relationships_lock(relationship: Relationship) -> None:
    with transaction.atomic():
        held = lock_config(relationship.id)

    assert held is not None
    assert held.project_id == relationship.project_id
