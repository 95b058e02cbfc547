"""Nothing imports this module, and no configuration may cause that."""

RECIPE: dict[str, dict[str, str]] = {"config": {}}
