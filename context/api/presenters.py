from typing import Any

from context.answer import AssembledContext, LayerReport


def present_context(assembled: AssembledContext) -> dict[str, Any]:
    capacity = assembled.capacity
    return {
        "relationship": assembled.relationship_id,
        "session": assembled.session,
        "assembled_at": assembled.assembled_at,
        "system": assembled.system,
        "messages": assembled.messages,
        "format": assembled.format,
        "rendered": assembled.rendered,
        "layers": [_present_layer(report) for report in assembled.layers],
        "total_tokens": assembled.total_tokens,
        "capacity": capacity
        and {
            "used": capacity.used,
            "budget": capacity.budget,
            "share": capacity.share,
            "detail": capacity.detail,
        },
        "provenance": assembled.provenance,
    }


def _present_layer(report: LayerReport) -> dict[str, Any]:
    left_out = report.left_out
    return {
        "name": report.name,
        "tokens": report.tokens,
        "milliseconds": report.milliseconds,
        "sources": report.sources,
        "reason": report.reason,
        "reasons": report.reasons,
        "left_out": left_out and {"count": left_out.count, "ids": left_out.ids},
    }
