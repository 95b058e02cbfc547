"""The demo with another recipe: it uses its own companion and person, so that demos don't affect each other."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from demo.conversation import Conversation
from relationships.configuration.cascade import resolve_configuration
from relationships.configuration.plugins import load

LONGEST_SLUG = 80


def under_recipe(conversation: Conversation, recipe: str) -> Conversation:
    """The same conversation with a companion and a user of its own, under the recipe.

    Raises InvalidConfiguration, which names the known recipes.
    """
    resolve_configuration(companion={"recipe": recipe})
    suffix = "-" + recipe.replace(".", "-").replace("_", "-").lower()[-40:]
    companion, user = conversation.companion, conversation.user
    return replace(
        conversation,
        companion=replace(
            companion, slug=companion.slug[: LONGEST_SLUG - len(suffix)] + suffix, recipe=recipe
        ),
        user=replace(user, external_id=user.external_id[:150] + suffix),
    )


def describe_recipe(recipe: str) -> str:
    """The recipe's description, a sentence."""
    described: Mapping[str, Any] = load("RECIPES", recipe)
    return str(described["description"])


def uses_vectors(recipe: str) -> bool:
    """Return whether entries are embedded under the recipe."""
    return resolve_configuration(companion={"recipe": recipe}).values.retrieval.embedder is not None
