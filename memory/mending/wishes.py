"""Find in a message what a person asks to forget. Pure; the words and phrases are in wishes.toml."""

import re
import tomllib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from memory import quoted
from memory.names import is_name, without_titles
from memory.words import Word, fold, normal, words_of
from providers.shorthand import spelt_out

_RULES: dict[str, Any] = tomllib.loads(Path(__file__).with_name("wishes.toml").read_text())
_FLAGS = re.IGNORECASE


def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text.replace("\n", ""), _FLAGS)


def _folded(text: str) -> frozenset[str]:
    return frozenset(fold(word) for word in text.split())


STOP, NO, ONCE, PAST, RELATIONS, MINE = (
    _folded(_RULES[name]) for name in ("stop", "no", "once", "past", "relations", "mine")
)
_ENGLISH, _TELLS_ENGLISH = _folded(_RULES["english"]), _folded(_RULES["tells_english"])
SAME = [_folded(group) for group in _RULES["same"]]
_NAMES_IN_S = _folded(_RULES["names_in_s"])
_IRREGULAR = [_folded(group) for group in _RULES["irregular"].split(",")]
MINE_ONLY = frozenset({"i", "im", "ive", "ich"})  # written with a capital, and no names
_WEAK = [_folded(group) for group in _RULES["weak"]]
WEAK = frozenset().union(*_WEAK)
_ASKS = _pattern(f"(?:^|[,;:–—-] ?){_RULES['manners']}(?P<verb>{_RULES['asks']})(?P<what>.*)$")
_UNKEPT = _pattern(
    f"(?:^|[,;–—-] ?)(?:{_RULES['manners']}|no[,. ] ?)?{_RULES['asks_unkept']}{_RULES['unkept_more']}\\W*$"
)
_UNKEPT_AHEAD = _pattern(
    f"^(?:{_RULES['aside_opens']})?(?:{_RULES['manners']})?(?:"
    f"{_RULES['asks_unkept']}{_RULES['unkept_more']}(?:{_RULES['then']})|off the record[,:]\\s)(?P<told>.+)$"
)
# Without a comma before it, as people type it: "i hate my job dont write that down"
_UNKEPT_BEHIND = _pattern(
    r"\s(?:please |pls )?(?:don['’]?t|do not) write (?:that|this|it) down(?: pls| please)?\W*$"
)
# "Don't write this down. ..." speaks of what follows, unless that itself speaks of what was said before.
_AHEAD, _BACK = _pattern(r"\bthis\b"), _pattern(r"(?:it|that|this|they|he|she)(?!\w)")
_CLAUSE, _SAYS = _pattern(_RULES["clause"]), _pattern(_RULES["says"])
_SAVES = _pattern(_RULES["saves"])
_OUT_OF = _pattern(f"(?:^|[,;:–—-] ?){_RULES['manners']}{_RULES['asks_out_of']}")
_LATE = ("asks_last", "asks_behind", "asks_dense", "asks_dense_last")
_FORMS = (_OUT_OF, _ASKS, *(_pattern(_RULES[name]) for name in _LATE))
_NEVER, _LAST, _EVERYTHING = (_pattern(_RULES[name]) for name in ("never", "last", "everything"))
_TASKS, _OWN, _OF_OTHERS = (_pattern(_RULES[name]) for name in ("tasks", "own", "of_others"))
_THEY, _MANNERS = _pattern(_RULES["they"]), _pattern(rf"^{_RULES['manners']}(?<!\w)")
_STATEMENT, ASIDE = _pattern(_RULES["statement"]), _pattern(_RULES["aside"])
_REPORT, _REPORTED = _pattern(_RULES["report"]), _pattern(_RULES["reported"])
_EMOJI = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d]+")
_POINTS_BACK, _AFTERTHOUGHT, _ENDED, _EXISTED = (
    _pattern(_RULES[name]) for name in ("points_back", "afterthought", "ended", "existed")
)
_GREETS = frozenset(
    "hi hello hey thanks hallo danke salut merci hola gracias ciao grazie sorry yes well".split()
)
_SPEAKER = re.compile("^(?:我|私は|私が|僕は)")
_NOUN_OF = re.compile("(?:という|の)?こと$|的(?:事|事情)$")  # "that ..." of scripts without spaces
_TELLS = re.compile(r"\bthat (?:i|my|we|our|he|she|they|[A-Z]\w+)\b")
_TAIL = re.compile(
    r"(?:[\s,.!?]+(?:please|thanks|thank you|ok|okay|though|bitte|por favor|per favore|s'il te plaît|again"
    r"|any ?more|any longer|from now on"
    r"|from (?:your|the) (?:memory|records?|notes?|files?|mind)))+[\s.!?]*$",
    _FLAGS,
)
LONGEST_WISH = 600  # characters


