"""How fresh a context or a search has to be: what may be asked, and what the answer says of where it was read."""

from typing import Any

import pytest

from relationships.models import Companion, Relationship
from tests.fixtures.api import Api
from tests.fixtures.distributed import DISTRIBUTED
from tests.fixtures.replica import NOBODY_LISTENS, replica_at

CALLS: dict[str, dict[str, Any]] = {
    "/relationships/{relationship}/context": {},
    "/relationships/{relationship}/entries/search": {"query": "tea"},
    "/relationships/{relationship}/messages/search": {"query": "tea"},
    "/companions/{companion}/documents/search": {"query": "tea"},
}
pytestmark = pytest.mark.parametrize(("path", "body"), CALLS.items(), ids=list(CALLS))


@pytest.fixture
def at(path: str, relationship: Relationship, companion: Companion) -> str:
    return path.format(relationship=relationship.id, companion=companion.id)


def test_a_call_is_read_from_the_primary_unless_it_says_otherwise(
    api: Api, at: str, body: dict[str, Any]
) -> None:
    for consistency, reason in (("strong", None), ("eventual", "none")):
        answer = api.post(at, {**body, "consistency": consistency})
        assert answer.body["read"] == {"database": "primary", "age_ms": 0.0, "reason": reason}
    assert api.post(at, body).body["read"]["reason"] is None


def test_another_word_is_refused(api: Api, at: str, body: dict[str, Any]) -> None:
    for consistency in ("Eventual", "", None, 1):
        answer = api.post(at, {**body, "consistency": consistency})
        assert (answer.status, answer.fields) == (422, ["consistency"])


def test_a_replica_that_is_away_or_none_leaves_the_primary_to_answer(
    api: Api, at: str, body: dict[str, Any]
) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [(NOBODY_LISTENS, "away")]
    if not DISTRIBUTED:  # there each node may be asked
        wrong.append(({}, "foreign"))
    for where, reason in wrong:
        with replica_at(**where):
            answer = api.post(at, {**body, "consistency": "eventual"})
        assert (answer.status, answer.body["read"]["database"]) == (200, "primary")
        assert answer.body["read"]["reason"] == reason
