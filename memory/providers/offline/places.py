"""Rules: where the person lives, where they come from, and moves from one place to another."""

import re

from memory.providers.offline.clauses import Clause
from memory.providers.offline.dates import find_dates, without_dates
from memory.providers.offline.notebook import Line
from memory.providers.offline.patterns import pattern
from memory.providers.offline.people import clean_name
from memory.providers.offline.reading import Reading
from memory.providers.offline.rewriting import about_them, statement
from memory.providers.offline.stems import words

_LIVE = pattern(
    r"^(?:I|we) (?:live|am living|are living|am based|are based|reside|am settled) (?P<how>in|at|near|on"
    r"|outside) (?P<place>.+)$"
)
_BEEN_IN = pattern(r"^(?:I|we) have been in (?P<place>.+?) (?P<since>since .+|for (?:\w+ ){1,2}years?)$")
_LIVE_WITH = pattern(r"^(?:I|we) (?:live|am living|are living) with (?P<whom>.+)$")
_BETWEEN = pattern(r"^(?:I|we) (?:split my time|live) between (?P<where>.+)$")
_HOME_IS = pattern(
    r"^(?:home (?:for me )?is|my home ?town is|my home is|my home city is) (?:now )?(?:in )?(?P<place>.+)$"
)
_FLAT_IS = pattern(
    r"^(?:(?:my|our) (?:new )?(?:flat|apartment|house|place|home) is|(?:I|we) have (?:an?|my own"
    r"|our own) (?:\w+ )?(?:flat|apartment|house|studio|place|room)) (?P<how>in|at|near|on|outside) (?P<place>.+)$"
)
_MOVED = pattern(
    r"^(?:I|we) (?:moved|relocated|emigrated|moved house)(?: back)?(?: in with [\w' ]{2,30}?)?(?: from "
    r"(?P<origin>[\w' ]{2,40}?))? (?:to|into|in) (?P<place>.+)$"
)
_MOVING = pattern(
    r"^(?:I|we) (?:(?:am|are|will be) (?:moving|relocating)|(?:am going to|are going to|will) (?:move"
    r"|relocate))(?: back)?(?: to (?P<place>.+)| (?P<out>house|out|in with .+))$"
)
_NOT_LIVE = pattern(
    r"^(?:I|we) (?:do not|am not|are not) (?:live|living|based) (?:in|at|near) (?P<place>.+)$"
)
_FROM = pattern(r"^(?:I|we) (?:am|are|come)(?: originally)? from (?P<place>.+)$")
_GREW_UP = pattern(r"^(?:I|we) (?:grew up|was raised) (?P<how>in|on|near|outside) (?P<place>.+)$")
_BOUNDARY = re.compile(
    r"\s+(?:with|for|since|because|where|when|while|after|before|until|and|but|to|as|from|which|who|by|during|so"
    r"|these)\b|\s*[,(](?!\s*[A-Z])|\s-\s",
)
_KIND_OF_PLACE = re.compile(
    r"^(?:an?|the|my|our) (?:\w+[ -]){0,3}?(?:flat|apartment|house|houseboat|village|town|city|suburb|suburbs"
    r"|countryside|farm|studio|dorm|cottage|island|hostel|cabin|van|boat|centre|center|coast|mountains|north|south"
    r"|east|west|place|room|neighbou?rhood|building|castle|monastery)\b"
)
_NO_PLACES = frozenset(
    "peace fear hope harmony poverty pain love denial the a my our your his her their this that constant hell "
    "heaven shock marketing sales management silence it them bed trouble here there another different".split()
)
MAX_PLACE = 80  # characters


def read_places(clause: Clause, reading: Reading) -> bool:
    """Homes, moves that were made, moves to come, and origins."""
    rules = (_homes, _flats, _household, _two_homes, _moves, _moves_to_come, _no_homes, _origins)
    return any(rule(clause, reading) for rule in rules)


def place_in(said: str, clause: Clause) -> str:
    """The place that `said` begins with, "" if there is none: a name, or a kind of place ("a village near Évora")."""
    text = without_dates(said).strip(" ,.!")
    cut = _BOUNDARY.search(text, 1)
    text = (text[: cut.start()] if cut else text).strip(" ,.!")
    if not text or len(text) > MAX_PLACE:
        return ""
    if _KIND_OF_PLACE.match(text.lower()):
        return text
    if text.split()[0].lower() in _NO_PLACES:
        return ""
    if clause.lowercase and len(text.split()) <= 3:
        return text.title()
    return text if clean_name(text.removeprefix("the ").split()[0]) else ""


