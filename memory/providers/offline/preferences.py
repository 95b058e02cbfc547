"""Rules: likes and dislikes, preferences of one thing over another, favourites."""

import re

from memory.providers.offline.clauses import Clause
from memory.providers.offline.notebook import Line
from memory.providers.offline.patterns import pattern
from memory.providers.offline.reading import Reading
from memory.providers.offline.rewriting import about_them, capitalised, statement, third_person, uncapitalised
from memory.providers.offline.stems import words

_LIKE = pattern(
    r"^(?:I|we) (?P<verb>love|like|enjoy|adore|hate|dislike|detest|loathe|cannot stand|cannot bear"
    r"|(?P<not>do not (?:like|love|enjoy|care for))|am (?P<not2>not )?(?:an? )?(?:(?:big|huge|massive"
    r"|great) )?(?:fan of|into|obsessed with|crazy about|passionate about|keen on|fond of"
    r"|hooked on)) (?P<object>.+)$"
)
_NOT_FOR_ME = pattern(
    r"^(?P<object>[\w' -]{3,60}?) (?:is|are) (?:just |really )?not (?:really )?(?:for me|my (?:thing|cup of tea"
    r"|style))$"
)
_IT_WHEN = pattern(
    r"^I (?:love|hate|like|cannot stand|cannot bear) it when (?:people|others|someone|strangers)\b"
)
_WARMED = pattern(
    r"^I (?:have come around to|came around to|have come to (?:like|love)|(?:have )?(?:started|learned|learnt"
    r"|grown) to (?:like|love)) (?P<object>.+)$"
)
_NOT_DISLIKED = pattern(r"^I do not (?:hate|dislike|mind) (?P<object>.+)$")
_WENT_OFF = pattern(
    r"^I (?:have gone off|went off|am (?:sick|tired) of|am over|am done with|fell out of love with"
    r"|lost interest in) (?P<object>.+)$"
)
_LOVED_TITLE = pattern(r'^I (?:loved|enjoyed|liked|hated) "[^"]{2,60}"(?: by .{2,50})?$')
_PREFER = pattern(
    r"^(?:I|we) (?P<how>prefer|would rather have|would rather|would choose|would pick|choose) (?P<first>.+?) (?:over"
    r"|to|rather than|instead of|than) (?P<second>.+)$"
)
_PREFER_ONE = pattern(r"^(?:I|we) prefer (?P<object>.+)$")
_FAVOURITE = pattern(
    r"^(?:my|our) (?:all[- ]time |absolute )?(?P<how>favourite|go-to|preferred) (?P<what>[\w' -]{2,40}?) (?:is|are"
    r"|has to be|will always be|was) (?P<value>.+)$"
)
_IS_FAVOURITE = pattern(
    r"^(?P<value>[\w' -]{2,60}?)(?: is| are|'s) (?:my|our) (?:all[- ]time "
    r"|absolute )?(?P<how>favourite)(?: (?P<what>[\w' -]{2,40}))?$"
)
_FAVOURITE_CHANGED = pattern(r"^my favourite (?P<what>[\w' -]{2,40}?) used to be ")
_NOW_IT_IS = pattern(r"^it is (?P<value>.+)$")
_NO_VALUE = pattern(r"^(?:it|that|this|these|those|you|not|when|how|the one|there|what)\b")
_NO_KIND = pattern(r"^(?:one|part|things?|way|time|moment|memory|bit)\b")
_NO_OBJECT = pattern(
    r"^(?:it|that|this|these|those|you|your|him|her|them|how|when|what|where|why|who|to (?:think|see|hear|know|be"
    r"|say|thank|ask|help)|being here|talking (?:to|with) you|the (?:idea|way|fact|sound|look|thought|vibe|design"
    r"|colou?rs?|details|concept|picture|photo|pic|song|name)|all (?:the|of)|each other|me|myself|everything|nothing"
    r"|something|seeing|hearing|knowing|using my|making|my (?:life|new)|our (?:chats?|talks?|conversations?)|one"
    r"|such|their|his|its|a lot|both|either|working on|giving|so)\b"
)
_POINTS_OUT = pattern(
    r"\b(?:here|there|this|these|those|in (?:the|that|your) (?:pic|picture|photo|painting|video)|you(?:r|rs)?"
    r"|that (?:one|idea)|today|tonight)\b"
)
_GOES_ON = pattern(
    r",? (?:any day|every time|because|when|which|if|since|so|but|and I|as long as|even though)\b|\s-\s|[(]|: "
)
MAX_WORDS = 16  # of what is liked; more is a story


def read_preferences(clause: Clause, reading: Reading) -> bool:
    """What is liked, disliked, preferred, or best of all."""
    rules = (_favourites, _changed_favourites, _comparisons, _cooled, _likes)
    return any(rule(clause, reading) for rule in rules)


def points_out(text: str) -> bool:
    """Whether the words point at something in the talk ("this one", "in the photo") and mean nothing outside it."""
    return bool(_POINTS_OUT.search(text))


