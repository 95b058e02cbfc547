"""Which sentences that another room wrote say what a deleted entry said, as a wish to forget it would find them."""

from collections.abc import Collection, Sequence
from uuid import UUID

from memory.entries.words import names_in_text
from memory.mending.candidates import scope_of, stems_of
from memory.mending.first_look import FirstLook
from memory.mending.judging import Verdict, judge
from memory.mending.wishes import STOP
from memory.models import USER_SUBJECT, ScratchpadEntry
from memory.words import Word, is_in, spelt, words_of
from relationships.models import Relationship

Staying = Sequence[tuple[str, str]]  # content and subject of an entry


def told_by_deleted(
    relationship: Relationship, deleted: Collection[ScratchpadEntry], sentences: Collection[str]
) -> dict[UUID, set[str]]:
    """By the entry's ID: the sentences that surely say it, but for those that another active entry says as well. Load
    `relationship` with its user.
    """
    owned = ScratchpadEntry.objects.for_relationship(relationship.id)
    active = owned.active().exclude(id__in=[entry.id for entry in deleted])
    staying = list(active.values_list("content", "subject"))
    found = {entry.id: _told_by(relationship, entry, sentences, staying) for entry in deleted}
    return {entry_id: told for entry_id, told in found.items() if told}


def _told_by(
    relationship: Relationship, entry: ScratchpadEntry, sentences: Collection[str], staying: Staying
) -> set[str]:
    unnamed = entry.subject != USER_SUBJECT and not names_in_text(entry.content, entry.subject)
    content = f"{entry.subject}: {entry.content}" if unnamed else entry.content
    scope = scope_of(relationship, content)
    wish = scope.wish
    if wish.everything or wish.last:
        return set()  # nothing tells it
    look = FirstLook(wish.must, [form for group in wish.may for form in group])
    likely = [sentence for sentence in sentences if look.may_have_any(sentence)]
    if not likely:
        return set()
    forms = [form for word in wish.must for form in word.forms]
    stems = stems_of(relationship.id, [content, *forms, *likely])
    told = set()
    for sentence in likely:
        judged = judge(wish, sentence, stems=stems, owners=scope.owners)
        there = spelt(words_of(sentence), stems)
        held = [word for word in words_of(content) if not word.forms & STOP and is_in(word, there, stems)]
        if judged.verdict == Verdict.SAYS and not _said_by_another(relationship.id, sentence, held, staying):
            told.add(sentence)
    return told


def _said_by_another(relationship_id: UUID, sentence: str, held: Sequence[Word], staying: Staying) -> bool:
    """Whether an entry that stays has all that the sentence has of the deleted one, and is about whom it is about."""
    look = FirstLook(held)
    likely = [
        content
        for content, subject in staying
        if look.may_have_all(content) and (subject == USER_SUBJECT or names_in_text(sentence, subject))
    ]
    stems = stems_of(relationship_id, [*likely, *(form for word in held for form in word.forms)])
    spellings = (spelt(words_of(content), stems) for content in likely)
    return any(all(is_in(word, there, stems) for word in held) for there in spellings)
