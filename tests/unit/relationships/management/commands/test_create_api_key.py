import re
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from relationships.models import ApiKey, Project
from tests.fixtures.api import Api


@pytest.mark.parametrize("by", ["id", "name"])
def test_a_key_is_made_for_the_project_that_is_named(project: Project, by: str) -> None:
    out = StringIO()

    call_command(
        "create_api_key", str(getattr(project, by)), "--scopes", "read", "--name", "Laptop", stdout=out
    )

    found = re.search(r"rk_\S+", out.getvalue())
    assert found is not None
    assert Api(found.group()).get("/project").body["id"] == str(project.id)
    assert (ApiKey.objects.get().name, ApiKey.objects.get().scopes) == ("Laptop", ["read"])


def test_a_scope_that_does_not_exist_is_named_with_those_that_do(project: Project) -> None:
    with pytest.raises(CommandError, match="read, write, admin"):
        call_command("create_api_key", str(project.id), "--scopes", "root")

    assert not ApiKey.objects.exists()


def test_a_name_that_is_too_long_is_refused_and_not_cut(project: Project) -> None:
    with pytest.raises(CommandError, match="longer than 200"):
        call_command("create_api_key", str(project.id), "--name", "x" * 201)

    assert not ApiKey.objects.exists()
