"""The section `events` of the configuration: where a companion's events are sent."""

from typing import Annotated, Literal

from pydantic import Field

from behaviours.configuration import Url
from relationships.configuration.strict import Strict


class EventWebhook(Strict):
    """Called with each event of the companion's relationships, signed as behaviours' webhooks are."""

    url: Url | None = None
    """Null: nobody is called."""
    types: tuple[Literal["memory.changed", "turn.failed", "deletions.held", "session.ended"], ...] = ()
    """Only these; none: all."""
    timeout_seconds: Annotated[float, Field(ge=0.1, le=30)] = 10


class Events(Strict):
    webhook: EventWebhook = EventWebhook()
