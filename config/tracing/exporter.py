"""What is sent of a span: what stands in the lists here, and nothing else.

Instrumentations note addresses, query strings, headers and the texts of errors, any of which may quote a person. So
what leaves this process is not left to them, nor to whoever makes a span.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import Link, SpanContext, Status

# By the semantic conventions of OpenTelemetry. What we note ourselves are IDs, counts and words of closed sets.
SENT = {
    *("http.request.method", "http.response.status_code", "http.route", "error.type"),
    *("db.system.name", "db.query.text", "db.response.returned_rows"),
    *("gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model"),
    *("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"),
}
OURS = "rapport."


class WordlessExporter(SpanExporter):
    """Hands on what may be sent, to the exporter that sends it."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return self._exporter.export([_wordless(span) for span in spans])

    def shutdown(self) -> None:
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._exporter.force_flush(timeout_millis)


def _wordless(span: ReadableSpan) -> ReadableSpan:
    """Without events, which tell of errors in the errors' own words; so does the description of a status."""
    return ReadableSpan(
        name=span.name,
        context=bare(span.context),
        parent=bare(span.parent),
        resource=span.resource,
        attributes=_allowed(span.attributes or {}),
        links=[Link(bare(link.context)) for link in span.links],
        kind=span.kind,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


def _allowed(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if name in SENT or name.startswith(OURS)}


def bare(context: SpanContext | None) -> Any:
    """Without the trace state, which is whatever a client wrote."""
    if context is None:
        return None
    return SpanContext(context.trace_id, context.span_id, context.is_remote, context.trace_flags)
