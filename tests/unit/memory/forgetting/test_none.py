from memory.forgetting.none import KeepEverything
from relationships.configuration.retrieval import Forgetting
from tests.unit.memory.forgetting.sample import NOW


def test_by_default_time_alone_takes_nothing_away() -> None:
    assert KeepEverything().condition(Forgetting(), NOW) is None
