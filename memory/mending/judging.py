"""Judge whether a text says what a wish is about: surely, perhaps, or not. Pure.

The share of the wish's words decides, so the result does not depend on other texts: it means the same among three
entries as among ten thousand. In doubt the person is asked.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum

from memory.aliases import Aliases
from memory.mending.remainders import parts_of
from memory.mending.wish_index import WishIndex
from memory.mending.wishes import (
    ASIDE,
    NO,
    ONCE,
    PAST,
    RELATIONS,
    STOP,
    WEAK,
    Wish,
    ends_as_a_name,
)
from memory.names import is_name
from memory.words import Stems, Word, fold, normal, spelt, words_of

PERHAPS = 0.5  # of the wish's words: a text with fewer doesn't say it
# A text without half of them, or without the distinctive name or number, isn't meant if another one surely says it.
MOST, NEIGHBOUR = "has most of the words", "has some of the words"
_TITLES = "|".join(
    rf"(?<=\b{title})" for title in ("Dr", "Mr", "Ms", "Mrs", "St", "Prof", "Hr", "Fr", "[A-Z]")
)
_SENTENCE = re.compile(rf"[^.!?。！？\n]*(?:(?:[.!?](?!\s|$)|(?:{_TITLES})\.)[^.!?。！？\n]*)*[.!?。！？\n]?")
_VERB = re.compile(r"(?:is|was|has|had|will|can|and|[a-z]{2,}(?:s|ed))$")
_HELPERS = frozenset({"is", "was", "has", "had", "will", "can"})  # no other verb comes before these
# A raven called Huginn has nothing to do with "my name".
_LOOSE = frozenset({"call", "called", "named", "go", "goes", "going"})


# Before a word for somebody: whose they are, and perhaps what they are like.
_OWNED = re.compile(r"(?:(?P<who>[^\W\d_][\w-]*)['’]s|\b(?:his|her)) (?:[^\W\d_]+ )?\Z", re.IGNORECASE)
_LONGEST_OWNED = 100  # characters of that


class Verdict(StrEnum):
    SAYS = "says"
    PERHAPS = "perhaps"
    NOT = "not"


@dataclass(frozen=True, slots=True)
class Judgement:
    """`score`: the share of the wish's words that the text has, 0 to 1. `sentence`: the part of it that has them."""

    verdict: Verdict
    score: float
    sentence: str
    why: str = ""


def pieces(text: str) -> Iterator[str]:
    """The sentences, each with the space before it. Joined, they are the text."""
    return (match[0] for match in _SENTENCE.finditer(text) if match[0])


def sentences(text: str) -> Iterator[str]:
    """The sentences of `normal(text)`."""
    return (piece.strip() for piece in pieces(normal(text)) if piece.strip())


def judge(
    wish: Wish,
    text: str,
    *,
    stems: Stems,
    subject: str = "",
    aliases: Aliases | None = None,
    owners: Collection[str] = (),
) -> Judgement:
    """Judge a text by its best sentence. `subject`: whom the whole text is about, if that is known and not the person.
    `owners`: the person's names.
    """
    return judge_by(WishIndex(wish, stems, aliases), text, subject=subject, owners=owners)


def judge_by(index: WishIndex, text: str, *, subject: str = "", owners: Collection[str] = ()) -> Judgement:
    """Judge a text by a wish that was prepared, as there are many texts."""
    best = Judgement(Verdict.NOT, 0.0, "")
    for sentence in sentences(text):
        found = _judge(index, sentence, subject, owners)
        if (found.verdict == Verdict.SAYS, found.score) > (best.verdict == Verdict.SAYS, best.score):
            best = found
    return best


def _judge(index: WishIndex, sentence: str, subject: str, owners: Collection[str]) -> Judgement:
    wish = index.wish
    words = words_of(sentence)
    counted = words if wish.must else words_of(ASIDE.sub(" ", sentence))
    there = index.with_aliases(spelt([*counted, *words_of(subject)], index.stems))
    numbers = index.words_in(there, words, sentence)
    held = [wish.must[number] for number in sorted(numbers)]
    groups = index.groups_in(there)
    total = len(wish.must) + 0.5 * len(wish.may)
    score = (len(held) + 0.5 * len(groups)) / total if total else 0.0
    told = [word for word in held if word.identifies]
    if score < PERHAPS and not told and len(held) < len(wish.must):
        return Judgement(Verdict.NOT, score, sentence)
    missing = [word for number, word in enumerate(wish.must) if number not in numbers]
    only_kinds = not wish.must and bool(wish.may) and all((group - _LOOSE) & there for group in wish.may)
    whole = only_kinds or (
        bool(wish.must) and not missing and (len(groups) == len(wish.may) or bool(told) or len(held) >= 2)
    )
    by_sign = bool(told) and all(not word.identifier for word in missing) and not _names(missing, wish)
    if not (whole or by_sign):
        if score >= PERHAPS or told:
            tells = any(word.identifier for word in missing) or _names(missing, wish)
            why = MOST if told or (score > PERHAPS and not tells) else NEIGHBOUR
            return Judgement(Verdict.PERHAPS, min(score, 0.99), sentence, why)
        return Judgement(Verdict.NOT, score, sentence)
    doubt = "" if told else _doubt(index, sentence, words, subject, owners)
    return Judgement(Verdict.PERHAPS if doubt else Verdict.SAYS, score, sentence, doubt)


