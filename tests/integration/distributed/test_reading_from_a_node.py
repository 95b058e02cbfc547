"""Contexts and searches that any node answers, so that the coordinator need not. `make test-citus` runs this."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection, transaction

from config.checks import check_replica
from config.embedded_postgres.layout import socket_dir
from config.postgresql.replica import Unfit, replica
from scripts import citus
from tests.fixtures.api import Api
from tests.fixtures.distributed import only_distributed
from tests.fixtures.replica import replica_at
from tests.fixtures.turns import Conversation

pytestmark = [only_distributed, pytest.mark.django_db(transaction=True)]


@pytest.fixture(params=["worker1", "worker2"])
def node(request: pytest.FixtureRequest) -> Iterator[None]:
    with replica_at(HOST=str(socket_dir(citus.FOLDER / request.param))):
        yield


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("context", {"message": "Which tea?", "format": "text"}),
        ("entries/search", {"query": "Which tea?"}),
        ("messages/search", {"query": "Which tea?"}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_node_shows_what_was_written_a_moment_ago(
    api: Api, conversation: Conversation, node: None, path: str, body: dict[str, Any]
) -> None:
    for kind in ("green", "black", "white"):
        conversation.remember(f"Drinks {kind} tea")
        conversation.say(f"I drink {kind} tea.")

        answer = api.post(
            f"/relationships/{conversation.relationship.id}/{path}", {**body, "consistency": "eventual"}
        )

        assert answer.body["read"] == {"database": "replica", "age_ms": 0.0, "reason": None}
        assert f"{kind} tea" in answer.raw.decode()


def test_a_node_searches_documents(api: Api, conversation: Conversation, node: None) -> None:
    companion = conversation.relationship.companion_id

    answer = api.post(
        f"/companions/{companion}/documents/search", {"query": "tea", "consistency": "eventual"}
    )

    assert (answer.status, answer.body["read"]["database"]) == (200, "replica")


def test_a_node_is_fit_while_it_knows_what_the_coordinator_knows(node: None) -> None:
    assert check_replica(databases=["default"]) == []
    assert replica.age() == 0
    replica._node_until = 0.0  # a second later
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("UPDATE pg_dist_node SET metadatasynced = false WHERE groupid <> 0")
        with pytest.raises(Unfit, match="neither a standby nor a node"):
            replica.age()
        transaction.set_rollback(True)


def test_a_node_that_does_not_answer_is_not_read(api: Api, conversation: Conversation) -> None:
    with replica_at(HOST=str(citus.FOLDER / "nowhere")):
        answer = api.post(
            f"/relationships/{conversation.relationship.id}/context", {"consistency": "eventual"}
        )
        assert answer.body["read"] == {"database": "primary", "age_ms": 0.0, "reason": "away"}
