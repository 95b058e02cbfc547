"""Collect what may say what a wish is about: entries, messages, and what the finders of FORGETTABLE return.

Texts are read piece by piece, the newest first, and only those that may have one of the wish's words are kept. So time
and memory are bounded in any relationship; texts beyond the limit are counted.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import chain, zip_longest
from typing import Any

from django.db.models import F, QuerySet
from django.db.models.fields.json import KT
from django.utils import timezone

from memory.aliases import aliases_in
from memory.mending.candidates import Candidate, Scope, forgettables, stems_of
from memory.mending.judging import PERHAPS, judge_by
from memory.mending.prefilter import FirstLook
from memory.mending.wish_index import WishIndex
from memory.mending.wishes import Wish
from memory.models import USER_SUBJECT, EntryRevision, EntryState, ScratchpadEntry
from memory.retrieval.rankers.best import BestRanker
from memory.retrieval.results import EntryFilters
from memory.retrieval.search import SearchParams, search_entries, search_messages
from memory.words import Stems
from relationships.models import Message, MessageRole
from relationships.services.configuration import configuration_of

MOST_ROWS = 100_000  # entries, and as many messages, that are read
MOST_READ = 10_000_000  # characters of them: two seconds
MOST_KEPT = 500_000  # characters of those that are judged: half a second
NEWEST = 120  # are judged whatever their words, as a model may recognise other words for it
ALL_AT_ONCE = 500  # of each kind, if everything should go
PIECE = 1000  # rows
NEAREST = 40  # of each kind, from a ranked search
_OF_ENTRIES = "id content subject version source_message_ids read_only effective_at state".split()
_OF_MESSAGES = ("id", "content", "role", "speaker", "turn_id", "seq", "occurred_at", "hidden_at")
SHOWN_STATES = (EntryState.ACTIVE, EntryState.SUPERSEDED, EntryState.EXPIRED)
EARLIER = "an earlier version"


def find_candidates(scope: Scope, *, by_meaning: bool = False) -> tuple[list[Candidate], Stems, int]:
    """Find texts that may say it, judged by rules, entries first; return them, the stems of their words, and how many
    entries and messages were not read, as there are too many. `by_meaning`: also use a ranked search.
    """
    newest = ALL_AT_ONCE if scope.wish.everything else NEWEST
    messages = messages_of(scope).values_list(*_OF_MESSAGES, named=True)
    entries = entries_of(scope, hidden=scope.hidden).values_list(*_OF_ENTRIES, named=True)
    look = _look_for(scope.wish, ())
    said, unread = likely_candidates(messages, as_candidate, look, newest=newest, share=scope.share)
    if scope.wish.last:
        entries = entries.filter(source_message_ids__overlap=[one.id for one in said])
    kept, more = likely_candidates(entries, _entry, look, newest=newest, share=scope.share)
    aliases = aliases_in([one.text for one in kept])
    others = {name for word in scope.wish.must for form in word.forms for name in aliases.get(form, ())}
    if others:
        look = _look_for(scope.wish, others)
        said, unread = likely_candidates(messages, as_candidate, look, newest=newest, share=scope.share)
        kept, more = likely_candidates(entries, _entry, look, newest=newest, share=scope.share)
    if by_meaning and look:
        _add_nearest(scope, entries, kept, messages, said)
    earlier, passed = _said_earlier(scope, look) if scope.hidden and look else ([], 0)
    elsewhere, others_left = _of_other_rooms(scope, look)
    found = [*kept, *earlier, *reversed(said), *elsewhere]
    asked = (form for word in scope.wish.must for form in word.forms)
    stems = stems_of(scope.relationship.id, [scope.wish.text, *asked, *(one.text for one in found)])
    owners = (scope.asker,) if scope.asker else scope.owners
    index = WishIndex(scope.wish, stems, aliases)
    for one in found:
        one.judgement = judge_by(index, one.text, subject=_whom(one, scope), owners=owners)
    return found, stems, 0 if scope.wish.last else unread + more + passed + others_left


def _whom(one: Candidate, scope: Scope) -> str:
    """Whom a text is about or, of a message, who says it; "" for the one who asks."""
    if one.kind != "entry" and one.role != MessageRole.USER:
        return one.subject
    person = scope.owners[0] if scope.asker and scope.owners else ""
    return one.subject or scope.other(one.speaker) or person


def entries_of(scope: Scope, *, hidden: bool = False) -> QuerySet[ScratchpadEntry]:
    owned = ScratchpadEntry.objects.for_relationship(scope.relationship.id)
    shown = owned if hidden else owned.filter(state__in=SHOWN_STATES)
    rows: QuerySet[ScratchpadEntry] = shown.newest_first()
    return rows


def messages_of(scope: Scope) -> QuerySet[Message]:
    """The messages that may be read or found, newest first."""
    rows = Message.objects.for_relationship(scope.relationship.id).filter(erased_at=None)
    if not scope.hidden:
        rows = rows.filter(hidden_at=None)
    if scope.asked_by is not None:
        rows = rows.filter(seq__lt=scope.asked_by.seq)
    listed: QuerySet[Message] = rows.order_by("-seq")
    return listed


def _look_for(wish: Wish, aliases: Iterable[str]) -> FirstLook | None:
    """The first look for a wish; None if it has no distinctive words, such as "the last thing" or "everything"."""
    if wish.everything or wish.last:
        return None
    kinds = 0.5 * len(wish.may)  # generic words decide only if they weigh as much as the others
    decide = kinds >= PERHAPS * (len(wish.must) + kinds)
    return FirstLook(wish.must, [*aliases, *(form for group in wish.may if decide for form in group)])


def likely_candidates(
    rows: QuerySet[Any],
    made: Callable[[Any], Candidate],
    look: FirstLook | None,
    *,
    newest: int,
    share: float,
) -> tuple[list[Candidate], int]:
    """The candidates that may have one of the words, and so many of the first, in order; and how many rows were not
    read. `share`: of MOST_READ and MOST_KEPT.
    """
    kept: list[Candidate] = []
    seen = read = size = 0
    for row in rows[: MOST_ROWS if look else newest].iterator(chunk_size=PIECE):
        if read > share * MOST_READ or size > share * MOST_KEPT:
            break
        one = made(row)
        seen, read = seen + 1, read + len(one.text)
        if seen <= newest or (
            look is not None and look.may_have_any(f"{one.text} {one.subject} {one.speaker}")
        ):
            kept.append(one)
            size += len(one.text)
    else:
        if look and seen < MOST_ROWS:
            return kept, 0
    return kept, max(0, rows.count() - seen)


def _add_nearest(
    scope: Scope,
    entries: QuerySet[Any],
    kept: list[Candidate],
    messages: QuerySet[Any],
    said: list[Candidate],
) -> None:
    """Add what a ranked search finds for the wish among these rows, as it may share no words with it. Entries and
    messages alternate, best first. The embedder is called, so no transaction may be open.
    """
    relationship = scope.relationship
    retrieval = configuration_of(relationship).values.retrieval
    how: SearchParams = {
        "project_id": relationship.project_id,
        "relationship_id": relationship.id,
        "retrieval": retrieval.model_copy(update={"reranker": None}),
        "now": timezone.now(),
        "ranker": BestRanker.slug,  # whatever is configured, as it also works without vectors
        "top_k": NEAREST,
        "min_score": 0.0,
    }
    filters = EntryFilters(states=tuple(EntryState) if scope.hidden else SHOWN_STATES)
    near = search_entries(text=scope.wish.text, filters=filters, **how)
    pairs = zip_longest(near.hits, search_messages(text=scope.wish.text, **how).hits)
    found = [hit.id for hit in chain.from_iterable(pairs) if hit is not None]
    places = {row_id: place for place, row_id in enumerate(found)}
    lacking = places.keys() - {one.id for one in (*kept, *said)}
    kept += [_entry(row) for row in entries.filter(id__in=lacking)]
    said += [as_candidate(row) for row in messages.filter(id__in=lacking)]
    for one in (*kept, *said):
        one.near = places.get(one.id)


def _of_other_rooms(scope: Scope, look: FirstLook | None) -> tuple[list[Candidate], int]:
    """The first texts of each kind, and those that may have one of the words; and how many more there are. If
    everything should go: the first ALL_AT_ONCE of each kind.
    """
    if scope.wish.everything:
        kinds = [  # what is already hidden, only if that should be erased, too
            [one for one in finder.find(scope) if scope.hidden or one.place != EARLIER]
            for finder in forgettables()
        ]
        first = [one for kind in kinds for one in kind[:ALL_AT_ONCE]]
        return first, sum(map(len, kinds)) - len(first)
    if look is None:
        return [], 0
    found = [
        one
        for finder in forgettables()
        for place, one in enumerate(finder.find(scope))
        if place < NEWEST or look.may_have_any(one.text)
    ]
    return found, 0


def _entry(row: Any) -> Candidate:
    return Candidate(
        "entry",
        row.id,
        row.content,
        subject="" if row.subject == USER_SUBJECT else row.subject,
        version=row.version,
        cites=row.source_message_ids,
        fixed="is read-only" if row.read_only else "",
        told_at=row.effective_at,
        past=row.state != EntryState.ACTIVE,
        hidden=row.state == EntryState.DELETED,
    )


def _said_earlier(scope: Scope, look: FirstLook) -> tuple[list[Candidate], int]:
    """Candidates from earlier versions of entries, whose present text would stay."""
    changed = EntryRevision.objects.for_relationship(scope.relationship.id).exclude(before=None)
    texts = changed.annotate(said=KT("before__content"), then=KT("after__content")).exclude(said=F("then"))
    rows = texts.order_by("-seq").values_list("entry_id", "said", named=True)
    kept, more = likely_candidates(
        rows, lambda row: Candidate("entry", row.entry_id, row.said), look, newest=NEWEST, share=scope.share
    )
    present = entries_of(scope, hidden=True).filter(id__in={one.id for one in kept})
    entries = {row.id: row for row in present.values_list(*_OF_ENTRIES, named=True)}
    found = []
    for one in kept:
        row = entries.get(one.id)
        if row is not None and row.content != one.text:
            rest = None if row.state == EntryState.DELETED else row.content
            found.append(replace(_entry(row), text=one.text, rest=rest, place=EARLIER, hidden=True))
    return found, more


def as_candidate(row: Any) -> Candidate:
    return Candidate(
        "message",
        row.id,
        row.content,
        role=row.role,
        speaker=row.speaker,
        turn_id=row.turn_id,
        seq=row.seq,
        told_at=row.occurred_at,
        hidden=row.hidden_at is not None,
    )
