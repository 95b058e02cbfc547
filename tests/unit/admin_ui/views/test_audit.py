import csv
import io
from collections.abc import Iterable
from typing import cast

from django.http import StreamingHttpResponse
from django.test import Client

from relationships.models import Project
from relationships.services.audit import record_audit
from web.actor import Actor, ActorKind

AUDIT = "/admin-ui/audit/"


def happened(project: Project, action: str, who: str) -> None:
    record_audit(
        project_id=project.id,
        action=action,
        target_kind="user",
        target_id=None,
        by=Actor(ActorKind.OPERATOR, who),
    )


def test_the_trail_is_found_by_what_and_by_who(viewer: Client, project: Project) -> None:
    happened(project, "user.erased", "ana@example.org")
    happened(project, "companion.changed", "bo@example.org")

    shown = viewer.get(f"{AUDIT}?action=erased&actor=ana").content.decode()

    assert "user.erased" in shown
    assert "companion.changed" not in shown


def test_another_projects_trail_is_not_shown(viewer: Client, project: Project) -> None:
    happened(Project.objects.create(name="Other"), "user.erased", "eve@example.org")

    assert "eve@example.org" not in viewer.get(AUDIT).content.decode()


def test_the_trail_is_exported_so_that_no_spreadsheet_runs_it(viewer: Client, project: Project) -> None:
    happened(project, "user.erased", "=HYPERLINK(1)")

    answer = cast(StreamingHttpResponse, viewer.get(f"{AUDIT}export/"))

    text = b"".join(cast(Iterable[bytes], answer.streaming_content)).decode()
    header, row = csv.reader(io.StringIO(text))
    assert header[:4] == ["recorded_at", "action", "actor_kind", "actor_id"]
    assert row[1:4] == ["user.erased", "operator", "'=HYPERLINK(1)"]
