"""The project's audit events, and their export as a CSV file."""

import csv
from collections.abc import Iterator
from typing import Any

import orjson
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse

from admin_ui.access import OperatorView
from admin_ui.audit_names import kind_called, named_events
from admin_ui.paging import Sort, page_of
from admin_ui.params import text_param
from relationships.models import AuditEvent

EXPORTED = ("recorded_at", "action", "actor_kind", "actor_id", "target_kind", "target_id", "detail")
SORT = Sort(
    {
        "time": ("recorded_at", "id"),
        "action": ("action", "-recorded_at", "-id"),
        "actor": ("actor_id", "-recorded_at", "-id"),
    },
    default="-time",
    bounded=("action", "actor"),
    newest=("-recorded_at", "-id"),
)
ROWS_AT_ONCE = 500
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")  # of cells that a spreadsheet would evaluate


class AuditView(OperatorView):
    def get(self, request: HttpRequest) -> HttpResponseBase:
        rows, params = self._rows(request)
        page = page_of(request, rows, sort=SORT)
        return self.show(
            "audit/list", page=page, events=named_events(page.rows, self.project_id), query=params
        )

    def _rows(self, request: HttpRequest) -> tuple[QuerySet[AuditEvent], dict[str, str]]:
        params = {name: text_param(request.GET, name) for name in ("action", "actor")}
        rows = AuditEvent.objects.filter(project_id=self.project_id)
        for word in params["action"].split():
            rows = rows.filter(action__icontains=kind_called(word))
        if params["actor"]:
            rows = rows.filter(actor_id__icontains=params["actor"])
        return rows, params


class AuditExportView(AuditView):
    def get(self, request: HttpRequest) -> HttpResponseBase:
        rows, _ = self._rows(request)
        return StreamingHttpResponse(
            _lines(rows.order_by("recorded_at", "id")),
            content_type="text/csv; charset=utf-8",
            headers={"Content-Disposition": 'attachment; filename="audit.csv"'},
        )


class _Echo:
    """A file for csv.writer that returns each line instead of storing it."""

    def write(self, line: str) -> str:
        return line


def _lines(rows: QuerySet[AuditEvent]) -> Iterator[str]:
    writer = csv.writer(_Echo())
    yield writer.writerow(EXPORTED)
    for row in rows.values_list(*EXPORTED).iterator(chunk_size=ROWS_AT_ONCE):
        yield writer.writerow([_cell(value) for value in row])


def _cell(value: Any) -> str:
    """Return text that no spreadsheet evaluates as a formula."""
    if isinstance(value, dict):
        return orjson.dumps(value).decode()
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
