"""What a kept statement is about, read from its own words, so that a new one can find the one it replaces.

The rules' own wording is read, and the usual wording of a language model or a person ("User lives in Porto").
"""

import re
import unicodedata

from memory.providers.offline.occupations import is_job
from memory.providers.offline.patterns import pattern
from memory.providers.offline.people import PARTNERS, RELATION, RELATIONS, noun, singular
from memory.providers.offline.stems import words

_DIETS = r"vegetarian|vegan|pescatarian|pescetarian|omnivore|meat eater|flexitarian"
_LIKING = (
    r"(?:likes?|loves?|enjoys?|adores?|is fond of|is into|is (?:crazy|mad|passionate|enthusiastic) about"
    r"|is (?:an? )?(?:big |huge )?fan of|is keen on|is obsessed with)"
)
_DISLIKING = (
    r"(?:dislikes?|hates?|detests?|loathes?|cannot stand|can't stand|(?:does not|doesn't|no longer) (?:likes?|loves?"
    r"|enjoys?)|is not (?:an? )?(?:big )?(?:fan of|into|keen on|fond of)|is no longer (?:into|a fan of))"
)
_FADING = r"(?:now |no longer |does not |doesn't |is no longer |is not |currently |really |also |became |originally )*"
_READERS = {
    "move": r"(?:is|are|will be) (?:moving|going to move)(?: back)? to (?P<about>.+)|(?:will|plans? to|wants? to"
    r"|hopes? to|is thinking about|would like to|has decided to) mov(?:e|ing)(?: back)? to (?P<about2>.+)",
    "city": rf"splits their time between (?P<value2>.+)|{_FADING}(?:lives?|resides?|is living|is based)"
    r" (?:in|at|near|on|outside|with)? ?(?P<value>[^(,]+)",
    "household": r"lives with (?P<value>.+)",
    "home": r"home is (?:in|at|near|on|outside) (?P<value>.+)",
    "name": r"(?:is called|(?:full |first )?name is|goes by|prefers to be called) (?P<value>[^(]+)",
    "surname": r"(?:surname|last name|family name) is (?P<value>.+)",
    "age": r"(?:is|turned) (?P<value>\d{1,3})(?: years old)?(?: \(.*|,.*|$)",
    "birthday": r"(?:birthday is|was born) on (?P<value>.+)",
    "birthyear": r"was born in (?P<value>\d{4})",
    "birthplace": r"was born in (?P<value>.+)",
    "origin": rf"{_FADING}(?:is |comes )?(?:originally )?from (?P<value>.+)",
    "timezone": r"time ?zone is (?P<value>.+)",
    "prefer": r"(?:now )?prefers? (?P<first>.+?) (?:over|to|rather than|instead of) (?P<second>.+)",
    "favourite": r"favou?rite (?P<about>.+?) (?:is|are) (?P<value>.+)",
    "diet": rf"(?:is )?{_FADING}(?:an? )?(?P<value>{_DIETS})\b",
    "dislike": rf"(?:now |really )?{_DISLIKING} (?P<about>.+)",
    "like": rf"(?:now |really |also )?{_LIKING} (?P<about>.+)",
    "health": rf"(?:is )?{_FADING}(?:(?:allergic to|sensitive to|intolerant to) (?P<about>.+)"
    r"|(?P<about2>[\w-]+ intolerant))",
    "work": rf"{_FADING}(?:works|is working|work) (?:as|at|for|in|with|from home)\b.*|is no longer an? .+"
    r"|(?:freelances|runs (?:their|an?) own|quit their job|is (?:unemployed|retired|self-employed|between jobs)"
    r"|was laid off|got (?:laid off|fired)|lost their job|retired|left their job)\b.*",
    "partner": r"(?:is|got|has been|are) (?:no longer )?(?:happily )?(?:married|engaged|single|divorced|separated"
    r"|widowed)\b.*|broke up\b.*|is (?:dating|in a relationship)\b.*",
    "person": rf"(?:ha[sd] )?(?:an? )?(?P<relation>{RELATION})(?:,? (?:named|called|whose name is|is named|is called) "
    rf"(?P<value>[^,(]+)|, (?P<value2>[^,(]+)|'s name is (?P<value3>[^,(]+))?(?=$|,| \(| who\b)",
    "people": r"has (?P<value>(?:(?:\d+|an?|two|three|four|five|six|several|many) )?(?:[\w-]+ )??)"
    rf"(?P<relation>{RELATIONS})(?P<names>.*)",
    "speaks": r"speaks (?P<about>.+)",
}
_PATTERNS = {kind: pattern(wording) for kind, wording in _READERS.items()}
_OF_IS = ("move", "city", "name", "age", "origin", "diet", "dislike", "like", "health", "work", "partner")
_FADED = ("city", "origin", "diet", "dislike", "health", "work")
# The kinds that may begin with a word, so that a line is tried against a few patterns and not all.
_BY_FIRST_WORD: dict[str, tuple[str, ...]] = {
    "is": _OF_IS,
    "are": ("move", "partner"),
    "was": ("birthday", "birthyear", "birthplace", "work"),
    "no": _FADED,
    "does": _FADED,
    "doesn't": _FADED,
    "not": _FADED,
    "now": ("city", "prefer", "like", "dislike", "work"),
    "currently": ("city", "work"),
    "originally": ("origin",),
    "comes": ("origin",),
    "from": ("origin",),
    "became": ("diet",),
    "has": ("partner", "person", "people", "move"),
    "had": ("person",),
    "name": ("name",),
    "home": ("home",),
    "first": ("name",),
    "full": ("name",),
    "goes": ("name",),
    "surname": ("surname",),
    "last": ("surname",),
    "family": ("surname",),
    "turned": ("age",),
    "birthday": ("birthday",),
    "timezone": ("timezone",),
    "time": ("timezone",),
    "favourite": ("favourite",),
    "favorite": ("favourite",),
    "speaks": ("speaks",),
    "splits": ("city",),
    "got": ("partner", "work"),
    "broke": ("partner",),
    "really": ("like", "dislike"),
    "also": ("like",),
    "cannot": ("dislike",),
    "can't": ("dislike",),
    **dict.fromkeys(("lives", "live", "resides"), ("household", "city")),
    **dict.fromkeys(("prefers", "prefer"), ("name", "prefer")),
    **dict.fromkeys(("will", "plans", "wants", "hopes", "would"), ("move",)),
    **dict.fromkeys(("likes", "loves", "enjoys", "adores", "like", "love", "enjoy"), ("like",)),
    **dict.fromkeys(("dislikes", "hates", "detests", "loathes", "dislike", "hate"), ("dislike",)),
    **dict.fromkeys(("works", "work", "freelances", "runs", "quit", "lost", "left", "retired"), ("work",)),
}
_SUBJECT = re.compile(r"(?:(?:the )?user(?:'s)?|their|she|he|they) ")
_NEGATED = re.compile(r"(?:is |does |became )*(?:no longer|not)\b|doesn't")
_IS_A = re.compile(r"is (?:currently )?an? (?P<role>.+)")