def _likes(clause: Clause, reading: Reading) -> bool:
    if _LOVED_TITLE.match(clause.text) or _IT_WHEN.match(clause.text):
        reading.keep(clause, "preference", statement(clause.text))
        return True
    found = _LIKE.match(clause.text)
    thing = _object(found["object"]) if found else ""
    if not found or not thing:
        return False
    if clause.formerly and not clause.gone:
        return True  # it says nothing about today
    if clause.ended:
        return _no_longer(clause, reading, thing)
    disliked = found["not"] or found["not2"]
    verb = "Dislikes" if disliked else capitalised(_verb(found["verb"].lower()))
    reading.keep(clause, "preference", f"{verb} {about_them(thing)}")
    return True


def _verb(verb: str) -> str:
    if verb.startswith("am "):
        return f"is {verb[3:]}"
    first, _, rest = verb.partition(" ")
    return f"{third_person(first)} {rest}".strip()


def _cooled(clause: Clause, reading: Reading) -> bool:
    if found := _NOT_DISLIKED.match(clause.text):
        for line in _attitudes(clause, reading, words(found["object"]), "dislike"):
            reading.strike(line, "was not so")
        return True
    for wording, verb in ((_NOT_FOR_ME, "Dislikes"), (_WARMED, "Likes")):
        found = wording.match(clause.text)
        thing = _object(found["object"]) if found else ""
        if thing:
            reading.keep(clause, "preference", f"{verb} {about_them(uncapitalised(thing))}")
            return True
    found = _WENT_OFF.match(clause.text)
    thing = _object(found["object"]) if found else ""
    return bool(thing) and _no_longer(clause, reading, thing)


def _no_longer(clause: Clause, reading: Reading, thing: str) -> bool:
    """ "I don't like coffee anymore": the liking is put right where it is known."""
    content = f"No longer likes {about_them(thing)}"
    liked = _attitudes(clause, reading, words(thing), "like")
    liked += [
        line
        for line in reading.notebook.lines(subject=clause.subject, kind="prefer")
        if line.slot.value == " ".join(sorted(words(thing)))
    ]
    for line in liked[:1]:
        reading.rewrite(line, content)
    for line in liked[1:]:
        reading.strike(line, "no longer liked")
    if not liked:
        reading.keep(clause, "preference", content)
    return True


def _attitudes(clause: Clause, reading: Reading, thing: frozenset[str], value: str) -> list[Line]:
    lines = reading.notebook.lines(subject=clause.subject, kind="attitude")
    return [line for line in lines if line.slot.value == value and line.slot.about == thing]


def _comparisons(clause: Clause, reading: Reading) -> bool:
    if found := _PREFER.match(clause.text):
        first, second = _object(found["first"]), _object(found["second"])
        if first and second and len(second.split()) <= 8:
            to = "to " if found["how"].lower() == "would rather" and not first.endswith("ing") else ""
            reading.keep(clause, "preference", f"Prefers {to}{about_them(first)} over {about_them(second)}")
            return True
    found = _PREFER_ONE.match(clause.text)
    thing = _object(found["object"]) if found else ""
    if thing:
        reading.keep(clause, "preference", f"Prefers {about_them(thing)}")
    return bool(thing)


def _favourites(clause: Clause, reading: Reading) -> bool:
    found = _FAVOURITE.match(clause.text) or _IS_FAVOURITE.match(clause.text)
    if not found:
        return False
    value, what = found["value"].strip(" ,."), (found["what"] or "").lower().strip()
    if _NO_VALUE.match(value) or _NO_KIND.match(what) or _FAVOURITE_CHANGED.match(clause.text):
        return False
    content = (
        f"{found['how'].lower()} {what} is {about_them(value)}" if what else f"loves {uncapitalised(value)}"
    )
    reading.keep(clause, "preference", capitalised(content))
    return True


def _changed_favourites(clause: Clause, reading: Reading) -> bool:
    """ "My favourite band used to be Oasis, now it's Radiohead"."""
    if found := _FAVOURITE_CHANGED.match(clause.text):
        reading.cast.unnamed = f"favourite {found['what'].lower()}"
        return True
    found = _NOW_IT_IS.match(clause.text)
    if not found or not reading.cast.unnamed.startswith("favourite "):
        return False
    reading.keep(clause, "preference", capitalised(f"{reading.cast.unnamed} is {found['value']}"))
    reading.cast.unnamed = ""
    return True


def _object(said: str) -> str:
    """What is liked, without what the sentence goes on to say; "" where it only points at something in the talk."""
    goes_on = _GOES_ON.search(said)
    thing = (said[: goes_on.start()] if goes_on else said).strip(" ,.")
    if _NO_OBJECT.match(thing) or points_out(thing) or len(thing.split()) > MAX_WORDS:
        return ""
    return thing if words(thing) or re.search(r"\d", thing) else ""
