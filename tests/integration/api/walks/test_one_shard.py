"""Every call below a relationship asks the node that has it, and of that its own shard. `make test-citus` runs this."""

from typing import Any

import pytest

from relationships.models import Relationship
from tests.fixtures.api import Api
from tests.fixtures.distributed import only_distributed, statements_sent
from tests.integration.api.walks.test_isolation import OWNED, ask
from tests.integration.api.world import World

pytestmark = only_distributed
# docs/how-to/distribute.md says them too.
ELSEWHERE: dict[str, str] = {}


@pytest.mark.parametrize(
    ("method", "path", "described"), [case for case in OWNED if "{relationship_id}" in str(case.values[1])]
)
def test_a_call_below_a_relationship_asks_its_own_shard(
    api: Api, relationship: Relationship, world: World, method: str, path: str, described: Any
) -> None:
    assert api.get(f"/relationships/{relationship.id}").status == 200  # notes that the key was used

    with statements_sent() as sent:
        answer = ask(api, method, world.address(path), described)

    assert answer.status < 500, answer
    assert bool(beside := sent.beside(relationship.id)) == (described["operationId"] in ELSEWHERE), "\n".join(
        beside
    )
