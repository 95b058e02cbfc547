from tests.unit.memory.retrieval.large.conftest import indexes, make_large, small_limit

__all__ = ["indexes", "make_large", "small_limit"]
