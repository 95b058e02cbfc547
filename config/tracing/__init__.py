"""Where the time of a request or a turn goes, told to OpenTelemetry as spans.

Off unless the standard variables name where spans are sent; then nothing of OpenTelemetry is imported, and each
function here returns at once. A process that is traced says `begin`, after its last fork.

A span is made only inside another one. What begins a trace is a request (`serving`) or work that a row owes
(`received`): the row keeps the `traceparent` of the request that owed it, so that the worker goes on with its trace.

No span holds anybody's words: config.tracing.exporter has the list of what is sent, and leaves out all else.
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
    """Whether spans are to be sent, by the standard variables. What is wrong with them, `manage.py check` tells."""
    traces, all_signals = (
        env.text("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"),
        env.text("OTEL_EXPORTER_OTLP_ENDPOINT"),
    )
    variable = f"OTEL_EXPORTER_OTLP_{'TRACES_' if traces else ''}ENDPOINT"
    endpoint = traces or all_signals
    off = env.flag("OTEL_SDK_DISABLED", False) or env.text("OTEL_TRACES_EXPORTER", "otlp").lower() == "none"
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
    except ModuleNotFoundError:  # a package above it is missing
        return False


def begin(process: str) -> None:
    """Trace this process, `web` or `worker`, if that is wanted. After its last fork: a thread of its own sends."""
    global _recorder
    if _recorder is None and wanted():
        # Without a word about stability the instrumentations speak the names of before 2023.
        os.environ.setdefault("OTEL_SEMCONV_STABILITY_OPT_IN", "http")
        from config.tracing.recorder import Recorder

        _recorder = Recorder(process)
        # Either may be how a process ends: its own way, or as a child of multiprocessing.
        atexit.register(end)
        util.Finalize(None, end, exitpriority=0)  # after what ends with a span of its own


def end() -> None:
    """Send what is still here, for a second at most, and trace no more."""
    global _recorder
    recorder, _recorder = _recorder, None
    if recorder is not None:
        recorder.close()


def is_on() -> bool:
    return _recorder is not None


def span(name: str, attributes: Attributes = _NONE) -> AbstractContextManager[None]:
    """A part of what is going on. An error that passes is noted by its class alone."""
    return NOTHING if _recorder is None else _recorder.span(name, attributes)


def calling(name: str, attributes: Attributes = _NONE) -> AbstractContextManager[None]:
    """The same, of a call to a model or to a developer's server."""
    return NOTHING if _recorder is None else _recorder.span(name, attributes, outward=True)


def past(name: str, since: float, attributes: Attributes = _NONE) -> None:
    """A call that was under way since then (`time.time()`), and has ended. For generators, which can't be `calling`."""
    if _recorder is not None:
        _recorder.past(name, since, attributes)


def note(attributes: Attributes) -> None:
    """More about the present span. An `error.type` among them: it failed."""
    if _recorder is not None:
        _recorder.note(attributes)


def received(
    name: str, traceparents: Sequence[str | None], *, since: datetime | None, attributes: Attributes = _NONE
) -> AbstractContextManager[None]:
    """Work that rows owed `since` then, goes on in the trace of the first; those of the others link to it."""
    return NOTHING if _recorder is None else _recorder.received(name, traceparents, since, attributes)


def carried(work: Callable[P, R], *, wait: str = "") -> Callable[P, R]:
    """`work`, for another thread, as a part of the present span. `wait`: names the time until it begins."""
    return work if _recorder is None else _recorder.carried(work, wait)


def traceparent() -> str | None:
    """The present span, for a row that owes work or for a request to elsewhere (W3C Trace Context)."""
    return None if _recorder is None else _recorder.traceparent()


def trace_id(traceparent: str | None) -> str:
    """The trace of a row's `traceparent`, 32 hexadecimal digits, if it was sent; else nothing."""
    _, trace, _, flags = (traceparent or "---").split("-")
    return trace if flags[-1:] in tuple("13579bdf") else ""


def route(method: str, route: str, named: Attributes) -> None:
    """What the present request turned out to ask for: its pattern, and the IDs in its address."""
    if _recorder is not None:
        _recorder.route(method, route, named)


def serving(application: Any) -> Any:
    """The ASGI application, each request of which is a span from its arrival to the end of its answer."""
    return application if _recorder is None else _recorder.serving(application)
