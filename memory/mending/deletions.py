"""Which sentences that another room wrote say what a deleted entry said, as a wish to forget it would find them."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple
from uuid import UUID

from memory.entries.words import names_in_text
from memory.mending.candidates import Scope, language_of, scope_of, stems_in
from memory.mending.first_look import FirstLook
from memory.mending.judging import AKIN, Verdict, judge
from memory.mending.wishes import STOP, Wish
from memory.models import USER_SUBJECT, ScratchpadEntry
from memory.words import Stems, Word, is_in, one_word, spelt, words_of
from relationships.models import Relationship

Staying = Sequence[tuple[str, str]]  # content and subject of an entry


class _Sentence(NamedTuple):
    """`there`: all that its words may be called; `begins`: how the longer ones begin (judging.AKIN)."""

    text: str
    there: set[str]
    begins: frozenset[str]


class _Told(NamedTuple):
    """A sentence that says what a deleted entry said, and the words that it has of it."""

    entry_id: UUID
    sentence: str
    held: Sequence[Word]


def told_by_deleted(
    relationship: Relationship, deleted: Collection[ScratchpadEntry], sentences: Collection[str]
) -> dict[UUID, set[str]]:
    """By the entry's ID: the sentences that surely say it, but for those that another active entry says as well. Load
    `relationship` with its user. Four statements, however many entries there are.
    """
    if not deleted or not sentences:
        return {}
    language = language_of(relationship.id)
    scopes = {entry.id: scope_of(relationship, _with_subject(entry)) for entry in deleted}
    words = [form for scope in scopes.values() for word in scope.wish.must for form in word.forms]
    contents = [entry.content for entry in deleted]
    stems = stems_in(language, [*contents, *words, *sentences])
    read = [_read(sentence, stems) for sentence in sentences]
    told = [one for entry in deleted for one in _told_by(entry, scopes[entry.id], read, stems)]
    found: dict[UUID, set[str]] = {}
    for one in _without_staying(relationship.id, told, deleted, language) if told else ():
        found.setdefault(one.entry_id, set()).add(one.sentence)
    return found


def _with_subject(entry: ScratchpadEntry) -> str:
    unnamed = entry.subject != USER_SUBJECT and not names_in_text(entry.content, entry.subject)
    return f"{entry.subject}: {entry.content}" if unnamed else entry.content


def _read(sentence: str, stems: Stems) -> _Sentence:
    words = words_of(sentence)
    return _Sentence(sentence, spelt(words, stems), frozenset(word.plain[:AKIN] for word in words))


def _told_by(
    entry: ScratchpadEntry, scope: Scope, sentences: Iterable[_Sentence], stems: Stems
) -> Iterator[_Told]:
    wish = scope.wish
    if wish.everything or wish.last:
        return  # nothing tells it
    own = [word for word in words_of(_with_subject(entry)) if not word.forms & STOP]
    for sentence in sentences:
        if not _may_say(wish, sentence, stems):
            continue
        judged = judge(wish, sentence.text, stems=stems, owners=scope.owners)
        if judged.verdict == Verdict.SAYS:
            held = [word for word in own if is_in(word, sentence.there, stems)]
            yield _Told(entry.id, sentence.text, held)


def _may_say(wish: Wish, sentence: _Sentence, stems: Stems) -> bool:
    """Cheaply, and never too seldom: it has a word that tells the wish, or what `judge` takes for one."""
    if not wish.must:
        return all(group & sentence.there for group in wish.may)
    return any(
        is_in(word, sentence.there, stems) or word.plain[:AKIN] in sentence.begins for word in wish.must
    ) or any(one_word(*two, sentence.there) for two in pairwise(wish.must))


def _without_staying(
    relationship_id: UUID, told: Sequence[_Told], deleted: Collection[ScratchpadEntry], language: str
) -> list[_Told]:
    """Without those of which an entry that stays has all that the sentence has, and is about whom it is about."""
    active = ScratchpadEntry.objects.for_relationship(relationship_id).active()
    staying = active.exclude(id__in=[entry.id for entry in deleted]).values_list("content", "subject")
    texts = list(staying)
    likely = [_likely(one, texts) for one in told]
    held = [form for one in told for word in one.held for form in word.forms]
    stems = stems_in(language, [*held, *(content for contents in likely for content in contents)])
    return [one for one, contents in zip(told, likely, strict=True) if not _is_said(one, contents, stems)]


def _likely(told: _Told, staying: Staying) -> list[str]:
    look = FirstLook(told.held)
    return [
        content
        for content, subject in staying
        if look.may_have_all(content) and (subject == USER_SUBJECT or names_in_text(told.sentence, subject))
    ]


def _is_said(told: _Told, contents: Iterable[str], stems: Stems) -> bool:
    spellings = (spelt(words_of(content), stems) for content in contents)
    return any(all(is_in(word, there, stems) for word in told.held) for there in spellings)
