import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from relationships.models import ApiKey, AuditEvent, Project
from tests.fixtures.api import Api

pytestmark = pytest.mark.django_db


def test_a_project_is_made_and_its_id_printed() -> None:
    out = StringIO()

    call_command("create_project", "Moon Base", stdout=out)

    project = Project.objects.get()
    assert project.name == "Moon Base"
    assert str(project.id) in out.getvalue()
    assert not ApiKey.objects.exists()
    assert AuditEvent.objects.get().actor_id == "manage.py create_project"


def test_with_a_key_the_project_can_be_used_at_once() -> None:
    out = StringIO()

    call_command("create_project", "Moon Base", "--key", stdout=out)

    found = re.search(r"rk_\S+", out.getvalue())
    assert found is not None
    assert Api(found.group()).get("/project").body["name"] == "Moon Base"


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("", "is empty"),
        ("   ", "is empty"),
        ("x" * 201, "longer than 200"),
        ("a\x1b[31mb", "control character"),
        ("a\udcff", "not UTF-8"),
    ],
    ids=["empty", "blank", "long", "colours a terminal", "Latin-1"],
)
def test_a_project_without_a_proper_name_is_not_made(name: str, fault: str) -> None:
    with pytest.raises(CommandError, match=f"the name .*{fault}"):
        call_command("create_project", name)

    assert not Project.objects.exists()


def test_a_second_project_of_the_same_name_is_not_made() -> None:
    call_command("create_project", "Moon Base", stdout=StringIO())

    with pytest.raises(CommandError, match=f"create_api_key {Project.objects.get().id}"):
        call_command("create_project", " Moon Base", "--key")

    assert Project.objects.count() == 1