@dataclass(frozen=True, slots=True)
class Wish:
    """What should be forgotten. `must`: words that a text must have; `may`: groups of which it should have one each.

    `denies`: it is about something that is not so; `states`: it repeats a statement instead of naming a topic. `mine`:
    it is about the speaker only; `theirs`: about somebody without a name. `last`: what was just said; `everything`: all
    there is.
    """

    text: str
    must: tuple[Word, ...] = ()
    may: tuple[frozenset[str], ...] = ()
    denies: bool = False
    once: bool = False
    states: bool = False
    mine: bool = False
    last: bool = False
    everything: bool = False
    theirs: bool = False


class _Unkept(NamedTuple):
    """What should not be kept. `sure`: it can't be a report of what somebody else was asked."""

    told: str
    sure: bool = False


def wish_in(said: str) -> str | None:
    """What a message asks to forget, in its own words; "" for what was said last; None: it asks for nothing.

    Requests inside quotations don't count, unless the quotation is the whole message; those inside pasted mail and
    quoted lines never do.
    """
    return _asked_in(own_words(said))


def others_wish_in(said: str) -> str | None:
    """What only a quotation or pasted text in a message asks to forget."""
    return _asked_in(_as_written_out(said)) if wish_in(said) is None else None


def unkept_in(said: str) -> str:
    """What a message surely tells and asks not to keep: "I love Walt. Don't write that down."; "" for nothing.

    Not "I told him, don't write that down", nor "Don't save that", which may be a file.
    """
    sentences = list(_sentences(own_words(said)))
    for place in range(len(sentences)):
        if unkept := _not_kept(sentences, place):
            return unkept.told if unkept.sure else ""
    return ""


def _not_kept(sentences: Sequence[str], place: int) -> _Unkept | None:
    """What a message's sentence asks not to keep: what follows in it, its own beginning, or else all that the message
    said before it (the last thing, if it says so), or after it ("Don't write this down. ..."); "" for the last
    exchange. None: it does not ask.
    """
    sentence = sentences[place]
    if ahead := _UNKEPT_AHEAD.match(sentence):
        return _Unkept(ahead["told"], sure=True)
    found = _UNKEPT.search(sentence) or _UNKEPT.search(_AFTERTHOUGHT.sub("", sentence))
    if found is None:
        found = _UNKEPT_BEHIND.search(sentence)
        told = sentence[: found.start()] if found else ""
        return _Unkept(told, sure=True) if _CLAUSE.search(told) and not _SAYS.search(told) else None
    if told := _told_before(sentence[: found.start()]):
        return _Unkept(told)
    before, after = sentences[:place], " ".join(sentences[place + 1 :])
    told = _told_before(*reversed(before)) if found["only"] else _told_before(" ".join(before))
    if not told and _AHEAD.search(found[0]) and not _BACK.match(after):
        told = _told_before(after)
    return _Unkept(told, sure=found.start() == 0 and not _SAVES.search(found[0]))


def _as_written_out(said: str) -> str:
    """A message as somebody would write it who types everything: without short forms and emoji."""
    return spelt_out(_EMOJI.sub(" ", normal(said)))


def own_words(said: str) -> str:
    """A message without the quotations and pasted texts in it that ask to forget something."""
    return quoted.own_words(_as_written_out(said), lambda text: _asked_in(text) is not None)


def _sentences(said: str) -> Iterator[str]:
    trimmed = (sentence.strip(" \"'“”¿¡")[:LONGEST_WISH] for sentence in quoted.SENTENCE.split(said))
    return filter(None, trimmed)


