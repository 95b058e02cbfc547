"""Choose the entries that a strategy shows the model: those that may be related to what was said, by the best ranking.

By similarity alone two thirds of the entries that a new fact replaces would be missing: on labelled updates only a
third reaches a cosine of .85. So candidates are ranked by words and meaning together, for all texts of a batch at
once, and a low floor excludes what is unrelated to all of them.
"""

from collections.abc import Iterable, Sequence
from itertools import chain
from uuid import UUID

from django.utils import timezone

from memory.coreference import Roles, called, roles_in
from memory.ingestion.ingestion_input import IngestionInput, ShownEntry
from memory.ingestion.prompt import ends_of
from memory.ingestion.vectors import TextVectors
from memory.models import ScratchpadEntry
from memory.retrieval.configuration import Retrieval
from memory.retrieval.results import EntryFilters
from memory.retrieval.search import search_entries_for
from memory.words import fold
from providers.tokens import estimate_tokens
from relationships.models import MessageRole

QUESTION_CHARACTERS = 2000  # of a message; its subject is in these
EXCHANGE = 2  # earlier messages in which what "she" or "it" means may be named
BEFORE_CHARACTERS = 400  # of each; a long reply is about many things


def related_entries(
    given: IngestionInput, *, tiers: tuple[str, ...] = (), by_meaning: bool = True
) -> tuple[ShownEntry, ...]:
    """Entries that are related to any of the new messages, also those about whoever is called "my boss" in one."""
    near = (*given.references[-EXCHANGE:], *given.messages)
    said = [message.content for message in near if message.role == MessageRole.USER]
    roles = roles_in("\n".join(reversed(said)))
    who = [" ".join(chain(*roles.surely))] if roles.surely else []
    found = find_candidates(given, [*texts_of(given), *who], tiers=tiers, by_meaning=by_meaning)
    if names := _names_meant(given, roles, (*given.entries, *found)):
        called = " ".join(names)  # alone, too, as of a long message other words may weigh more
        again = [called, " ".join([called, *said])]
        found = (*find_candidates(given, again, tiers=tiers, by_meaning=False), *found)
    return tuple(dict.fromkeys(found))[: given.ingestion.candidates.most]


def texts_of(given: IngestionInput) -> list[str]:
    """The search texts for the new messages: one for each, and one for the first with what was said just before, as
    "She quit" names nobody.
    """
    new = [text for message in given.messages if (text := message.content.strip()[:QUESTION_CHARACTERS])]
    before = [ends_of(message.content, BEFORE_CHARACTERS) for message in given.references[-EXCHANGE:]]
    return [*new, "\n".join([*before, *new[:1]])] if before and new else new


def _names_meant(given: IngestionInput, roles: Roles, entries: Iterable[ShownEntry]) -> list[str]:
    """Whom the person means by who they are and doesn't name now: Ottilie by "my boss", if an entry says that she is
    that.
    """
    new = fold(" ".join(message.content for message in given.messages))
    told = ((entry.subject, entry.content) for entry in entries)
    return [name for name in called(roles.all, told, user=given.user_name) if fold(name) not in new]


def likely_entries(given: IngestionInput, *, by_meaning: bool = True) -> tuple[ShownEntry, ...]:
    """All entries if there are few, else those that are related to any of the new messages."""
    few = few_entries(given)
    return related_entries(given, by_meaning=by_meaning) if few is None else few


def few_entries(given: IngestionInput) -> tuple[ShownEntry, ...] | None:
    """Every active entry, newest first, if there are no more than the configuration says; None: there are more."""
    limit = given.ingestion.candidates.all_up_to
    if not has_entries(given):
        return ()
    if len(given.entries) + given.hidden_entries > limit:
        return None
    rows = ScratchpadEntry.objects.for_relationship(given.relationship_id).active().newest_first()
    found = [ShownEntry(*row) for row in rows.values_list(*ShownEntry._fields)[: limit + 1]]
    return tuple(found) if len(found) <= limit else None


def find_candidates(
    given: IngestionInput,
    texts: Sequence[str],
    *,
    tiers: tuple[str, ...] = (),
    by_meaning: bool = True,
    ranker: str | None = None,
    min_score: float | None = None,
    vectors: TextVectors | None = None,
) -> tuple[ShownEntry, ...]:
    """Active entries that are related to any of `texts`, best first, as many as the configuration allows.

    `tiers` (): any. `by_meaning` False embeds nothing: they are found by their words. `ranker` and `min_score` take
    the place of the best ranking and the configured floor; `vectors` are those of `texts`, where they are known.
    """
    settings = given.ingestion.candidates
    if not texts or not has_entries(given):
        return ()
    found = search_entries_for(
        texts,
        project_id=given.project_id,
        relationship_id=given.relationship_id,
        retrieval=candidate_retrieval(given, by_meaning=by_meaning),
        filters=EntryFilters(tiers=tiers),
        top_k=settings.top_k,
        ranker=ranker or "best",
        min_score=min_score,
        now=timezone.now(),
        question=vectors.embedded if vectors is not None else None,
    )
    best: dict[UUID, float] = {}
    for hits in found:
        for hit in hits.hits:
            # from words, meaning and dates, as the person's name in a text raises all entries alike
            relevance = hit.score - hit.parts.get("named", 0.0)
            if ranker is not None or relevance >= settings.floor:
                best[hit.id] = max(hit.score, best.get(hit.id, hit.score))
    ranked = sorted(best, key=lambda entry_id: (-best[entry_id], entry_id))
    return _shown(given, ranked[: settings.most])


def has_entries(given: IngestionInput) -> bool:
    """Return whether there is anything to find. No statement, as the input says it."""
    return given.has_archive or given.hidden_entries > 0 or bool(given.entries)


def candidate_retrieval(given: IngestionInput, *, by_meaning: bool) -> Retrieval:
    """The companion's configuration, without the limits for contexts and with a long timeout, as nobody waits."""
    changes: dict[str, object] = {"recency": 0.0, "min_score": None, "query_seconds": 30.0}
    return given.retrieval.model_copy(update=changes if by_meaning else changes | {"embedder": None})


def _shown(given: IngestionInput, ids: Sequence[UUID]) -> tuple[ShownEntry, ...]:
    """These entries as shown to the model, in this order, within the configured tokens."""
    rows = ScratchpadEntry.objects.for_relationship(given.relationship_id).active().filter(id__in=ids)
    entries = {row[0]: ShownEntry(*row) for row in rows.values_list(*ShownEntry._fields)}
    shown, left = [], given.ingestion.shown_budget
    for entry in (entries[entry_id] for entry_id in ids if entry_id in entries):
        left -= estimate_tokens(entry.content)
        if left < 0:
            break
        shown.append(entry)
    return tuple(shown)
