"""Nothing imports this, and no configuration may make us."""

RECIPE = {"config": {}}
