"""The snapshot's section `summary`: the newest summary there is, with what it covers; empty while one is made anew."""

from uuid import UUID

from relationships.models import Message
from relationships.services.snapshots import write_section
from summaries.models import Summary


def shown_summary(relationship_id: UUID) -> Summary | None:
    """The one that contexts show. None also as long as one is made again, because of a message it must not tell."""
    rows = Summary.objects.for_relationship(relationship_id)
    if rows.open().filter(version__gt=1).exists():
        return None
    newest: Summary | None = rows.ready().newest_first().first()
    return newest


def section_of(relationship_id: UUID) -> dict[str, object]:
    """`id`, `text`, `messages`: how many it covers, and the days (ISO 8601) from `since` to `until`; or nothing."""
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
    """Write the section anew, inside the transaction and the lock of the change."""
    write_section(
        relationship_id=relationship_id,
        project_id=project_id,
        section="summary",
        value=section_of(relationship_id),
    )
