import csv
import io
from collections.abc import Iterable
from typing import cast

from django.http import StreamingHttpResponse
from django.test import Client

from relationships.ids import uuid7
from relationships.models import Operator, Project, Relationship
from relationships.services.api_keys import create_api_key
from relationships.services.audit import audit_row, record_audit
from tests.fixtures.turns import PERSON
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


def test_the_trail_is_exported_so_that_no_spreadsheet_runs_it(viewer: Client, project: Project) -> None:
    happened(project, "user.erased", "=HYPERLINK(1)")

    answer = cast(StreamingHttpResponse, viewer.get(f"{AUDIT}export/"))

    text = b"".join(cast(Iterable[bytes], answer.streaming_content)).decode()
    header, row = csv.reader(io.StringIO(text))
    assert header[:4] == ["recorded_at", "action", "actor_kind", "actor_id"]
    assert row[1:4] == ["user.erased", "operator", "'=HYPERLINK(1)"]


def test_who_and_what_are_named_with_the_way_there(
    viewer: Client, project: Project, relationship: Relationship
) -> None:
    Operator.objects.create_user("ana@example.org", "a phrase", first_name="Ana")
    row, _ = create_api_key(project_id=project.id, name="The app", scopes=["write"], by=PERSON)
    by_key = Actor(ActorKind.DEVELOPER, row.prefix)
    audit_row(relationship, "profile.changed", by_key, version=2)
    audit_row(relationship.companion, "companion.changed", Actor(ActorKind.OPERATOR, "ana@example.org"))
    person = relationship.user
    audit_row(relationship, "profile.changed", Actor(ActorKind.END_USER, str(person.id)), version=3)

    shown = viewer.get(AUDIT).content.decode()

    assert f'<a href="/admin-ui/relationships/{relationship.id}/">' in shown
    assert f'<a href="/admin-ui/companions/{relationship.companion_id}/">' in shown
    assert "<bdi>Ana</bdi>" in shown
    assert f'?person={person.external_id}" title="{person.id}"><bdi>{person}</bdi>' in shown
    assert shown.count("<bdi>The app</bdi>") == 2  # who changed a profile, and what was created
    assert "Profile changed" in shown


def test_what_is_gone_keeps_its_id(viewer: Client, project: Project) -> None:
    gone = uuid7()
    record_audit(project_id=project.id, action="user.erased", target_kind="user", target_id=gone, by=PERSON)

    assert str(gone) in viewer.get(AUDIT).content.decode()
