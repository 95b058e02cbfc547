from io import StringIO

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command


def run(*args: str) -> str:
    out = StringIO()
    call_command("recipes", *args, stdout=out)
    return out.getvalue()


def test_every_recipe_is_listed_with_what_it_does_and_costs() -> None:
    text = run()

    assert all(f"\n{slug}\n" in f"\n{text}" for slug in settings.RECIPES)
    assert text.count("a turn costs: ") == len(settings.RECIPES)


def test_one_recipe_is_shown_with_the_values_it_sets() -> None:
    text = run("two_call")

    assert '"strategy": "two_call"' in text
    assert "\nkeyed_facts\n" not in text


def test_an_unknown_recipe_is_named_with_those_there_are() -> None:
    with pytest.raises(CommandError, match="no recipe 'mem0'; known: scratchpad"):
        run("mem0")
