"""What the ranked search finds for a wish: a model knows an old text by its meaning, where no word of it is shared."""

from collections.abc import Mapping
from itertools import chain, zip_longest
from uuid import UUID

from django.utils import timezone

from memory.mending.candidates import Scope
from memory.retrieval.rankers.best import BestRanker
from memory.retrieval.results import EntryFilters
from memory.retrieval.search import SearchParams, search_entries, search_messages
from relationships.services.configuration import configuration_of

NEAREST = 40  # of each kind


def nearest_of(scope: Scope, states: tuple[str, ...]) -> Mapping[UUID, int]:
    """Entries and messages by turns, best first: the place of each. The embedder is asked, outside of transactions."""
    relationship = scope.relationship
    retrieval = configuration_of(relationship).values.retrieval
    how: SearchParams = {
        "project_id": relationship.project_id,
        "relationship_id": relationship.id,
        "retrieval": retrieval.model_copy(update={"reranker": None}),
        "now": timezone.now(),
        "ranker": BestRanker.slug,  # whatever is configured: it does without vectors where there are none
        "top_k": NEAREST,
        "min_score": 0.0,
    }
    entries = search_entries(text=scope.wish.text, filters=EntryFilters(states=states), **how)
    messages = search_messages(text=scope.wish.text, **how)
    pairs = zip_longest(entries.hits, messages.hits)
    found = [hit.id for hit in chain.from_iterable(pairs) if hit is not None]
    return {row_id: place for place, row_id in enumerate(found)}