def _homes(clause: Clause, reading: Reading) -> bool:
    found = _LIVE.match(clause.text) or _BEEN_IN.match(clause.text)
    if not found and clause.subject == "user":
        found = _HOME_IS.match(clause.text)
    place = place_in(found["place"], clause) if found else ""
    if not found or not place:
        return False
    how = found.groupdict().get("how") or "in"
    reading.keep(clause, "identity", f"Lives {how} {place}", key="city")
    return True


def _flats(clause: Clause, reading: Reading) -> bool:
    """Where in town; it refines the city and does not replace it."""
    found = _FLAT_IS.match(clause.text)
    place = place_in(found["place"], clause) if found and clause.subject == "user" else ""
    if not found or not place:
        return False
    reading.keep(clause, "identity", f"Home is {found['how']} {place}")
    return True


def _household(clause: Clause, reading: Reading) -> bool:
    found = _LIVE_WITH.match(clause.text)
    if not found or not (words(found["whom"]) or clause.subject != "user"):
        return False
    reading.keep(clause, "relationship", f"Lives with {about_them(without_dates(found['whom']).strip())}")
    return True


def _two_homes(clause: Clause, reading: Reading) -> bool:
    found = _BETWEEN.match(clause.text)
    if not found or not any(clean_name(word) for word in found["where"].split()):
        return False
    reading.keep(clause, "identity", statement(clause.text), key="city")
    return True


def _moves(clause: Clause, reading: Reading) -> bool:
    found = _MOVED.match(clause.text)
    place = place_in(found["place"], clause) if found else ""
    if not found or not place:
        return False
    left = _left(clause, reading, found["origin"] or "")
    origin = f" from {left}" if left and left.lower() != place.lower() else ""
    date = _month_of(clause, reading)
    note = f" (moved{origin or ' there'}{date})" if origin or date else ""
    reading.keep(clause, "identity", f"Lives in {place}{note}", key="city")
    _fulfil_plans(clause, reading, place)
    return True


def _left(clause: Clause, reading: Reading, said: str) -> str:
    """The place that was left, as it was said or is known, in the letters in which it is known."""
    home = _home(clause, reading)
    left = said.strip() or (home.slot.value.removeprefix("not ") if home else "")
    start = home.content.lower().find(left.lower()) if home else -1
    return home.content[start : start + len(left)] if home and start >= 0 else left


def _month_of(clause: Clause, reading: Reading) -> str:
    """ " in November 2026": of a move the month is enough."""
    dates = find_dates(clause.text, today=reading.today, past=True)
    if dates:
        return f" in {dates[0].month}" if dates[0].month else f" {dates[0].text}"
    return f" in {reading.today:%B %Y}" if clause.recent else ""


def _home(clause: Clause, reading: Reading) -> Line | None:
    return next(reading.notebook.lines(subject=clause.subject, kind="city"), None)


def _fulfil_plans(clause: Clause, reading: Reading, place: str) -> None:
    """A move that was planned is no plan once it was made."""
    for line in reading.notebook.lines(subject=clause.subject, kind="move"):
        if words(place) <= line.slot.about:
            reading.strike(line, "the move was made")
    for line in reading.notebook.lines(subject=clause.subject, kind="home"):
        reading.strike(line, "moved away from there")


def _moves_to_come(clause: Clause, reading: Reading) -> bool:
    found = _MOVING.match(clause.text)
    if not found or (found["place"] and not place_in(found["place"], clause)):
        return False
    text, dates = reading.dated(clause.text, past=False)
    if not found["place"] and not dates:
        return False
    reading.keep(clause, "event", statement(text), dates=dates)
    return True


def _no_homes(clause: Clause, reading: Reading) -> bool:
    found = _NOT_LIVE.match(clause.text)
    place = place_in(found["place"], clause) if found else ""
    if not place:
        return False
    for line in reading.notebook.lines(subject=clause.subject, kind="city"):
        if words(place) <= words(line.slot.value) and not line.slot.negated:
            if clause.ended:
                reading.rewrite(line, f"No longer lives in {place}")
            else:
                reading.strike(line, "was not so")
            return True
    if clause.ended and not clause.formerly and _home(clause, reading) is None:
        reading.keep(clause, "identity", f"No longer lives in {place}", key="city")
    return True


def _origins(clause: Clause, reading: Reading) -> bool:
    found = _FROM.match(clause.text) or _GREW_UP.match(clause.text)
    place = place_in(found["place"], clause) if found else ""
    if not found or not place:
        return False
    told = "Is from" if found.re is _FROM else f"Grew up {found['how']}"
    reading.keep(clause, "identity", f"{told} {place}")
    return True
