"""Nothing imports this, and no configuration may make us."""

RECIPE: dict[str, dict[str, str]] = {"config": {}}
