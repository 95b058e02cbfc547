from tests.unit.demo.rest_in_process import rest, transport

__all__ = ["rest", "transport"]
