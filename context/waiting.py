"""Layers from plugins, which may wait for anything: each is rendered in a thread, with a deadline."""

from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from time import perf_counter

from django.db import connections
from prometheus_client import Counter

from config import tracing
from config.postgresql.sessions import release_connection
from context.layers.base import Layer, LayerRequest, LayerText
from web.meters import OWN

AT_ONCE = 32  # such layers at once in a process; more than that wait, and are late
LEFT_OUT = Counter(
    "rapport_context_layers_left_out", "Layers that contexts went without.", ["layer", "reason"], registry=OWN
)


class Late(Exception):
    """The layer had no answer within its deadline."""


class Waited:
    """A layer that is being rendered in a thread."""

    def __init__(self, layer: Layer, request: LayerRequest) -> None:
        self._milliseconds = request.configuration.context.layer_timeout_ms
        self._began = perf_counter()
        self._future: Future[LayerText] = _threads().submit(tracing.carried(_render), layer, request)

    def text(self) -> LayerText:
        """Wait for the text. Raises Late, and what the layer raises."""
        if not self._future.done():
            release_connection()
            wait([self._future], timeout=max(0.0, self._milliseconds / 1000 - (perf_counter() - self._began)))
        if not self._future.done():
            self._future.cancel()  # in case it has not begun
            raise Late(f"no answer within {self._milliseconds} ms")
        return self._future.result()


def is_from_plugin(layer: Layer) -> bool:
    """Return whether a layer is from a plugin. Rapport's own have deadlines for what they wait for."""
    return "." in layer.name


def _render(layer: Layer, request: LayerRequest) -> LayerText:
    try:
        return layer.render(request)
    finally:
        connections.close_all()  # this thread's own


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(AT_ONCE, thread_name_prefix="layer")
