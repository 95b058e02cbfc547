"""Reports: what a companion's model noted, or its agent found out, is stored and read like a turn."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils import timezone

from memory.ingestion.configuration import Ingestion
from memory.ingestion.intake import accept_turn
from relationships.models import MessageRole, Relationship, Turn
from relationships.services.turns import NewMessage, NewTurn

LONGEST_NAME = 180  # of a companion, as more is added to the speaker's name


def accept_report(
    *,
    relationship: Relationship,
    ingestion: Ingestion,
    texts: Sequence[str],
    kind: str,
    session: str,
    metadata: Mapping[str, Any] | None = None,
) -> Turn:
    """Store `texts` as tool messages by the companion's `kind`, such as its agent.

    They are read whatever `ingestion.roles` says, and at once unless reading is on request only, as they belong to no
    session that ends. Load `relationship` with its companion. Raises InvalidInput, NotFound.
    """
    speaker = f"{relationship.companion.name[:LONGEST_NAME]}'s {kind}"
    own: dict[str, Any] = {"roles": sorted({*ingestion.roles, MessageRole.TOOL.value})}
    if ingestion.trigger.mode != "explicit":
        own["trigger"] = {"mode": "every_turn"}
    said = [NewMessage(MessageRole.TOOL, text, speaker=speaker, metadata=metadata or {}) for text in texts]
    new = NewTurn(said, timezone.now(), session, config={"ingestion": own}, is_report=True)
    return accept_turn(relationship=relationship, new=new).turn
