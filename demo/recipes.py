"""The demo under another recipe: on a companion and with a person of its own, so that no demo disturbs another."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from demo.conversation import Conversation
from relationships.configuration.cascade import resolve_configuration
from relationships.configuration.plugins import load

LONGEST_SLUG = 80


def under_recipe(conversation: Conversation, recipe: str) -> Conversation:
    """The conversation with another Ada and another Maya, who are the same but for the recipe.

    Raises InvalidConfiguration, which names those there are.
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
    """What it does, in a sentence."""
    described: Mapping[str, Any] = load("RECIPES", recipe)
    return str(described["description"])


def uses_vectors(recipe: str) -> bool:
    """Whether it has entries embedded."""
    return resolve_configuration(companion={"recipe": recipe}).values.retrieval.embedder is not None
