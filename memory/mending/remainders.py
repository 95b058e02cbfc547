"""What is left of an entry when one of its facts goes: "Has a cat and drives a Volvo" without the car. Pure.

It divides only at punctuation and at the words for "and" in a few languages, and returns nothing if it is not sure.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence

from memory.mending.wishes import RELATIONS, Wish, ends_as_a_name
from memory.words import Stems, Word, is_in, normal, spelt, words_of

_JOINT = re.compile(
    r"(?P<end>(?<![.!?;。！？])[.!?;。！？]+\s+)"
    r"|(?:,|(?<![, ])) +(?:and|but|und|aber|sowie|et|mais|y|e|pero|ma|mas|en|maar|while|whereas) +|, +",
    re.IGNORECASE,
)
_STARTS = re.compile(
    r"(?:(?:is|has|was|does|can|cannot|will|hat|ist|war|a|est|es|tiene|ha|è|heeft|tem)"
    r"|sold|told|made|took|gave|grew|won|began|became|drove|flew|broke|chose|saw|ran|read|found"
    r"|[a-z]{3,}(?:s|ed)|[a-zäöü]{3,}t|no longer|never|kein\w*)\b(?! ?(?:$|,))"
)
# After these words a list of things begins.
_LEADS = re.compile(
    r"\b(?:to|in|with|for|of|at|by|on|from|likes|loves|has|drinks|eats|speaks|plays|owns|mag|aime|gegen)\s+(?=\S)",
    re.IGNORECASE,
)
_ARTICLE = re.compile(
    r"(?:a|an|the|his|her|their|some|two|three|four|ein\w*|der|die|das|un|une|el|la|les|los)\b", re.IGNORECASE
)
_SINGULAR = {"are": "is", "were": "was", "have": "has", "do": "does", "both": ""}


def without(wish: Wish, text: str, *, stems: Stems) -> str | None:
    """The text without what the wish is about; None: that is all of it, or it can't be divided safely."""
    said = normal(text).strip()
    pieces = parts_of(said)
    if len(pieces) < 2 or wish.everything:
        return None
    head = _head(said)
    inside = _words_by_piece(said, pieces)
    hits = _hits(wish, pieces, inside, head, stems)
    if len(pieces) == 2 and (shared := _of_two_people(wish, said, pieces, stems)):
        return shared
    most = max(hits)
    going = [number for number, count in enumerate(hits) if count and count == most]
    if not most or len(going) != 1 or any(count for number, count in enumerate(hits) if number not in going):
        return None
    going_words = inside[going[0]]
    gone = [
        word for word in going_words if any(is_in(asked, spelt([word], stems), stems) for asked in wish.must)
    ]
    return _rest(said, pieces, going[0], head, gone)


def parts_of(said: str) -> list[tuple[int, int]]:
    spans, place = [], 0
    for match in _JOINT.finditer(said):
        if match.start() > place:
            spans.append((place, match.start() + (len(match["end"].rstrip()) if match["end"] else 0)))
        place = match.end()
    if place < len(said):
        spans.append((place, len(said)))
    return spans


def _head(said: str) -> list[Word]:
    """The words at the beginning that say whom the text is about: a name, a relation and a name, "User"."""
    head: list[Word] = []
    words = words_of(said)
    for number, word in enumerate(words):
        follows = words[number + 1] if number + 1 < len(words) else None
        written = said[word.start : word.end]
        lead = (
            word.capital
            and follows is not None
            and (ends_as_a_name(written) or not _STARTS.match(written.lower() + " x"))
        )
        if not (lead or word.forms & (RELATIONS | {"my", "user", "the"})):
            break
        head.append(word)
    if not head or len(head) == len(words):
        return []
    rest = said[words[len(head)].start :]
    return head if _STARTS.match(rest) or (rest[:1].isalpha() and rest.split()[0] in _SINGULAR) else []


def _words_by_piece(said: str, pieces: list[tuple[int, int]]) -> list[list[Word]]:
    """The words of each piece."""
    inside: list[list[Word]] = [[] for _ in pieces]
    begins = [begin for begin, _ in pieces]
    for word in words_of(said):
        number = bisect_right(begins, word.start) - 1
        if number >= 0 and word.start < pieces[number][1]:
            inside[number].append(word)
    return inside


