"""From what a person says of themselves to how it is kept: "I love my garden" becomes "Loves their garden"."""

import re

_IRREGULAR_PAST = frozenset(
    "ate beat became began bought broke brought built came caught chose did drank drew drove fell felt flew forgot "
    "found fought gave got grew had held kept knew lay left lent lost made meant met paid ran rode rose said sang "
    "sat saw sent shot slept sold spent spoke stole stood swam taught thought threw told took understood was went "
    "were woke won wore wrote".split()
)
# Their past looks like their present; what is said of them is nearly always past.
_SAME_IN_PAST = frozenset(["put", "cut", "hit", "quit", "let", "set", "hurt"])
_NOT_PAST = frozenset("need feed speed succeed exceed proceed breed bleed embed shed weed seed heed".split())
_MODALS = frozenset("will would can cannot could must may might should used no never had".split())
_IRREGULAR_THIRD = {
    "am": "is",
    "are": "is",
    "have": "has",
    "do": "does",
    "was": "was",
    "were": "was",
    "go": "goes",
}
_FIRST_OF_THIRD = {"is": "am", "has": "have", "does": "do", "goes": "go", "are": "am", "were": "was"}
_PRONOUNS = {
    "i am": "they are", "we are": "they are", "i was": "they were", "i have": "they have", "i do": "they do",
    "i": "they", "me": "them", "my": "their", "mine": "theirs", "myself": "themselves",
    "we": "they", "us": "them", "our": "their", "ours": "theirs", "ourselves": "themselves",
}  # fmt: skip
_PRONOUN = re.compile(
    r"\b(i (?:am|was|have|do)|we are|i|me|my|mine|myself|we|us|our|ours|ourselves)\b", re.IGNORECASE
)
_ADVERB = frozenset(["always", "usually", "often", "never", "sometimes", "mostly"])


def is_past(verb: str) -> bool:
    """Whether the verb form tells of the past ("went", "visited", "quit")."""
    verb = verb.lower()
    if verb in _IRREGULAR_PAST or verb in _SAME_IN_PAST:
        return True
    return len(verb) > 3 and verb.endswith("ed") and verb not in _NOT_PAST


def third_person(verb: str) -> str:
    """The form that goes with she or he: go -> goes, study -> studies, went -> went, will -> will."""
    if verb in _IRREGULAR_THIRD:
        return _IRREGULAR_THIRD[verb]
    if verb in _MODALS or is_past(verb):
        return verb
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"


def first_person(verb: str) -> str:
    """The form that goes with I: goes -> go, studies -> study, went -> went."""
    if verb in _FIRST_OF_THIRD:
        return _FIRST_OF_THIRD[verb]
    if is_past(verb) or not verb.endswith("s") or verb.endswith("ss"):
        return verb
    if verb.endswith("ies") and len(verb) > 4:
        return verb[:-3] + "y"
    if verb.endswith(("ches", "shes", "xes", "zes", "sses", "oes")):
        return verb[:-2]
    return verb[:-1]


def about_them(text: str) -> str:
    """`text` with the speaker's pronouns turned: "my dog and I" -> "their dog and they"."""
    return _PRONOUN.sub(lambda found: _PRONOUNS[found.group().lower()], text)


def statement(text: str) -> str:
    """A clause that begins with I or we as a kept statement: "I went to my sister's" -> "Went to their sister's"."""
    words = text.split(" ")
    rest = words[1:] if words[0].lower() in ("i", "we") else words
    place = 1 if len(rest) > 1 and rest[0].lower() in _ADVERB else 0
    verb = rest[place].lower()
    rest = [*rest[:place], third_person(verb), *rest[place + 1 :]]
    return capitalised(about_them(" ".join(rest)))


def capitalised(text: str) -> str:
    """`text` trimmed, without closing punctuation, its first letter a capital."""
    text = " ".join(text.split()).strip(" ,;:.!-")
    return text[:1].upper() + text[1:]


def uncapitalised(text: str) -> str:
    """The statement as it goes on after a name: "Lives in Faro" -> "lives in Faro"."""
    return text[:1].lower() + text[1:]


def plural(text: str) -> str:
    """A statement on several: "Is visiting them" -> "are visiting them"."""
    verb, _, rest = text.partition(" ")
    verb = verb.lower()
    several = {"is": "are", "was": "were", "has": "have", "does": "do"}.get(verb) or first_person(verb)
    return f"{several} {rest}"


def with_article(noun: str) -> str:
    """The noun with a or an: "only child" -> "an only child"."""
    return (
        f"an {noun}"
        if noun[:1].lower() in "aeiou" and not noun.lower().startswith(("uni", "eu"))
        else f"a {noun}"
    )
