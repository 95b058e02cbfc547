"""Every call below a relationship asks the node that has it, and of that its own shard. `make test-citus` runs this."""

from relationships.models import Relationship
from tests.fixtures.api import Api
from tests.fixtures.distributed import only_distributed, statements_sent
from tests.integration.api.walks.test_isolation import OWNED, Route, ask, walk
from tests.integration.api.world import World

pytestmark = only_distributed
# docs/how-to/distribute.md says them too.
ELSEWHERE: dict[str, str] = {}


def test_a_call_below_a_relationship_asks_its_own_shard(
    api: Api, relationship: Relationship, world: World
) -> None:
    assert api.get(f"/relationships/{relationship.id}").status == 200  # notes that the key was used

    def hold(route: Route) -> None:
        with statements_sent() as sent:
            answer = ask(api, world.address(route.path), route)

        assert answer.status < 500, answer
        beside = sent.beside(relationship.id)
        assert bool(beside) == (route.id in ELSEWHERE), "\n".join(beside)

    walk([route for route in OWNED if "{relationship_id}" in route.path], hold)
