"""Find messages by either side that repeat what a forgotten entry says, in the exchanges that it cites."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any
from uuid import UUID

from memory.mending.candidates import Candidate, Scope, scope_of, stems_of
from memory.mending.collecting import PIECE, as_candidate, entries_of, likely_candidates, messages_of
from memory.mending.judging import Judgement, Verdict, telling_words
from memory.mending.prefilter import FirstLook
from memory.mending.wish_index import AKIN
from memory.models import EntryRevision, EntryState, MendingPlan, MendingState
from memory.words import Word, is_in, spelt, words_of
from relationships.models import Message, MessageRole, Relationship
from relationships.services.hiding import hide_messages

REPEATS = "repeats what an entry says that goes"


def tick_echoes(
    scope: Scope, found: list[Candidate], going: Sequence[Candidate], judged: Collection[UUID] = ()
) -> int:
    """Tick messages with a distinctive word of an entry that goes, if no entry that stays has that word. Missing ones
    are added to `found`. `judged`: messages that a model was shown, and so has decided on. Return how many messages
    were not read, as there are too many."""
    cited = {message_id for entry in going for message_id in entry.cites}
    if not cited:
        return 0
    owned = Message.objects.for_relationship(scope.relationship.id)
    turns = set(owned.filter(id__in=cited).values_list("turn_id", flat=True))
    known = {one.id: one for one in found if one.kind == "message"}
    wanted = words_that_go(scope, going)
    rows = messages_of(scope).filter(turn_id__in=turns)
    likely, unread = likely_candidates(rows, as_candidate, FirstLook(wanted), newest=0, share=scope.share)
    said = [known.get(one.id, one) for one in reversed(likely)]
    undecided = [one for one in said if not one.ticked and one.id not in judged]
    for one in having_any(scope, undecided, wanted):
        one.ticked = True
        one.judgement = Judgement(Verdict.SAYS, max(one.judgement.score, 0.5), one.text[:300], REPEATS)
        if one.id not in known:
            found.append(one)
    return unread


def hide_late_echoes(relationship: Relationship, turn_id: UUID, *, since: datetime, now: datetime) -> None:
    """Hide what a turn's reply repeats of entries that wishes hid since, as its model was asked before. Call under the
    relationship's row lock.
    """
    gone = _gone_since(relationship.id, since)
    owned = Message.objects.for_relationship(relationship.id)
    said = [as_candidate(row) for row in owned.filter(turn_id=turn_id, role=MessageRole.ASSISTANT)]
    scope = scope_of(relationship, "")
    found = having_any(scope, said, words_that_go(scope, gone)) if gone else []
    hide_messages(relationship_id=relationship.id, message_ids=[one.id for one in found], now=now)


def _gone_since(relationship_id: UUID, since: datetime) -> list[Candidate]:
    plans = MendingPlan.objects.for_relationship(relationship_id)
    carried_out = plans.filter(state=MendingState.CARRIED_OUT, carried_out_at__gte=since)
    items = [item for plan in carried_out for item in plan.items if item["kind"] == "entry" and item["done"]]
    left = {(UUID(item["id"]), item["version"]) for item in items}
    changes = EntryRevision.objects.for_relationship(relationship_id).exclude(before=None)
    return [
        Candidate("entry", row.entry_id, row.before["content"], rest=_rest_of(row.after))
        for row in changes.filter(entry_id__in={entry_id for entry_id, _ in left})
        if (row.entry_id, row.entry_version) in left
    ]


def _rest_of(fields: dict[str, Any]) -> str | None:
    return None if fields["state"] == EntryState.DELETED else fields["content"]


def having_any(scope: Scope, said: Sequence[Candidate], wanted: Sequence[Word]) -> list[Candidate]:
    """Those that have any of the words, or the name among them with another ending: Krakowie, Kraków."""
    stems = stems_of(scope.relationship.id, [*(one.text for one in said), *_spellings(wanted)])
    spellings = set[str]().union(*(spelt([word], stems) for word in wanted))
    names = {word.plain[:AKIN] for word in wanted if _is_capital(word) and len(word.plain) > AKIN}

    def has_any(text: str) -> bool:
        words = words_of(text)
        if not spellings.isdisjoint(spelt(words, stems)):
            return True
        return any(_is_capital(word) and word.plain[:AKIN] in names for word in words)

    return [one for one in said if has_any(one.text)]


def _is_capital(word: Word) -> bool:
    return word.capital and not word.identifier


def words_that_go(scope: Scope, going: Sequence[Candidate]) -> list[Word]:
    """The words of the wish and of the entries that go, without those that occur in anything that stays."""
    told = (word for entry in going for word in _told_by(scope, entry))
    each = {(word.forms, word.identifier, word.capital): word for word in (*scope.wish.must, *told)}
    wanted = [
        word for word in each.values() if word.identifier or len(word.plain) > 2 or not word.plain.isascii()
    ]
    ids = {one.id for one in going}
    rows = entries_of(scope).values_list("id", "content").iterator(chunk_size=PIECE)
    staying = (content for entry_id, content in rows if entry_id not in ids)
    pieces = iter(lambda: list(islice(staying, PIECE)), [])
    for texts in ([entry.rest or "" for entry in going], *pieces):
        look = FirstLook(wanted)
        texts = [text for text in texts if look.may_have_any(text)]
        stems = stems_of(scope.relationship.id, [*texts, *_spellings(wanted)]) if texts else {}
        there = set().union(*(spelt(words_of(text), stems) for text in texts))
        wanted = [word for word in wanted if not is_in(word, there, stems)]
        if not wanted:
            break
    return wanted


def _told_by(scope: Scope, entry: Candidate) -> list[Word]:
    words = telling_words(entry.text, scope.owners)
    if entry.rest is not None:
        left = spelt(words_of(entry.rest), {})
        words = [word for word in words if not is_in(word, left, {})]
    return words


def _spellings(words: Sequence[Word]) -> Iterator[str]:
    return (form for word in words for form in word.forms)
