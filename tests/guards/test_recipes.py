"""Every recipe holds, has a page and a line, and every line of a registry can be loaded."""

import pytest
from django.conf import settings
from django.utils.module_loading import import_string

from relationships.configuration.cascade import resolve_configuration, validate_configuration
from relationships.configuration.plugins import load
from tests.guards.tables import REFERENCE

REGISTRIES = (
    *(
        "INGESTION_STRATEGIES",
        "RECIPES",
        "CONTEXT_LAYERS",
        "CONTEXT_FORMATS",
        "RANKERS",
        "RERANKERS",
        "GATES",
    ),
)
LINES = [
    (registry, slug)
    for registry in (*REGISTRIES, "FORGETTING_POLICIES")
    for slug in getattr(settings, registry)
]


@pytest.mark.parametrize(("registry", "slug"), LINES)
def test_every_line_of_a_registry_can_be_loaded(registry: str, slug: str) -> None:
    found = import_string(getattr(settings, registry)[slug])

    assert getattr(found, "slug", slug) == slug


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