def _hits(
    wish: Wish, pieces: list[tuple[int, int]], inside: list[list[Word]], head: list[Word], stems: Stems
) -> list[int]:
    """Count the wish's words in each piece, without those that all pieces share."""
    hits = []
    for (begin, _), words in zip(pieces, inside, strict=True):
        own = [word for word in words if word not in head]
        there = spelt(own, stems)
        held = [word for word in wish.must if is_in(word, there, stems)]
        if begin == 0 and own and len(wish.must) > 1:
            held = [word for word in held if word.identifier or not is_in(word, spelt(own[:1], stems), stems)]
        hits.append(len(held))
    return hits


def _rest(
    said: str, pieces: list[tuple[int, int]], going: int, head: list[Word], going_words: Sequence[Word]
) -> str | None:
    left = [number for number in range(len(pieces)) if number != going]
    if going > 0 and len(left) == going:  # the last piece goes
        kept = said[: pieces[going - 1][1]]
        return kept.rstrip(" ,;")
    start, end = pieces[left[0]] if going == 0 else pieces[going]
    if going == 0:
        after = said[start:]
        whom = said[: head[-1].end] + " " if head else ""
        if said[pieces[0][1] - 1] in ".!?;":
            return after
        if _STARTS.match(after) and not _ARTICLE.match(after):
            return whom + after if whom else after[0].upper() + after[1:]
        return _list_without_first(said, pieces, after, going_words)
    following = pieces[going + 1][0]
    return (said[: pieces[going - 1][1]] + said[end:following] + said[following:]).strip()


def _list_without_first(
    said: str, pieces: list[tuple[int, int]], after: str, going: Sequence[Word]
) -> str | None:
    """ "Likes tea and coffee" without the tea: up to where the list begins, then what is left of it. None where words
    that go stand before that: "Bought a house in Graz and ..." is no list of towns."""
    leads = list(_LEADS.finditer(said, 0, pieces[0][1]))
    if not leads or any(word.start < leads[-1].end() for word in going):
        return None
    return said[: leads[-1].end()] + after


def _of_two_people(wish: Wish, said: str, pieces: list[tuple[int, int]], stems: Stems) -> str | None:
    """ "Anna and Tom live in Graz" without Tom: "Anna lives in Graz"."""
    one = words_of(said[slice(*pieces[0])])
    other = [word for word in words_of(said) if word.start >= pieces[1][0]]
    if (
        not one
        or not all(word.capital or word.forms & RELATIONS for word in one)
        or len(one) > 2
        or not other
    ):
        return None
    names = [other[0]] + ([other[1]] if len(other) > 1 and other[1].capital else [])
    if not (names[0].capital or names[0].forms & RELATIONS):
        return None
    asked_one = any(is_in(word, spelt(one, stems), stems) for word in wish.must)
    asked_other = any(is_in(word, spelt(names, stems), stems) for word in wish.must)
    if asked_one == asked_other:
        return None
    stays = said[slice(*pieces[0])] if asked_other else said[names[0].start : names[-1].end]
    verb, _, rest = said[names[-1].end :].strip().partition(" ")
    if verb == "both":
        verb, _, rest = rest.partition(" ")
    if not verb.isascii() or not verb.isalpha():
        return None
    singular = _SINGULAR.get(verb) or (
        verb if verb.endswith("ed") else verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "o")) else "s")
    )
    return f"{stays} {singular} {rest}".strip()


def says_more(wish: Wish, text: str, *, stems: Stems) -> bool:
    """Return whether a text has other parts that the wish does not mention."""
    said = normal(text).strip()
    head, pieces = _head(said), parts_of(said)
    if not wish.must:  # a kind of fact: what comes before is another one, what follows may belong to it
        return bool(pieces) and not any(
            group & spelt(words_of(said[slice(*pieces[0])]), stems) for group in wish.may
        )
    own = _hits(wish, pieces, _words_by_piece(said, pieces), head, stems)
    return len(own) > 1 and any(not count for count in own) and any(own)
