"""Rules: likes and dislikes, preferences of one thing over another, favourites, habits."""

import re

from memory.providers.offline.clauses import Clause
from memory.providers.offline.notebook import Line
from memory.providers.offline.reading import Reading
from memory.providers.offline.rewriting import about_them, capitalised, statement, third_person, uncapitalised
from memory.providers.offline.stems import words

_LIKE = re.compile(
    r"^(?:I|we) (?P<verb>love|like|enjoy|adore|hate|dislike|detest|loathe|cannot stand|cannot bear|do not (?:like|love|enjoy|care for)"
    r"|am (?:not )?(?:an? )?(?:(?:big|huge|massive|great) )?(?:fan of|into|obsessed with|crazy about|passionate about|keen on"
    r"|fond of|hooked on))"
    r" (?P<object>.+)$",
    re.IGNORECASE,
)
_DENIED_DISLIKE = re.compile(r"^I do not (?:hate|dislike|mind) (?P<object>.+)$", re.IGNORECASE)
_WENT_OFF = re.compile(
    r"^I (?:have gone off|went off|am (?:sick|tired) of|am (?:so )?over|am done with|fell out of love with|lost interest in) (?P<object>.+)$", re.IGNORECASE
)
_LOVED_TITLE = re.compile(r'^I (?P<verb>loved|enjoyed|liked|hated) (?P<object>"[^"]{2,60}"(?: by .{2,50})?)$', re.IGNORECASE)
_PREFER = re.compile(
    r"^(?:I|we) (?:prefer|would rather have|would rather) (?P<first>.+?) (?:over|to|rather than|instead of|than) (?P<second>.+)$",
    re.IGNORECASE,
)
_PREFER_ONE = re.compile(r"^(?:I|we) prefer (?P<object>.+)$", re.IGNORECASE)
_FAVOURITE = re.compile(
    r"^(?:my|our) (?:all[- ]time |absolute )?(?P<how>favourite|go-to|preferred) (?P<what>[\w' -]{2,40}?) (?:is|are|has to be|will always be|was) (?P<value>.+)$",
    re.IGNORECASE,
)
_IS_FAVOURITE = re.compile(
    r"^(?P<value>[\w' -]{2,60}?)(?: is| are|'s) (?:my|our) (?:all[- ]time |absolute )?favourite(?: (?P<what>[\w' -]{2,40}))?$", re.I
)
_FAVOURITE_CHANGED = re.compile(r"^my favourite (?P<what>[\w' -]{2,40}?) used to be (?P<old>.+)$", re.IGNORECASE)
_NOW_IT_IS = re.compile(r"^it is (?P<value>.+)$", re.IGNORECASE)
_REQUEST = re.compile(
    r"^(?:please )?(?P<what>(?:always|never|from now on|in (?:the )?future|please do not|do not ever)[, ]+(?:please )?(?:do not |always |never )?"
    r"(?:answer|reply|respond|use|speak|write|keep|give me|give us|send|be|remind|ask|explain|address|talk|call|suggest|include|tell|start|end|message|text)\b.+)$",
    re.IGNORECASE,
)
_UNSAFE = re.compile(
    r"\b(?:ignore|disregard|delete|erase|instructions?|rules?|prompt|reveal|pretend|password|entries|memory|jailbreak|remember)\b", re.I
)
_EVERY = re.compile(
    r"\b(?:every (?!one|body|thing|time)\w+|each (?:day|week|morning|evening|night|month|year|summer|winter)|(?:once|twice|\w+ times) an?"
    r" (?:day|week|month|year)|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|(?:most|on) (?:weekends|mornings|evenings|days))\b",
    re.IGNORECASE,
)
_HABIT = re.compile(r"^(?:I|we) (?P<verb>[a-z]+) .+$", re.IGNORECASE)
_NO_HABITS = frozenset(
    "am have was were feel think know say tell see hear get love like hate want need hope wish try cannot do did had will would "
    "learn find worry thank wonder forget remember believe".split()
)
_REGULAR = re.compile(
    r"^(?:I|we) (?:(?:always|usually|often) )?(?P<verb>play|collect|volunteer|mentor|coach|teach|practi[sc]e|sing in|paint|knit|bake"
    r"|garden|meditate|drive an?|ride an?|do (?:yoga|pilates|karate|judo|ballet|crossfit|boxing))\b(?P<rest>.*)$",
    re.IGNORECASE,
)
_USUALLY = re.compile(r"^(?:I|we) (?:always|usually|often) (?P<verb>drink|eat|have|cook|wear|read|watch|walk|cycle|take|go|work)\b(?! (?:a few|some)\b).+$", re.I)
_NO_OBJECT = re.compile(
    r"^(?:it|that|this|these|those|you|your|him|her|them|how|when|what|where|why|who|to (?:think|see|hear|know|be|say|thank|ask|help)"
    r"|being here|talking (?:to|with) you|the (?:idea|way|fact|sound|look|thought|vibe|design|colou?rs?|details|concept|picture"
    r"|photo|pic|song|name)|all (?:the|of)|each other|me|myself|everything|nothing|something|seeing|hearing|knowing|using my"
    r"|making|my (?:life|new)|our (?:chats?|talks?|conversations?)|one|such|their|his|its|when|a lot|both|either|working on|giving|so)\b",
    re.IGNORECASE,
)
_POINTS_OUT = re.compile(r"\b(?:here|there|in (?:the|that|this|your) (?:pic|picture|photo|painting|video)|you(?:r|rs)?|that (?:one|idea)|today|tonight)\b", re.I)
_DISLIKES = ("hate", "dislike", "detest", "loathe", "cannot", "do not", "am not")


