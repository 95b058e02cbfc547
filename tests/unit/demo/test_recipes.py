from datetime import UTC, datetime

import pytest

from config.registries import RECIPES
from demo.conversation import Conversation, Person, Persona
from demo.recipes import describe_recipe, under_recipe, uses_vectors
from relationships.services.turns import NewMessage, NewTurn

TOLD = Conversation(
    user=Person("maya", "Maya", "Europe/Lisbon"),
    companion=Persona("ada", "Ada", "Be kind."),
    turns=[NewTurn([NewMessage("user", "Hi")], occurred_at=datetime(2026, 3, 2, tzinfo=UTC))],
    question="And?",
)


@pytest.mark.parametrize("recipe", RECIPES)
def test_each_recipe_has_a_companion_and_a_person_of_its_own(recipe: str) -> None:
    told = under_recipe(TOLD, recipe)

    assert told.companion.recipe == recipe
    assert told.companion.slug == f"ada-{recipe.replace('_', '-')}"
    assert told.user.external_id == f"maya-{recipe.replace('_', '-')}"
    assert (told.companion.name, told.user.name, told.turns) == ("Ada", "Maya", TOLD.turns)
    assert describe_recipe(recipe).endswith(".")


def test_only_some_recipes_have_vectors() -> None:
    assert uses_vectors("two_call")
    assert not uses_vectors("scratchpad")
