from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from relationships.models import Project


def test_a_bad_conversation_is_refused_before_anything_is_started(db: None, tmp_path: Path) -> None:
    file = tmp_path / "talk.json"
    file.write_text("{}")
    with pytest.raises(CommandError, match="has neither `conversation`"):
        call_command("demo", "--conversation", str(file))
    assert Project.objects.count() == 0


def test_an_unknown_recipe_is_refused_before_anything_is_started(db: None) -> None:
    with pytest.raises(CommandError, match=r"'five_call' is not a known recipe; known: .*two_call"):
        call_command("demo", "--recipe", "five_call")
    assert Project.objects.count() == 0
