"""The snapshot's section `summary`: the newest summary and what it covers; empty while one is being remade."""

from uuid import UUID

from relationships.models import Message
from relationships.services.snapshots import write_section
from summaries.models import Summary


def shown_summary(relationship_id: UUID) -> Summary | None:
    """The summary that contexts show. None also while one is being remade, as it may contain what must not be shown."""
    rows = Summary.objects.for_relationship(relationship_id)
    if rows.open().filter(version__gt=1).exists():
        return None
    newest: Summary | None = rows.ready().newest_first().first()
    return newest


def _section(relationship_id: UUID) -> dict[str, object]:
    """The section: `id`, `text`, `messages` (how many), and the times `since` and `until` (ISO 8601); or empty."""
    summary = shown_summary(relationship_id)
    if summary is None or not summary.text:
        return {}
    ends = Message.objects.for_relationship(relationship_id).filter(
        seq__in=[summary.first_seq, summary.last_seq]
    )
    days = [said_at.isoformat() for said_at in ends.order_by("seq").values_list("occurred_at", flat=True)]
    return {
        "id": str(summary.id),
        "text": summary.text,
        "messages": summary.messages,
        "since": days[0],
        "until": days[-1],
    }


def rebuild_summary(*, relationship_id: UUID, project_id: UUID) -> None:
    """Rewrite the section. Call in the transaction of the change, under the row lock."""
    own = {"relationship_id": relationship_id, "project_id": project_id}
    write_section(**own, section="summary", value=_section(relationship_id))