class Slot:
    """`kind` and `about` say which statement it is, `value` what it says; two that differ in value alone exclude."""

    __slots__ = ("_about", "_about_text", "kind", "value")

    def __init__(self, kind: str, value: str, *, about: str = "") -> None:
        """`about` is the text whose telling words the statement is about; they are only worked out when asked for."""
        self.kind = kind
        self.value = value
        self._about_text = about
        self._about: frozenset[str] | None = None

    @property
    def about(self) -> frozenset[str]:
        if self._about is None:
            self._about = words(self._about_text)
        return self._about

    @property
    def negated(self) -> bool:
        """Whether it says that something is not, or no longer, so."""
        return self.value.startswith("not ")


def slot_of(statement: str, *, type: str, called: str = "") -> Slot:
    """The slot of a folded statement about somebody who is `called` so, folded as well.

    What fits no known kind is about all its words, dates aside.
    """
    text = without_subject(statement, called)
    first, _, _ = text.partition(" ")
    for kind in _BY_FIRST_WORD.get(first, ("person",)):
        if found := _PATTERNS[kind].match(text):
            return _slot(kind, text, found.groupdict())
    job = _IS_A.match(text) if first == "is" else None
    if job and is_job(job["role"]):
        return Slot("work", text)
    return Slot(type if type in ("goal", "event") else "other", text, about=text)


def folded(text: str) -> str:
    """`text` as it counts when two are compared: Unicode form, case, white space and closing punctuation aside."""
    return " ".join(unicodedata.normalize("NFKC", text).replace("\u2019", "'").casefold().split()).rstrip(
        " .!?,;:"
    )


def without_subject(text: str, called: str) -> str:
    """Folded text without whom it is about: "ana lives in faro" -> "lives in faro"."""
    if called and text.startswith(f"{called} "):
        return text[len(called) + 1 :]
    found = _SUBJECT.match(text)
    return text[found.end() :] if found else text


def _slot(kind: str, text: str, groups: dict[str, str | None]) -> Slot:
    value = next((found for name, found in groups.items() if name.startswith("value") and found), "")
    about = next((found for name, found in groups.items() if name.startswith("about") and found), "")
    if kind == "prefer":
        return Slot(
            kind,
            " ".join(sorted(words(groups["first"] or ""))),
            about=f"{groups['first']} {groups['second']}",
        )
    if kind in ("person", "people"):
        return _person(kind, groups["relation"] or "", f"{value}{groups.get('names') or ''}".strip())
    if kind in ("like", "dislike"):
        return Slot("attitude", kind, about=about)
    value = value.strip() or text
    if kind in ("city", "diet", "health", "origin") and _NEGATED.match(text):
        value = f"not {value}"
    return Slot(kind, value, about=about)


def _person(kind: str, relation: str, value: str) -> Slot:
    who = singular(relation) if kind == "people" else noun(relation)
    if who in PARTNERS:
        return Slot("partner", value or who)
    return Slot(kind, value, about=who)
