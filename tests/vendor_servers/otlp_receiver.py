"""A local receiver of traces: it receives spans by OTLP over HTTP, like any collector, and shows them as a tree.

python -m tests.vendor_servers.otlp_receiver --port 4318
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1 import trace_pb2

from tests.loopback import Loopback
from tests.waiting import wait_until


@dataclass(frozen=True, slots=True)
class Span:
    """A span. `links`: pairs (trace, span); `parent`: empty if it begins a trace; times are in seconds."""

    service: str
    trace: str
    id: str
    parent: str
    name: str
    begun: float
    seconds: float
    failed: bool
    attributes: dict[str, Any]
    links: tuple[tuple[str, str], ...]


class OtlpReceiver(Loopback):
    """In a test it is a context manager. `bodies`: the raw bodies."""

    def __init__(self, port: int = 0) -> None:
        self.bodies: list[bytes] = []
        bodies = self.bodies

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                assert self.path == "/v1/traces", self.path
                bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        super().__init__(Handler, port=port)

    @property
    def spans(self) -> list[Span]:
        return sorted(
            (span for body in list(self.bodies) for span in _read(body)), key=lambda span: span.begun
        )

    def trace(self, trace: str) -> list[Span]:
        return [span for span in self.spans if span.trace == trace]

    def wait_for(self, name: str, *, trace: str = "", count: int = 1) -> Span:
        """The last of `count` spans of that name, in this trace or in any."""

        def found() -> list[Span]:
            named = [span for span in self.spans if span.name == name and span.trace.startswith(trace)]
            return named if len(named) >= count else []

        return wait_until(found, timeout=20, what=f"a span {name!r}")[-1]


def children(spans: Sequence[Span], of: Span) -> list[str]:
    """The names of the children, in order of time."""
    return [span.name for span in spans if span.parent == of.id]


def as_tree(spans: Sequence[Span]) -> Iterator[str]:
    """A line for each span, below its parent: start and duration in ms, service, name and attributes."""
    ids = {span.id for span in spans}
    roots = [span for span in spans if span.parent not in ids]
    for root in roots:
        yield from _lines(spans, root, root.begun, 0)


def _lines(spans: Sequence[Span], span: Span, zero: float, depth: int) -> Iterator[str]:
    told = {name: value for name, value in span.attributes.items() if name != "db.query.text"}
    head = f"{1000 * (span.begun - zero):9.1f} {1000 * span.seconds:9.1f}  {span.service:15}"
    yield f"{head} {'  ' * depth}{span.name}{' FAILED' if span.failed else ''}  {told or ''}"
    for child in spans:
        if child.parent == span.id:
            yield from _lines(spans, child, zero, depth + 1)


def _read(body: bytes) -> Iterator[Span]:
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        service = {one.key: one.value.string_value for one in resource.resource.attributes}["service.name"]
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield Span(
                    service,
                    span.trace_id.hex(),
                    span.span_id.hex(),
                    span.parent_span_id.hex(),
                    span.name,
                    span.start_time_unix_nano / 1e9,
                    (span.end_time_unix_nano - span.start_time_unix_nano) / 1e9,
                    span.status.code == trace_pb2.Status.STATUS_CODE_ERROR,
                    {one.key: _value(one.value) for one in span.attributes},
                    tuple((link.trace_id.hex(), link.span_id.hex()) for link in span.links),
                )


def _value(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(one) for one in value.array_value.values]
    return getattr(value, kind) if kind else None


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=4318)
    with OtlpReceiver(parser.parse_args().port) as receiver:
        shown: set[str] = set()
        while True:
            time.sleep(3)
            for trace in dict.fromkeys(span.trace for span in receiver.spans):
                spans = receiver.trace(trace)
                if trace not in shown and time.time() - max(s.begun + s.seconds for s in spans) > 6:
                    shown.add(trace)
                    print(f"\n{trace}", *as_tree(spans), sep="\n", flush=True)
