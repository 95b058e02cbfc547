"""A relationship with entries and messages, and the ways to search them."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from memory.models import ScratchpadEntry, SearchedKind
from memory.retrieval.configuration import Retrieval
from memory.retrieval.index.embed import embed_owed
from memory.retrieval.results import SearchResult
from memory.retrieval.search import search_entries, search_entries_for, search_messages
from relationships.ids import relationship_id
from relationships.models import EndUser, Message, Relationship
from tests.fixtures.contexts import remember, say
from tests.fixtures.index import configure, index_as

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


class Memory:
    """A relationship's memory. `retrieval`: how it is searched."""

    def __init__(self, relationship: Relationship, **retrieval: Any) -> None:
        self.relationship = relationship
        self.retrieval = Retrieval.model_validate(retrieval)
        configure(relationship, **retrieval)

    @property
    def own(self) -> dict[str, Any]:
        return {"relationship_id": self.relationship.id, "project_id": self.relationship.project_id}

    def remember(self, *contents: str, **values: Any) -> list[ScratchpadEntry]:
        entries = remember(self.relationship, *contents, **values)
        self._index(SearchedKind.ENTRY, entries)
        return entries

    def say(self, *contents: str, **values: Any) -> list[Message]:
        messages = say(self.relationship, *contents, **values)
        self._index(SearchedKind.MESSAGE, messages)
        return messages

    def tell(self, *contents: str) -> None:
        """Say each in a session of its own, and remember it."""
        for number, content in enumerate(contents):
            self.say(content, session=str(number))
            self.remember(content)

    def _index(self, kind: SearchedKind, said: Sequence[ScratchpadEntry] | Sequence[Message]) -> None:
        index_as(self.relationship, kind, said, self.retrieval)

    def embed(self) -> None:
        """Embed everything that owes a vector."""
        embed_owed(relationship_id=self.relationship.id)

    def entries(self, text: str, **asked: Any) -> SearchResult:
        return search_entries(**self._asked(asked), text=text)

    def entries_for(self, texts: Sequence[str], **asked: Any) -> list[SearchResult]:
        return search_entries_for(texts, **self._asked(asked))

    def messages(self, text: str, **asked: Any) -> SearchResult:
        return search_messages(**self._asked(asked), text=text)

    def _asked(self, asked: dict[str, Any]) -> dict[str, Any]:
        return {**self.own, "retrieval": self.retrieval, "now": NOON, **asked}


def contents(found: SearchResult) -> list[str]:
    """What was found, best first."""
    ids = [hit.id for hit in found.hits]
    rows = {
        row.id: row.content
        for model in (ScratchpadEntry, Message)
        for row in model.objects.filter(id__in=ids)
    }
    return [rows[id] for id in ids]


def sibling(relationship: Relationship) -> Relationship:
    """Another person with the same companion."""
    other = EndUser.objects.create(project=relationship.project, external_id="tom", display_name="Tom")
    return Relationship.objects.create(
        id=relationship_id(relationship.companion_id, other.id),
        project=relationship.project,
        companion=relationship.companion,
        user=other,
    )
