"""The section `events` of the configuration: the webhook that is called with a companion's events."""

from typing import Annotated, Literal

from pydantic import Field

from behaviours.configuration import Url
from relationships.configuration.strict import Strict


class EventWebhook(Strict):
    """Called with each event of the companion's relationships. Signed in the same way as behaviours' webhooks."""

    url: Url | None = None
    """Null: no webhook."""
    types: tuple[Literal["memory.changed", "turn.failed", "deletions.held", "session.ended"], ...] = ()
    """Only events of these types; empty: all."""
    timeout_seconds: Annotated[float, Field(ge=0.1, le=30)] = 10


class Events(Strict):
    webhook: EventWebhook = EventWebhook()
