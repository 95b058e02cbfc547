"""What a recipe is: a named set of configuration values, and words for choosing it."""

from typing import Any, TypedDict


class Recipe(TypedDict):
    """A level of the cascade between the defaults and the project, under a name.

    `description`: what it does, in a sentence. `after`: where the design comes from. `cost`: what a turn takes.
    `config`: the values, as a developer would write them.
    """

    description: str
    after: str
    cost: str
    config: dict[str, Any]
