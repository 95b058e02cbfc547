"""Finds, hides and erases summaries that contain what a person wants forgotten. They are remade from what is left."""

from collections.abc import Collection, Iterator
from datetime import datetime
from uuid import UUID

from memory.mending.candidates import Candidate, Forgettable, Scope
from memory.model_calls import erase_calls
from memory.models import ModelCall
from relationships.models import Relationship
from summaries.erasing import GONE, erase_summaries, make_again
from summaries.models import Summary, SummaryState


class ForgettableSummaries(Forgettable):
    kind = "summary"

    def find(self, scope: Scope) -> Iterator[Candidate]:
        states = [SummaryState.READY, *([SummaryState.HIDDEN] if scope.hidden else [])]
        owned = Summary.objects.for_relationship(scope.relationship.id)
        for row in owned.filter(state__in=states).exclude(text="").newest_first():
            place, hidden = f"of the first {row.messages} messages", row.state == SummaryState.HIDDEN
            yield Candidate(self.kind, row.id, row.text, place=place, told_at=row.made_at, hidden=hidden)

    def hide(self, relationship: Relationship, ids: Collection[UUID], *, now: datetime) -> set[UUID]:
        """Hide the summaries. Those that cover messages hidden by the same wish are hidden already.

        Nothing restores them, as they are remade when the messages are shown again.
        """
        rows = Summary.objects.for_relationship(relationship.id).filter(id__in=ids)
        make_again(relationship.id, list(rows.exclude(state__in=GONE)), now, state=SummaryState.HIDDEN)
        return set(rows.values_list("id", flat=True))

    def erase(self, relationship: Relationship, ids: Collection[UUID], *, now: datetime) -> None:
        """Erase the summaries, and the questions to the model and its answers."""
        rows = Summary.objects.for_relationship(relationship.id).filter(id__in=ids)
        calls = erase_summaries(relationship.id, list(rows.exclude(state=SummaryState.ERASED)), now)
        erase_calls(ModelCall.objects.for_relationship(relationship.id).filter(id__in=calls), now)
