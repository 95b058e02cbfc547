"""The implementation of the functions in config.tracing, if tracing is on."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from functools import lru_cache
from threading import Thread
from time import time_ns
from typing import Any
from uuid import UUID

from django.db.backends.signals import connection_created
from opentelemetry import context as contexts
from opentelemetry import propagate, trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.instrumentation.asgi import OpenTelemetryMiddleware
from opentelemetry.instrumentation.httpx import HTTPX2ClientInstrumentor
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult
from opentelemetry.trace import Link, NonRecordingSpan, SpanContext, SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from config import environment as env
from config.tracing import NOTHING, Attributes, P, R
from config.tracing.exporter import WordlessExporter, bare

_BEGINNING = (SpanKind.SERVER, SpanKind.CONSUMER)
_METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
_NOT_TRACED = "/(healthz|readyz|readyz/worker|metrics)$,/static/"
_LONGEST = 1000  # characters of a statement
_LITERAL = re.compile(r"'(?:[^']|'')*'")
_WHAT = re.compile(r"\b(SELECT|INSERT|UPDATE|DELETE)\b", re.IGNORECASE)
_TABLE = re.compile(r'\b(?:FROM|INTO|UPDATE)\s+"?([a-z_]+)\b(?!\s*\()', re.IGNORECASE)
_LAST_SECONDS = 1.0  # to send the rest, so that an unreachable collector does not keep a process from ending


class Recorder:
    """Records the spans of one process. `process` is the suffix of its service name."""

    def __init__(self, process: str) -> None:
        service = env.text("OTEL_SERVICE_NAME") or f"rapport-{process}"
        self._provider = TracerProvider(
            resource=Resource.create({SERVICE_NAME: service}), shutdown_on_exit=False
        )
        self._provider.sampler = _NothingAlone(self._provider.sampler)
        self._provider.add_span_processor(BatchSpanProcessor(WordlessExporter(OTLPSpanExporter())))
        self._tracer = self._provider.get_tracer("rapport")
        propagate.set_global_textmap(_TRACEPARENT)
        connection_created.connect(self._trace_statements)
        self._http = HTTPX2ClientInstrumentor()  # the HTTP client of all vendors' SDKs
        self._http.instrument(tracer_provider=self._provider)

    def close(self) -> None:
        connection_created.disconnect(self._trace_statements)
        self._http.uninstrument()
        sending = Thread(target=self._provider.shutdown, daemon=True)
        sending.start()
        sending.join(_LAST_SECONDS)

    # --- spans

    def span(
        self, name: str, attributes: Attributes, *, outward: bool = False
    ) -> AbstractContextManager[None]:
        if not trace.get_current_span().is_recording():
            return NOTHING
        return self._within(name, attributes, SpanKind.CLIENT if outward else SpanKind.INTERNAL)

    @contextmanager
    def received(
        self, name: str, traceparents: Sequence[str | None], since: datetime | None, attributes: Attributes
    ) -> Iterator[None]:
        began = time_ns()
        parents = [_context_of(given) for given in dict.fromkeys(filter(None, traceparents))]
        first, *others = parents or [Context()]
        if since is not None:
            for parent in parents:
                self._waited("wait for a worker", int(since.timestamp() * 1e9), began, parent)
        links = [Link(_span_of(other)) for other in others]
        span: Any = None
        try:
            with self._within(name, attributes, SpanKind.CONSUMER, context=first, links=links):
                span = trace.get_current_span()
                yield
        finally:
            for other in others:
                told = getattr(span, "attributes", None) or attributes
                self._made(
                    name, began, told, SpanKind.CONSUMER, context=other, links=[Link(span.get_span_context())]
                )

    @contextmanager
    def _within(self, name: str, attributes: Attributes, kind: SpanKind, **more: Any) -> Iterator[None]:
        with self._tracer.start_as_current_span(
            name,
            kind=kind,
            attributes=_plain(attributes),
            record_exception=False,
            set_status_on_exception=False,
            **more,
        ):
            try:
                yield
            except Exception as error:
                self.note({"error.type": type(error).__qualname__})
                raise

    def past(self, name: str, since: float, attributes: Attributes) -> None:
        if trace.get_current_span().is_recording():
            self._made(name, int(since * 1e9), attributes, SpanKind.CLIENT)

    def _made(self, name: str, since: int, attributes: Attributes, kind: SpanKind, **more: Any) -> None:
        span = self._tracer.start_span(
            name, kind=kind, attributes=_plain(attributes), start_time=since, **more
        )
        if "error.type" in attributes:
            span.set_status(StatusCode.ERROR)
        span.end()

    def _waited(self, name: str, since: int, until: int, parent: Context) -> None:
        if since < until:
            self._tracer.start_span(name, context=parent, start_time=since).end(until)

    def note(self, attributes: Attributes) -> None:
        span = trace.get_current_span()
        if span.is_recording():
            span.set_attributes(_plain(attributes))
            if "error.type" in attributes:
                span.set_status(StatusCode.ERROR)

    # --- statements: by Django's hook, as psycopg's instrumentation doesn't see the cursors that prepare

    def _trace_statements(self, connection: Any, **_: Any) -> None:
        if self._statement not in connection.execute_wrappers:
            connection.execute_wrappers.append(self._statement)

    def _statement(
        self, execute: Callable[..., Any], sql: Any, parameters: Any, many: bool, context: dict[str, Any]
    ) -> Any:
        if not trace.get_current_span().is_recording():
            return execute(sql, parameters, many, context)
        name, text = described(sql if isinstance(sql, str) else sql.as_string())
        with self.span(name, {"db.system.name": "postgresql", "db.query.text": text}, outward=True):
            result = execute(sql, parameters, many, context)
            rows = context["cursor"].rowcount
            self.note({"db.response.returned_rows": rows if rows >= 0 else None})
            return result

    # --- from thread to thread, and from process to process

    def carried(self, work: Callable[P, R], wait: str) -> Callable[P, R]:
        """Carry over the span only; the rest of the context, such as a deadline, belongs to its own thread."""
        context, since = contexts.get_current(), time_ns()

        def carried(*args: P.args, **named: P.kwargs) -> R:
            token = contexts.attach(context)
            try:
                if wait and trace.get_current_span().is_recording():
                    self._waited(wait, since, time_ns(), context)
                return work(*args, **named)
            finally:
                contexts.detach(token)

        return carried

    def traceparent(self) -> str | None:
        carrier: dict[str, str] = {}
        _TRACEPARENT.inject(carrier)
        return carrier.get("traceparent")

    # --- requests

    def serving(self, application: Any) -> Any:
        return OpenTelemetryMiddleware(
            application,
            excluded_urls=_NOT_TRACED,
            # Not the path, which may contain a name; `route` adds the pattern when it is known.
            default_span_details=lambda scope: (_method(scope["method"]), {}),
            tracer_provider=self._provider,
            exclude_spans=["receive", "send"],
        )

    def route(self, method: str, route: str, named: Attributes) -> None:
        span = trace.get_current_span()
        if span.is_recording():
            span.update_name(f"{_method(method)} /{route}")
            ids = {f"rapport.{name}": value for name, value in named.items() if isinstance(value, UUID)}
            span.set_attributes(_plain({"http.route": f"/{route}", **ids}))


class _Traceparent(TraceContextTextMapPropagator):
    """Accepts no baggage and no trace state: a client may write anything there, which would be passed on."""

    def extract(self, carrier: Any, context: Context | None = None, *args: Any, **named: Any) -> Context:
        found = super().extract(carrier, context, *args, **named)
        given = _span_of(found)
        return trace.set_span_in_context(NonRecordingSpan(bare(given)), found) if given.is_valid else found


class _NothingAlone(Sampler):
    """Lets only requests and queued work begin a trace; whether they do, the standard sampler decides."""

    def __init__(self, sampler: Sampler) -> None:
        self._sampler = sampler

    def should_sample(
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        *rest: Any,
        **named: Any,
    ) -> SamplingResult:
        if kind not in _BEGINNING and not _span_of(parent_context).is_valid:
            return SamplingResult(Decision.DROP)
        return self._sampler.should_sample(parent_context, trace_id, name, kind, *rest, **named)

    def get_description(self) -> str:
        return self._sampler.get_description()


_TRACEPARENT = _Traceparent()


def _context_of(traceparent: str) -> Context:
    return _TRACEPARENT.extract({"traceparent": traceparent})


def _span_of(context: Context | None) -> SpanContext:
    """The span of `context`, or the present one."""
    return trace.get_current_span(context).get_span_context()


@lru_cache(maxsize=2048)
def described(sql: str) -> tuple[str, str]:
    """A statement's name, such as `UPDATE relationships_turn`, and its text with placeholders and without literals."""
    text = _LITERAL.sub("?", " ".join(sql.split()))
    what, table = _WHAT.search(text), _TABLE.search(text)
    words = ((what and what[1].upper()) or (text.split() or ["statement"])[0].upper(), table and table[1])
    return " ".join(word for word in words if word), text[:_LONGEST]


def _method(given: str | None) -> str:
    return given if given in _METHODS else "HTTP"


def _plain(attributes: Attributes) -> dict[str, Any]:
    """Convert attributes for OpenTelemetry: IDs to texts, without None."""
    return {
        name: str(value) if isinstance(value, UUID) else value
        for name, value in attributes.items()
        if value is not None
    }
