from memory.forgetting.configuration import Forgetting
from memory.forgetting.none import KeepEverything
from tests.unit.memory.forgetting.sample import NOW


def test_by_default_time_alone_takes_nothing_away() -> None:
    assert KeepEverything().condition(Forgetting(), NOW) is None
