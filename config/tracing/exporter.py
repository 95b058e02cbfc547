"""Send only what is in the lists here of each span.

Instrumentations add URLs, query strings, headers and the texts of errors, any of which may quote a person. So neither
they nor the code that makes a span decide what leaves this process.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import Link, SpanContext, Status

# From OpenTelemetry's semantic conventions. Our own attributes are IDs, counts and words from closed sets.
SENT = {
    *("http.request.method", "http.response.status_code", "http.route", "error.type"),
    *("db.system.name", "db.query.text", "db.response.returned_rows"),
    *("gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model"),
    *("gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"),
}
OURS = "rapport."


class WordlessExporter(SpanExporter):
    """Passes spans on to another exporter, without what may not be sent."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        return self._exporter.export([_wordless(span) for span in spans])

    def shutdown(self) -> None:
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._exporter.force_flush(timeout_millis)


def _wordless(span: ReadableSpan) -> ReadableSpan:
    """Copy what may be sent: no events and no status description, which contain the texts of errors."""
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
    """Drop the trace state, in which a client may write anything."""
    if context is None:
        return None
    return SpanContext(context.trace_id, context.span_id, context.is_remote, context.trace_flags)
