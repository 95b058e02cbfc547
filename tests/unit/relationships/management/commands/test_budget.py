from decimal import Decimal
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from relationships.models import AuditEvent, Project


def run(*arguments: str) -> str:
    out = StringIO()
    call_command("budget", *arguments, stdout=out)
    return out.getvalue()


def limits(project: Project) -> tuple[Any, Any]:
    project.refresh_from_db()
    return project.daily_tokens, project.daily_usd


def test_it_says_what_holds_and_changes_nothing(project: Project) -> None:
    said = run()

    assert "Test project, today (UTC): 0 calls of language models" in said
    assert "tokens  0 (no limit)" in said
    assert limits(project) == (None, None)


def test_each_limit_is_set_by_itself_and_audited(project: Project) -> None:
    run("--tokens", "500000")
    said = run("--usd", "2.50", "--project", str(project.id))

    assert limits(project) == (500_000, Decimal("2.50"))
    assert "at most 500000" in said and "at most 2.50" in said
    assert AuditEvent.objects.filter(action="project.model_budget_set").count() == 2


def test_default_gives_the_limit_back_to_the_settings(project: Project) -> None:
    run("--tokens", "500000")
    run("--tokens", "default")

    assert limits(project) == (None, None)


@pytest.mark.parametrize(
    "arguments", [("--tokens", "-1"), ("--tokens", "many"), ("--usd", "nan"), ("--usd", "1e99")]
)
def test_what_is_no_limit_is_refused(arguments: tuple[str, str], project: Project) -> None:
    with pytest.raises(CommandError):
        run(*arguments)

    assert limits(project) == (None, None)
