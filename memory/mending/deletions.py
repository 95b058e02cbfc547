"""Find sentences in other rooms that say what a deleted entry said, like a wish to forget it would."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import compress, pairwise
from typing import NamedTuple
from uuid import UUID

from memory.entries.words import names_in_text
from memory.mending.candidates import Scope, language_of, scope_of, stems_in
from memory.mending.judging import Verdict, judge_by
from memory.mending.prefilter import FirstLook, Folded
from memory.mending.wish_index import AKIN, WishIndex
from memory.mending.wishes import STOP, Wish
from memory.models import USER_SUBJECT, ScratchpadEntry
from memory.words import Stems, Word, is_in, spelt, words_of
from relationships.models import Relationship

FEW = 20  # sets of words that are each looked for


class _Sentence(NamedTuple):
    """A sentence. `there`: all spellings of its words."""

    text: str
    there: set[str]


class _Told(NamedTuple):
    """A sentence that says what a deleted entry said, and the words that both share."""

    entry_id: UUID
    sentence: str
    held: Sequence[Word]


def told_by_deleted(
    relationship: Relationship, deleted: Collection[ScratchpadEntry], sentences: Collection[str]
) -> dict[UUID, set[str]]:
    """By entry ID, the sentences that surely say it, without those that another active entry says as well.

    Load `relationship` with its user. Four statements, whatever the number of entries.
    """
    if not deleted or not sentences:
        return {}
    language = language_of(relationship.id)
    scopes = {entry.id: scope_of(relationship, _with_subject(entry)) for entry in deleted}
    words = [form for scope in scopes.values() for word in scope.wish.must for form in word.forms]
    contents = [entry.content for entry in deleted]
    stems = stems_in(language, [*contents, *words, *sentences])
    read = _Sentences(sentences, stems)
    told = [one for entry in deleted for one in _told_by(entry, scopes[entry.id], read, stems)]
    found: dict[UUID, set[str]] = {}
    for one in _without_staying(relationship.id, told, deleted, language) if told else ():
        found.setdefault(one.entry_id, set()).add(one.sentence)
    return found


def _with_subject(entry: ScratchpadEntry) -> str:
    unnamed = entry.subject != USER_SUBJECT and not names_in_text(entry.content, entry.subject)
    return f"{entry.subject}: {entry.content}" if unnamed else entry.content


class _Sentences:
    """Sentences, indexed by the spellings of their words and by the words' beginnings (judging.AKIN)."""

    def __init__(self, texts: Iterable[str], stems: Stems) -> None:
        self._stems = stems
        self._sentences: list[_Sentence] = []
        self._numbers = defaultdict[str, set[int]](set)
        for number, text in enumerate(texts):
            words = words_of(text)
            sentence = _Sentence(text, spelt(words, stems))
            self._sentences.append(sentence)
            for key in (*sentence.there, *map(_beginning, words)):
                self._numbers[key].add(number)

    def that_may_say(self, wish: Wish) -> Iterator[_Sentence]:
        """All sentences that `judge` might accept, and some more."""
        if words := wish.must:
            pairs = pairwise(words)
            joined = (one + two for first, second in pairs for one in first.forms for two in second.forms)
            numbers = self._with_any([*spelt(words, self._stems), *map(_beginning, words), *joined])
        else:
            numbers = set.intersection(*map(self._with_any, wish.may)) if wish.may else set()
        return (self._sentences[number] for number in sorted(numbers))

    def _with_any(self, keys: Iterable[str]) -> set[int]:
        return set().union(*(self._numbers.get(key, ()) for key in keys))


def _beginning(word: Word) -> str:
    return f"^{word.plain[:AKIN]}"


def _told_by(entry: ScratchpadEntry, scope: Scope, sentences: _Sentences, stems: Stems) -> Iterator[_Told]:
    wish = scope.wish
    if wish.everything or wish.last:
        return  # the wish has no distinctive words
    own = [word for word in words_of(_with_subject(entry)) if not word.forms & STOP]
    index = WishIndex(wish, stems)
    for sentence in sentences.that_may_say(wish):
        judged = judge_by(index, sentence.text, owners=scope.owners)
        if judged.verdict == Verdict.SAYS:
            held = [word for word in own if is_in(word, sentence.there, stems)]
            yield _Told(entry.id, sentence.text, held)


def _without_staying(
    relationship_id: UUID, told: Sequence[_Told], deleted: Collection[ScratchpadEntry], language: str
) -> list[_Told]:
    """Drop sentences whose shared words are all in an entry that stays and has the same subject."""
    active = ScratchpadEntry.objects.for_relationship(relationship_id).active()
    staying = active.exclude(id__in=[entry.id for entry in deleted]).values_list("content", "subject")
    subjects, texts = defaultdict[str, set[int]](set), list[Folded]()
    for number, (content, subject) in enumerate(staying):
        subjects[subject].add(number)
        texts.append(Folded(content))
    likely = _likely(told, texts)
    held = [form for one in told for word in one.held for form in word.forms]
    stems = stems_in(language, [*held, *(texts[number].text for number in likely)])
    having = defaultdict[str, set[int]](set)  # numbers of texts, by the spellings of their words
    for number in likely:
        for spelling in spelt(words_of(texts[number].text), stems):
            having[spelling].add(number)

    def is_said(one: _Told) -> bool:
        alike = (subject == USER_SUBJECT or names_in_text(one.sentence, subject) for subject in subjects)
        there = set().union(*compress(subjects.values(), alike))
        for word in one.held:
            there &= set().union(*(having.get(spelling, ()) for spelling in spelt([word], stems)))
        return bool(there)

    return [one for one in told if not is_said(one)]


def _likely(told: Sequence[_Told], texts: Sequence[Folded]) -> list[int]:
    """Numbers of the texts that may have all words of any of these; of many, that may have one of their words."""
    wanted = {tuple(word.forms for word in one.held): one.held for one in told}
    if len(wanted) > FEW:
        look = FirstLook(word for held in wanted.values() for word in held)
        return [number for number, one in enumerate(texts) if look.may_have_any(one.text)]
    may = {id(one) for held in wanted.values() for one in FirstLook(held).those_with_all(texts)}
    return [number for number, one in enumerate(texts) if id(one) in may]
