from uuid import UUID

from django.conf import settings
from django.http import StreamingHttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from relationships.api.views import ApiView
from upkeep.archive.document import Archive
from upkeep.archive.file import ArchiveFile
from upkeep.exporting import export_relationship
from upkeep.importing import import_relationship
from web.fields import Answer, Query
from web.operations import operation
from web.parsing import JSON, read_json

TAG = "Relationships"

# How much deeper a profile or metadata is nested in an archive than in the request that brought it.
ARCHIVE_DEPTH = 8


class ExportQuery(Query):
    calls: bool = False
    """With every prompt and answer of the models."""


class ImportedAnswer(Answer):
    imported: dict[str, int]
    """Rows by table."""


class ExportView(ApiView):
    http_method_names = ["get"]  # for a HEAD the whole document would be written and thrown away

    @operation("relationships_export", "Export a relationship", answers={200: Archive})
    def get(self, request: Request, relationship_id: UUID, query: ExportQuery) -> StreamingHttpResponse:
        """Returns everything as one JSON document: configuration, profile, sessions, turns with messages and
        operations, entries, their whole history, held deletions. It is streamed: a body that breaks off is
        incomplete.
        """
        relationship = self.get_relationship(relationship_id)
        return StreamingHttpResponse(
            export_relationship(relationship_id=relationship.id, calls=query.calls),
            content_type=JSON,
            headers={"Content-Disposition": f'attachment; filename="relationship-{relationship.id}.json"'},
        )


class ImportView(ApiView):
    def max_body_bytes(self) -> int:
        limit: int = settings.MAX_IMPORT_BYTES
        return limit

    def max_depth(self) -> int:
        return super().max_depth() + ARCHIVE_DEPTH

    @operation(
        "relationships_import",
        "Import a relationship",
        body=Archive,
        answers={200: ImportedAnswer},
        problems=(409,),
    )
    def post(self, request: Request, relationship_id: UUID) -> Response:
        """Imports an export from any project, on this installation or another, into a relationship that holds nothing
        yet. Everything is imported or nothing.

        IDs and both times stay. Pending turns are read here. An entry needs only a type and a content. Times in the
        future are refused, and so are more active entries than `ingestion.max_entries` allows.
        """
        raw = read_json(request, limit=self.max_body_bytes())
        relationship = self.get_relationship(relationship_id, "companion", "project")
        archive = ArchiveFile(raw, depth=self.max_depth())
        imported = import_relationship(relationship=relationship, archive=archive, by=self.actor)
        return self.answer({"imported": imported})
