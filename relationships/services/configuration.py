"""A level of the configuration as a developer writes it, and what holds for one relationship."""

from collections.abc import Mapping
from typing import Any

from relationships.configuration.cascade import ResolvedConfiguration, resolve_configuration, validate_level
from relationships.models import Relationship
from web.errors import FieldProblem, InvalidConfiguration


def check_level(config: Mapping[str, Any], *, inside: str = "config") -> None:
    """Raises InvalidConfiguration, each field's path below `inside`, the member that held the level."""
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
    """What holds here; load `relationship` with its project and companion, or it costs two queries."""
    return resolve_configuration(
        project=relationship.project.config,
        companion=relationship.companion.config,
        relationship=relationship.config,
        turn=turn,
    )