def read_preferences(clause: Clause, reading: Reading) -> bool:
    """What is liked, disliked, preferred, done regularly, or asked of the companion for good."""
    rules = (_favourites, _comparisons, _likes, _requests, _habits)
    return any(rule(clause, reading) for rule in rules)


def _likes(clause: Clause, reading: Reading) -> bool:
    if found := _LOVED_TITLE.match(clause.text):
        reading.keep(clause, "preference", statement(clause.text))
        return True
    if found := _WENT_OFF.match(clause.text):
        return bool(_object(found["object"])) and _no_longer(clause, reading, _object(found["object"]))
    if found := _DENIED_DISLIKE.match(clause.text):
        _strike_attitudes(clause, reading, found["object"], "dislike")
        return True
    found = _LIKE.match(clause.text)
    if not found:
        return False
    verb, thing = found["verb"].lower(), _object(found["object"])
    if not thing or not words(thing):
        return False
    if clause.formerly and not clause.gone:
        return True  # it says nothing about today
    if clause.ended:
        return _no_longer(clause, reading, thing)
    content = capitalised(f"{_verb(verb)} {about_them(thing)}")
    if verb.startswith(_DISLIKES):
        content = f"Dislikes {about_them(thing)}" if verb.startswith("do not") or verb.startswith("am not") else content
    reading.keep(clause, "preference", content)
    return True


def _verb(verb: str) -> str:
    if verb.startswith("am "):
        return f"is {verb[3:]}"
    first, _, rest = verb.partition(" ")
    return f"{third_person(first)} {rest}".strip()


def _no_longer(clause: Clause, reading: Reading, thing: str) -> bool:
    """ "I don't like coffee anymore" and "I used to love it": the liking is put right where it is known."""
    content = f"No longer likes {about_them(thing)}"
    liked = [
        line
        for line in reading.notebook.lines(subject=clause.subject)
        if (line.slot.kind == "attitude" and line.slot.value == "like" and line.slot.about == words(thing))
        or (line.slot.kind == "prefer" and line.slot.value == " ".join(sorted(words(thing))))
    ]
    for line in liked[:1]:
        reading.rewrite(line, content)
    for line in liked[1:]:
        reading.strike(line, "no longer liked")
    if not liked and not clause.formerly:
        reading.keep(clause, "preference", content)
    return True


def _strike_attitudes(clause: Clause, reading: Reading, thing: str, value: str) -> None:
    for line in reading.notebook.lines(subject=clause.subject, kind="attitude"):
        if line.slot.value == value and line.slot.about == words(thing):
            reading.strike(line, "was not so")


