"""Whom a question means by who they are: Ines by "my boss", if an entry says that she is that."""

from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from typing import Unpack

from config.postgresql.sessions import prepared_cursor
from memory.coreference import called, roles_in
from memory.models import SearchedKind
from memory.retrieval.columns import Filters
from memory.retrieval.questions import read_participants
from memory.retrieval.results import SearchResult
from memory.retrieval.search import SearchParams, search_entries

MOST_TELLING = 40  # entries that may say who somebody is
ALSO = "Also searched for {}, who is meant."

_TELLING = """
SELECT id, subject, content FROM memory_scratchpadentry
 WHERE relationship_id = %(relationship)s AND project_id = %(project)s AND id = ANY(%(ids)b) AND state = 'active'
   AND (valid_from IS NULL OR valid_from <= %(now)s) AND (valid_to IS NULL OR valid_to > %(now)s)
   AND (expires_at IS NULL OR expires_at > %(now)s)
"""


def telling_who(roles: str, **params: Unpack[SearchParams]) -> list[tuple[str, str]]:
    """The subject and text of the entries that may say who has these roles, best first, found by their words."""
    by_words = {"embedder": None, "reranker": None, "min_score": None}
    params["retrieval"] = params["retrieval"].model_copy(update=by_words)
    params |= {"ranker": "best", "top_k": MOST_TELLING, "min_score": None, "min_fit": 0.0, "question": None}
    ids = [hit.id for hit in search_entries(text=roles, **params).hits]
    if not ids:
        return []
    own = {"project": params["project_id"], "relationship": params["relationship_id"]}
    with prepared_cursor() as cursor:
        cursor.execute(_TELLING, {**own, "ids": ids, "now": params["now"]})
        told = {row[0]: (row[1], row[2]) for row in cursor.fetchall()}
    return [told[id] for id in ids if id in told]


def search_as_meant(
    search: Callable[..., SearchResult], *, text: str, filters: Filters, **params: Unpack[SearchParams]
) -> SearchResult:
    """Search for the text and for those whom it means by "my boss" and does not name; `notes` say whom. If it has such
    a word, this takes two more statements, or three if `params` have no participants. Raises what `search` raises.
    """
    roles = roles_in(text)
    if not roles.surely:
        return search(text=text, filters=filters, **params)
    own = {"project_id": params["project_id"], "relationship_id": params["relationship_id"]}
    participants = params.get("participants") or read_participants(**own, kind=SearchedKind.ENTRY)
    of_entries = params.copy()
    of_entries["participants"] = participants
    told = telling_who(" ".join(chain(*roles.surely)), **of_entries)
    said = text.casefold()
    names = [name for name in called(roles.all, told, user=participants.user) if name.casefold() not in said]
    found = search(text=" ".join([text, *names]), filters=filters, **params)
    return replace(found, notes=(*found.notes, ALSO.format(", ".join(names)))) if names else found