def _asked_in(said: str) -> str | None:
    sentences = list(_sentences(said))
    for place, sentence in enumerate(sentences):
        if unkept := _not_kept(sentences, place):
            return unkept.told[-LONGEST_WISH:]
        before = sentences[place - 1] if place else ""
        found = None
        if not _NEVER.search(sentence):
            found = next((match for form in _FORMS if (match := form.search(sentence))), None)
        if not found:
            continue
        verb = found.groupdict().get("verb") or ""
        if _OF_OTHERS.match(f"{verb}{found['what']}") and _tells_of_others(before, sentence[: found.start()]):
            continue
        what = _TAIL.sub("", _AFTERTHOUGHT.sub("", found["what"])).strip(" .!?:,")
        what = _EXISTED.sub(r"\1", what)
        # "My old number is 0171, forget it": what the message said before
        if _POINTS_BACK.match(what) and (told := _told_before(sentence[: found.start()], before)):
            return f"{_ENDED.sub('', told)} {what}"
        if _LAST.match(what) or not what:
            return ""
        if _TASKS.match(verb) and not _is_told(found["what"]):
            continue
        if _people_in(what) or not _THEY.search(what):
            return what
        return f"{what} ({_people_in(sentence[: found.start()]) or _people_in(before) or 'them'})"
    return None


def _told_before(*said: str) -> str:
    """The first of these that tells something; "" if none does."""
    return next((told for text in said if _tells(told := text.strip(" ,;:.!?。！？"))), "")


def _is_told(what: str) -> bool:
    """Return whether it is something that the speaker said, and not an object or a task."""
    return bool(_OWN.search(what)) or any(word.identifier for word in words_of(what))


def _people_in(text: str) -> str:
    """The people in a text, by name or by their relation to the speaker."""
    words = [word for word in words_of(text) if word.forms & RELATIONS or not word.forms & (STOP | NO | ONCE)]
    said = normal(text)
    return " ".join(said[one.start : one.end] for one in words if one.capital or one.forms & RELATIONS)


def _tells_of_others(*texts: str) -> bool:
    return any(word.forms & RELATIONS for text in texts for word in words_of(text))


def _tells(text: str) -> bool:
    return any(word.identifier or not word.forms & (STOP | NO | ONCE | _GREETS) for word in words_of(text))


@lru_cache(maxsize=256)
def read_wish(text: str, names: Collection[str] = ()) -> Wish:
    """Parse a wish: what `wish_in` found, or the text of a form. `names`: of the speaker and the companion."""
    asked = wish_in(text)
    what = spelt_out(text) if asked is None else asked
    what = _MANNERS.sub("", _TAIL.sub("", what)).strip()
    if not what or _LAST.match(what):
        return Wish(text, last=True)
    if _EVERYTHING.match(what):
        return Wish(text, everything=True)
    what = _NOUN_OF.sub("", _SPEAKER.sub("", _REPORT.sub("", what) or what))
    own = {fold(part) for name in names for part in name.split()}
    reported = _REPORTED.match(normal(what))
    words = [
        word
        for word in words_of(without_titles(normal(what)))
        if reported is None or word.start >= reported.end()
    ]
    stop = STOP - _ENGLISH if any(word.forms & _TELLS_ENGLISH for word in words) else STOP
    telling = [
        _with_synonyms(word)
        for word in words
        if word.identifier
        or (is_name(word, what) and not word.forms & (MINE_ONLY | own))
        or not word.forms & (stop | NO | ONCE | own)
    ]
    must = tuple(word for word in telling if word.identifier or not word.forms & WEAK)
    may = tuple(
        dict.fromkeys(
            group for word in telling if not word.identifier for group in _WEAK if word.forms & group
        )
    )
    return Wish(
        text=what,
        must=must or (() if may else tuple(telling)),
        may=may,
        denies=any(word.forms & NO for word in words),
        once=any(word.forms & ONCE for word in words),
        states=bool(_STATEMENT.match(what) or _TELLS.search(what)),
        mine=_is_mine(words, what),
        theirs=bool(_THEY.search(what)) and not _people_in(what),
    )


def _with_synonyms(word: Word) -> Word:
    same = [group for group in (*SAME, *_IRREGULAR) if word.forms & group]
    return word._replace(forms=word.forms.union(*same)) if same and not word.identifier else word


def _is_mine(words: list[Word], what: str) -> bool:
    """Return whether the speaker comes first, and not as in "my sister"."""
    for number, word in enumerate(words):
        if word.forms & MINE_ONLY or (word.forms & MINE and not is_name(word, what)):
            return not any(next_one.forms & RELATIONS for next_one in words[number + 1 : number + 3])
        if word.forms & RELATIONS or is_name(word, what) or _THEY.fullmatch(what, word.start, word.end):
            return False
    return False


def ends_as_a_name(word: str) -> bool:
    """Return whether a word in -s is a name and not a verb: Thomas, not Loves."""
    folded = fold(word)
    return folded in _NAMES_IN_S or (len(folded) > 3 and folded.endswith(("as", "is", "os", "us", "ss")))