def _comparisons(clause: Clause, reading: Reading) -> bool:
    found = _PREFER.match(clause.text)
    if found:
        first, second = _object(found["first"]), _object(found["second"])
        if first and second and words(first) and len(second.split()) <= 8 and not second.startswith(("be ", "do ")):
            verb = "to " if re.match(r"^(?:I|we) would rather (?!have)", clause.text, re.I) and not first.endswith("ing") else ""
            reading.keep(clause, "preference", f"Prefers {verb}{about_them(first)} over {about_them(second)}")
            return True
    found = _PREFER_ONE.match(clause.text)
    thing = _object(found["object"]) if found else ""
    if thing and words(thing):
        reading.keep(clause, "preference", f"Prefers {about_them(thing)}")
        return True
    return False


def _favourites(clause: Clause, reading: Reading) -> bool:
    if found := _FAVOURITE_CHANGED.match(clause.text):
        reading.cast.unnamed = f"favourite {found['what'].lower()}"
        return True
    if (found := _NOW_IT_IS.match(clause.text)) and reading.cast.unnamed.startswith("favourite "):
        what, reading.cast.unnamed = reading.cast.unnamed, ""
        reading.keep(clause, "preference", capitalised(f"{what} is {found['value']}"))
        return True
    found = _FAVOURITE.match(clause.text) or _IS_FAVOURITE.match(clause.text)
    if not found:
        return False
    value, what = found["value"].strip(" ,."), (found["what"] or "").lower().strip()
    if re.match(r"^(?:it|that|this|these|those|you|not|when|how|the one|there|what)\b", value, re.I) or re.match(r"^(?:one|part|thing|things|way|time|moment|memory|bit)\b", what):
        return False
    if what:
        how = (found.groupdict().get("how") or "favourite").lower()
        reading.keep(clause, "preference", capitalised(f"{how} {what} is {about_them(value)}"))
    else:
        reading.keep(clause, "preference", f"Loves {uncapitalised(value)}")
    return True


def _requests(clause: Clause, reading: Reading) -> bool:
    found = _REQUEST.match(clause.text)
    if not found or clause.subject != "user" or _UNSAFE.search(clause.text) or len(found["what"].split()) < 3:
        return False
    what = re.sub(r"^(?:from now on|in (?:the )?future),? (?:please )?", "always ", found["what"], flags=re.IGNORECASE)
    reading.keep(clause, "preference", f"Asks the companion: {about_them(what)}")
    return True


def _habits(clause: Clause, reading: Reading) -> bool:
    found = _REGULAR.match(clause.text)
    if found and _is_regular(found):
        reading.keep(clause, "other", statement(clause.text))
        return True
    found = _USUALLY.match(clause.text) or (_HABIT.match(clause.text) if _EVERY.search(clause.text) else None)
    if not found or found["verb"].lower() in _NO_HABITS and found.re is _HABIT or _POINTS_OUT.search(clause.text):
        return False
    if found["verb"].lower().endswith("ed") or len(words(_EVERY.sub(" ", clause.text))) < 1 + (found["verb"].lower() in ("go", "do")):
        return False
    reading.keep(clause, "other", statement(clause.text))
    return True


def _is_regular(found: re.Match[str]) -> bool:
    rest = found["rest"].strip()
    if found["verb"].lower() == "play" and (not rest or re.match(r"^(?:with|around|it|along|a role|safe|dead)\b", rest)):
        return False
    return not _POINTS_OUT.search(rest) and not re.match(r"^(?:it|this|that|these|them)\b", rest)


def _object(said: str) -> str:
    """What is liked, without what only points at something in the talk; "" where nothing is left."""
    cut = re.search(r",? (?:because|when|which|if|since|so|but|and I|as long as|even though)\b|\s-\s|[(]|: ", said)
    thing = (said[: cut.start()] if cut else said).strip(" ,.")
    if _NO_OBJECT.match(thing) or _POINTS_OUT.search(thing) or re.search(r"\b(?:this|these|those)\b", thing) or len(thing.split()) > 16:
        return ""
    return thing


_ = Line
