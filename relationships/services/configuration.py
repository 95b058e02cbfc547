"""Check a level of the configuration that a developer sent, and resolve a relationship's configuration."""

from collections.abc import Mapping
from typing import Any

from relationships.configuration.cascade import ResolvedConfiguration, resolve_configuration, validate_level
from relationships.models import Relationship
from web.errors import FieldProblem, InvalidConfiguration


def check_level(config: Mapping[str, Any], *, inside: str = "config") -> None:
    """Raises InvalidConfiguration. Its fields' paths begin with `inside`, the member of the body with the level."""
    try:
        validate_level(config)
    except InvalidConfiguration as error:
        prefix = f"{inside}." if inside else ""
        raise InvalidConfiguration(
            [FieldProblem(f"{prefix}{line.field}", line.detail) for line in error.problems]
        ) from None


def configuration_of(
    relationship: Relationship, *, turn: Mapping[str, Any] | None = None
) -> ResolvedConfiguration:
    """Resolve a relationship's configuration. Two queries, unless its project and companion are loaded."""
    return resolve_configuration(
        project=relationship.project.config,
        companion=relationship.companion.config,
        relationship=relationship.config,
        turn=turn,
    )
