"""The demo under another recipe: on a companion and with a person of its own, so that no demo disturbs another."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from demo.conversation import Conversation
from demo.errors import UnknownRecipe
from relationships.configuration.cascade import resolve_configuration
from relationships.configuration.seams import load
from web.errors import InvalidConfiguration

LONGEST_SLUG = 80


def under_recipe(conversation: Conversation, recipe: str) -> Conversation:
    """The conversation with another Ada and another Maya, who are the same but for the recipe. Raises UnknownRecipe."""
    _require_known(recipe)
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
    """What it does, in a sentence."""
    described: Mapping[str, Any] = load("RECIPES", recipe)
    return str(described["description"])


def uses_vectors(recipe: str) -> bool:
    """Whether it has entries embedded."""
    return resolve_configuration(companion={"recipe": recipe}).values.retrieval.embedder is not None


def _require_known(recipe: str) -> None:
    try:
        resolve_configuration(companion={"recipe": recipe})
    except InvalidConfiguration as error:
        raise UnknownRecipe(recipe, error.problems) from error
