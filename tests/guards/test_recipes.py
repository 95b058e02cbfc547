"""Every recipe holds, and has a page and a line."""

import pytest
from django.conf import settings

from relationships.configuration.cascade import resolve_configuration, validate_configuration
from relationships.configuration.plugins import load
from tests.guards.tables import REFERENCE


@pytest.mark.parametrize("slug", sorted(settings.RECIPES))
def test_every_recipe_holds_by_itself_and_in_the_cascade(slug: str) -> None:
    recipe = load("RECIPES", slug)

    validate_configuration(recipe["config"])
    resolved = resolve_configuration(companion={"recipe": slug})
    assert resolved.values.recipe == slug
    assert resolved.values.ingestion.strategy == recipe["config"]["ingestion"]["strategy"]
    assert all(recipe[word] for word in ("description", "after", "cost"))


def test_every_recipe_has_a_page_that_the_index_names_and_no_other() -> None:
    pages = {path.stem for path in (REFERENCE / "recipes").glob("*.md")} - {"README"}
    index = (REFERENCE / "recipes" / "README.md").read_text()

    assert pages == set(settings.RECIPES)
    assert all(f"({slug}.md)" in index for slug in settings.RECIPES)