def _names(missing: list[Word], wish: Wish) -> bool:
    return any(word.forms & RELATIONS or is_name(word, wish.text) for word in missing)


def _doubt(index: WishIndex, sentence: str, words: list[Word], subject: str, owners: Collection[str]) -> str:
    """Why the sentence may mean something else although it has the same words; "" if it can't."""
    wish = index.wish
    forms = _forms_around(index, sentence, words)
    if wish.states and wish.denies != bool(forms & NO):
        return "one denies what the other says"
    if wish.states and not wish.once and forms & ONCE:
        return "tells of earlier times"
    if wish.once and not forms & (ONCE | PAST):
        return "may tell of the present"
    if wish.theirs:
        return "the wish does not name whom it is about"
    if wish.mine and (who := _other_subject(sentence, words, subject, owners)):
        return f"is about {who}"
    return NEIGHBOUR if _of_another(wish, sentence, words, subject, owners) else ""


def _of_another(wish: Wish, sentence: str, words: list[Word], subject: str, owners: Collection[str]) -> bool:
    """Return whether the person speaks of their own father, say, and the sentence of another's: "Ana's father", or
    "his father" where it is about Leo.
    """
    asked, said = normal(wish.text), normal(sentence)
    own = {fold(part) for name in owners for part in name.split()}
    kin = [word for word in wish.must if word.forms & RELATIONS and not _owned(word, asked)]
    if not kin or any(is_name(word, wish.text) for word in wish.must):
        return False
    forms = frozenset().union(*(word.forms for word in kin))
    found = [_owned(word, said) for word in words if word.forms & forms]
    about = _other_subject(sentence, words, subject, owners)
    whose = [one and (one["who"] or about) for one in found]
    return bool(whose) and all(who and fold(who) not in own for who in whose)


def _owned(word: Word, text: str) -> re.Match[str] | None:
    return _OWNED.search(text[max(word.start - _LONGEST_OWNED, 0) : word.start])


def _forms_around(index: WishIndex, sentence: str, words: list[Word]) -> set[str]:
    """The forms of words that may negate or date it: none from parts of the sentence after the wish's words, or before
    a semicolon."""
    kinds = frozenset().union(*index.wish.may)
    held = [word for word in words if word.forms & kinds or index.has(word)]
    start, end = 0, len(sentence)
    if held:
        start = sentence.rfind(";", 0, held[0].start) + 1
        end = next((end for _, end in parts_of(sentence) if end >= held[-1].end), end)
    return {form for word in words if start <= word.start < end for form in word.forms}


def _other_subject(sentence: str, words: list[Word], subject: str, owners: Collection[str]) -> str:
    """Whom the sentence is about, if that is surely not the person; otherwise ""."""
    own = {fold(part) for name in owners for part in name.split()} | {"user"}
    if subject and fold(subject) not in own:
        return subject
    telling = [word for word in words if not word.forms & ((STOP | NO) - own)] or words
    if not telling:
        return ""
    first = telling[0]
    written = normal(sentence)[first.start : first.end]
    if first.forms & RELATIONS:
        before = words[: words.index(first)]
        said_by_me = any(word.forms & {"i", "im", "have", "has", "ich", "je", "yo"} for word in before)
        return "" if said_by_me else written
    if not first.capital or first.identifier or first.forms & (own | WEAK) or first is not words[0]:
        return ""
    after = words[words.index(first) + 1 :][:1]
    follows = normal(sentence)[after[0].start : after[0].end] if after else ""
    owned = normal(sentence)[first.end : first.end + 2] in ("'s", "’s")
    named = ends_as_a_name(written) or follows in _HELPERS or not _VERB.fullmatch(written.lower())
    return written if owned or (_VERB.fullmatch(follows) and named) else ""


def telling_words(text: str, owners: Collection[str] = ()) -> list[Word]:
    """The distinctive words of a text: no stop words, no generic words, no names of the two who talk."""
    own = {fold(part) for name in owners for part in name.split()}
    return [
        word
        for word in words_of(text)
        if word.identifier or not word.forms & (STOP | WEAK | NO | ONCE | own | {"user"})
    ]


_ABOUT = re.compile(r"\((?:about|über|sur|sobre|su|over) (?P<whom>[^()]{1,100})\)\s*\.?$", re.IGNORECASE)


def subject_of_text(text: str, owners: Collection[str]) -> str:
    """Whom a text is about, by rules: "Likes jazz (about Tom)", "Tom likes jazz"; "" if it doesn't say."""
    if about := _ABOUT.search(normal(text)):
        return about["whom"].strip()
    words = words_of(text)
    if len(words) < 3 or words[0].forms & (RELATIONS | STOP):
        return ""
    return _other_subject(text, words, "", owners)
