from tests.unit.memory.verification.invariants.conftest import lived  # noqa
from tests.unit.memory.verification.invariants.damage import check_whole


def test_what_the_services_wrote_holds_whole(lived) -> None:
    check_whole()
