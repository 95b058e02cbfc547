"""OpenTelemetry spans that show where the time of a request or a turn goes.

Tracing is on only if the standard variables say where spans are sent. Otherwise nothing of OpenTelemetry is imported,
and each function here returns at once. A traced process calls `begin` after its last fork.

A span is made only inside another one. A trace begins with a request (`serving`) or with work from a queue's row
(`received`): the row stores the `traceparent` of the request that created it, so that the worker continues its trace.

No span contains anything a person said: config.tracing.exporter lists what is sent.
"""

import atexit
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from importlib.util import find_spec
from multiprocessing import util
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from config import environment as env

if TYPE_CHECKING:
    from config.tracing.recorder import Recorder

P = ParamSpec("P")
R = TypeVar("R")
Attributes = Mapping[str, Any]

NOTHING: AbstractContextManager[None] = nullcontext()
_NONE: Attributes = {}
_PACKAGES = ("sdk", "exporter.otlp.proto.http", "instrumentation.asgi", "instrumentation.httpx")
_recorder: "Recorder | None" = None


def wanted() -> bool:
    """Return whether the standard variables ask for tracing. `manage.py check` reports what is wrong with them."""
    traces, all_signals = (
        env.text("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
        env.text("OTEL_EXPORTER_OTLP_ENDPOINT"),
    )
    variable = f"OTEL_EXPORTER_OTLP_{'TRACES_' if traces else ''}ENDPOINT"
    endpoint = traces or all_signals
    exporter = env.one_of("OTEL_TRACES_EXPORTER", "otlp", ("otlp", "none"))
    off = env.flag("OTEL_SDK_DISABLED", False) or exporter == "none"
    if not endpoint or off:
        return False
    if not endpoint.startswith(("http://", "https://")):
        env.problem(variable, f"is not an address: {endpoint!r}", "write http://host:4318")
        return False
    protocol = env.text("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") or env.text("OTEL_EXPORTER_OTLP_PROTOCOL")
    if protocol not in ("", "http/protobuf"):
        way_out = "write http/protobuf, and the collector's port for it, mostly 4318"
        env.problem("OTEL_EXPORTER_OTLP_PROTOCOL", f"is {protocol!r}, which is not supported here", way_out)
        return False
    if not all(_is_installed(f"opentelemetry.{name}") for name in _PACKAGES):
        way_out = "run .venv/bin/pip install -r requirements-tracing.txt, or take the variable away"
        env.problem(variable, "is set, and the packages that send traces are not installed", way_out)
        return False
    return True


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # a parent package is missing
        return False


def begin(process: str) -> None:
    """Trace this process, `web` or `worker`, if wanted. Call it after the last fork, as it starts a thread."""
    global _recorder
    if _recorder is None and wanted():
        # Without this the instrumentations use attribute names from before 2023.
        os.environ.setdefault("OTEL_SEMCONV_STABILITY_OPT_IN", "http")
        from config.tracing.recorder import Recorder

        _recorder = Recorder(process)
        # The first is for ordinary processes, the second for children of multiprocessing.
        atexit.register(end)
        util.Finalize(None, end, exitpriority=0)  # after finalizers that make spans


def end() -> None:
    """Send the remaining spans, for at most a second, and stop tracing."""
    global _recorder
    recorder, _recorder = _recorder, None
    if recorder is not None:
        recorder.close()


def span(name: str, attributes: Attributes = _NONE) -> AbstractContextManager[None]:
    """A span around a part of the present one. Of an error only its class is noted."""
    return NOTHING if _recorder is None else _recorder.span(name, attributes)


def calling(name: str, attributes: Attributes = _NONE) -> AbstractContextManager[None]:
    """A span around a call to a model or to a developer's server."""
    return NOTHING if _recorder is None else _recorder.span(name, attributes, outward=True)


def past(name: str, since: float, attributes: Attributes = _NONE) -> None:
    """A span for a call from `since` (`time.time()`) until now. For generators, which can't use `calling`."""
    if _recorder is not None:
        _recorder.past(name, since, attributes)


def note(attributes: Attributes) -> None:
    """Add attributes to the present span. With an `error.type` it counts as failed."""
    if _recorder is not None:
        _recorder.note(attributes)


def received(
    name: str, traceparents: Sequence[str | None], *, since: datetime | None, attributes: Attributes = _NONE
) -> AbstractContextManager[None]:
    """A span around work from queued rows, due `since` then: in the first row's trace, linked from the others'."""
    return NOTHING if _recorder is None else _recorder.received(name, traceparents, since, attributes)


def carried(work: Callable[P, R], *, wait: str = "") -> Callable[P, R]:
    """Wrap `work` for another thread, so that its spans belong to the present one. `wait`: a span until it starts."""
    return work if _recorder is None else _recorder.carried(work, wait)


def traceparent() -> str | None:
    """The present span's ID for a queue's row or for an outgoing request (W3C Trace Context)."""
    return None if _recorder is None else _recorder.traceparent()


def trace_id(traceparent: str | None) -> str:
    """The trace ID in a row's `traceparent`, 32 hexadecimal digits; "" if the trace was not sent."""
    _, trace, _, flags = (traceparent or "---").split("-")
    return trace if flags[-1:] in tuple("13579bdf") else ""


def route(method: str, route: str, named: Attributes) -> None:
    """Name the present request's span by its URL pattern, with the IDs in its URL as attributes."""
    if _recorder is not None:
        _recorder.route(method, route, named)


def serving(application: Any) -> Any:
    """Wrap the ASGI application, so that each request is a span from its arrival to the end of its answer."""
    return application if _recorder is None else _recorder.serving(application)
