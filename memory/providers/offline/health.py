"""Rules: allergies, conditions, injuries and diet; what a companion must never get wrong."""

import re

from memory.providers.offline.clauses import Clause
from memory.providers.offline.dates import without_dates
from memory.providers.offline.reading import Reading
from memory.providers.offline.rewriting import capitalised, statement, uncapitalised
from memory.providers.offline.stems import words

_ALLERGIC = re.compile(
    r"^I am (?P<not>not )?(?:an? )?(?:\w+ly )?(?P<what>allergic|sensitive|intolerant) to (?P<object>.+)$", re.IGNORECASE
)
_ALLERGY = re.compile(
    r"^I have (?:an? )?(?:\w+ )?(?P<object>[\w -]{2,40}?) (?:allergy|allergies)$|^I have an (?:\w+ )?allergy to (?P<object2>.+)$", re.I
)
_INTOLERANT = re.compile(r"^I am (?P<not>not )?(?P<what>[\w-]+[ -]intolerant)$", re.IGNORECASE)
_CANNOT = re.compile(r"^I (?:cannot|must not|am not allowed to) (?P<verb>eat|drink|have|tolerate|digest|take) (?P<object>.+)$", re.IGNORECASE)
_NOT_CONSUMED = re.compile(r"^I do not (?P<verb>eat|drink|smoke|consume)(?P<object>(?: .+)?)$", re.IGNORECASE)
_NEVER = re.compile(r"^I (?:never|would never) (?P<verb>eat|drink|smoke|wear|use|fly|watch|cook|take)(?P<object>(?: .+)?)$", re.IGNORECASE)
_DIET = r"vegetarian|vegan|pescatarian|pescetarian|omnivore|flexitarian|coeliac|celiac|diabetic|asthmatic|epileptic|anaemic|anemic"
_IS_DIET = re.compile(rf"^I am (?P<not>not )?(?:an? )?(?P<what>(?:type \d )?(?:{_DIET}))(?:,? (?:just|only|but)(?: an?)? (?P<rather>{_DIET}))?$", re.IGNORECASE)
_BECAME = re.compile(r"^I (?:became|turned|went|am going|have become|have gone) (?:an? )?(?P<what>vegetarian|vegan|pescatarian)\b.*$", re.I)
_DIETS = frozenset("vegetarian vegan pescatarian pescetarian omnivore flexitarian".split())
_CONDITIONS = (
    r"asthma|(?:type (?:1|2|one|two) )?diabetes|c(?:o?e)liac(?: disease)?|epilepsy|adhd|add|autism|anxiety(?: disorder)?"
    r"|depression|bipolar(?: disorder)?|arthritis|migraines?|insomnia|hypertension|(?:high|low) blood pressure|anaemia|anemia|ibs"
    r"|crohn's(?: disease)?|endometriosis|pcos|eczema|psoriasis|tinnitus|vertigo|scoliosis|cancer|lupus|ptsd|ocd|dyslexia"
    r"|hay fever|sleep apn(?:o?e)a|thyroid problems?|a thyroid (?:problem|condition)|(?:a |chronic )?back pain|chronic pain"
    r"|a (?:bad|weak) (?:knee|back|shoulder|heart|hip)|a heart condition|a pacemaker|a slipped disc|a hernia|long covid|gout"
    r"|an? (?:stress |hairline |bad )?(?:fracture|concussion|hernia|broken \w+|torn \w+|sprained \w+|slipped disc|pinched nerve)"
)
_SOBER = re.compile(r"^I (?:am|have been) (?P<what>sober|teetotal|tee-total|smoke-free|alcohol-free|nicotine-free)\b(?P<rest>.*)$", re.IGNORECASE)
_HAVE_CONDITION = re.compile(
    rf"^I (?:have|suffer from|live with|struggle with|am living with)(?: (?:mild|severe|chronic|bad))? (?P<what>{_CONDITIONS})\b.{{0,80}}$",
    re.IGNORECASE,
)
_DIAGNOSED = re.compile(r"^I (?:was|got|am|have been) diagnosed with (?P<what>.+)$", re.IGNORECASE)
_MAKES_ILL = re.compile(
    r"^(?P<what>[\w' -]{2,30}) (?:makes me (?P<how>ill|sick|nauseous|itch|sneeze)|gives me (?P<gives>hives|migraines|an? (?:rash|migraine|headache)|headaches|heartburn))$",
    re.IGNORECASE,
)
_MEDICINE = re.compile(r"^I (?:take|am on|am taking) (?P<what>(?:\w+ )?(?:medication|medicine|antidepressants|insulin|statins|pills|beta blockers"
                       r"|blood thinners|antibiotics)\b.*)$", re.IGNORECASE)  # fmt: skip
_STOPPED = re.compile(
    r"^I (?:quit|stopped|gave up|have given up|have quit|am off) (?P<what>smoking|drinking|vaping|alcohol|cigarettes|sugar|caffeine|"
    r"drinking .+|eating .+)$",
    re.IGNORECASE,
)
_NO_OBJECT = re.compile(r"^(?:it|that|this|anything|much|now|yet|enough|with you|everything|them|another|any more)\b", re.IGNORECASE)
_PLAIN_FOOD = re.compile(r"^(?:eat|drink|have) (?:out|in|alone|here|there|today|tonight|tomorrow|right)\b", re.IGNORECASE)


def read_health(clause: Clause, reading: Reading) -> bool:
    """Allergies, what is not eaten or drunk, conditions, medicines, habits given up."""
    rules = (_allergies, _diets, _not_consumed, _conditions, _given_up)
    return any(rule(clause, reading) for rule in rules)


def _constraint(clause: Clause, reading: Reading, content: str, *, type: str = "other") -> bool:
    reading.keep(clause, type, content, constraint=True)
    return True


def _allergies(clause: Clause, reading: Reading) -> bool:
    if found := _ALLERGIC.match(clause.text):
        things, _, other = found["object"].partition(" only to ")
        return _allergy(clause, reading, found["what"].lower(), things, denied=bool(found["not"]), other=other)
    if found := _ALLERGY.match(clause.text):
        things = found["object"] or found["object2"]
        return bool(words(things)) and _constraint(clause, reading, f"Is allergic to {_plain(things)}")
    if found := _INTOLERANT.match(clause.text):
        what = found["what"].lower().replace("-", " ")
        if found["not"] and not _denied(clause, reading, what, f"Is {_not(clause)} {what}"):
            return True
        return bool(found["not"]) or _constraint(clause, reading, f"Is {what}")
    return False


def _allergy(clause: Clause, reading: Reading, what: str, things: str, *, denied: bool, other: str) -> bool:
    things = _plain(re.split(r",? (?:so|which|only|just)\b", things)[0])
    if _NO_OBJECT.match(things) or not words(things):
        return False
    if not denied:
        return _constraint(clause, reading, f"Is {what} to {things}")
    _denied(clause, reading, things, f"Is {_not(clause)} {what} to {things}")
    if other:
        _constraint(clause, reading, f"Is {what} to {_plain(other)}")
    return True


def _denied(clause: Clause, reading: Reading, what: str, content: str) -> bool:
    """Put a line that says otherwise right; what was never said needs no denial."""
    for line in reading.notebook.lines(subject=clause.subject):
        if line.slot.kind in ("health", "other", "diet") and words(what) and words(what) <= words(line.content):
            return reading.rewrite(line, content)
    return False


def _not(clause: Clause) -> str:
    return "no longer" if clause.ended else "not"


def _diets(clause: Clause, reading: Reading) -> bool:
    if found := _BECAME.match(clause.text):
        text, dates = reading.dated(clause.text, past=True)
        when = f" (since {dates[0].text.split(' ', 1)[1]})" if dates else ""
        reading.keep(clause, "preference", f"Is {found['what'].lower()}{when}", constraint=True)
        return True
    found = _IS_DIET.match(clause.text)
    if not found:
        return False
    what = found["what"].lower()
    if found["not"] and found["rather"]:
        return _constraint(clause, reading, f"Is {found['rather'].lower()}", type="preference")
    if found["not"]:
        _denied(clause, reading, what, f"Is {_not(clause)} {what}")
        return True
    return _constraint(clause, reading, f"Is {what}", type="preference" if what in _DIETS else "other")


def _not_consumed(clause: Clause, reading: Reading) -> bool:
    if found := _CANNOT.match(clause.text):
        rest = _plain(found["object"])
        if _NO_OBJECT.match(rest) or _PLAIN_FOOD.match(f"{found['verb']} {rest}") or found["verb"] in ("have", "take") and clause.ended:
            return False
        if found["verb"].lower() in ("have", "take") and not words(rest) & _FOODS:
            return False
        return _constraint(clause, reading, f"Cannot {found['verb'].lower()} {rest}")
    found = _NOT_CONSUMED.match(clause.text) or _NEVER.match(clause.text)
    if not found or "would never" in clause.text or _NO_OBJECT.match(found["object"].strip()):
        return False
    if not found["object"] and found["verb"].lower() not in ("smoke", "drink", "fly"):
        return False
    if found.re is _NEVER:
        return _constraint(clause, reading, statement(clause.text), type="preference")
    return _stop(clause, reading, f"{found['verb']}{found['object']}")


_FOODS = words(
    "gluten dairy milk nuts peanuts shellfish fish meat pork alcohol coffee caffeine sugar eggs wheat bread cheese soy seafood "
    "lactose shrimp aspirin penicillin ibuprofen antibiotics"
)


def _stop(clause: Clause, reading: Reading, what: str) -> bool:
    """Does not drink coffee: a habit of it that is known goes."""
    content = f"No longer {_third(what)}" if clause.ended and not clause.formerly else f"Does not {what}"
    wanted = words(what)
    for line in reading.notebook.lines(subject=clause.subject):
        known = line.content.lower()
        if line.slot.kind == "other" and wanted <= words(known) and not re.search(r"\b(?:not|no longer|never)\b", known):
            reading.rewrite(line, content)
            return True
    if clause.formerly:
        return True
    return _constraint(clause, reading, content, type="preference")


def _third(what: str) -> str:
    return statement(f"I {what}").lower() if what.isascii() else what


def _conditions(clause: Clause, reading: Reading) -> bool:
    if found := _SOBER.match(clause.text):
        as_of = f" (as of {reading.today:%B %Y})" if found["rest"] else ""
        return _constraint(clause, reading, f"{statement(reading.dated(clause.text, past=True)[0])}{as_of}")
    if found := _HAVE_CONDITION.match(clause.text):
        return _constraint(clause, reading, f"Has {_kept_case(found['what'])}")
    found = _MAKES_ILL.match(clause.text)
    if found and not re.match(r"^(?:it|that|this|he|she|they|everything|nothing|you|work|my)\b", found["what"], re.IGNORECASE):
        gets = found["gives"] or {"itch": "itchy", "sneeze": "sneezing fits"}.get(found["how"].lower(), found["how"].lower())
        return _constraint(clause, reading, f"Gets {gets} from {uncapitalised(found['what'])}")
    if found := _DIAGNOSED.match(clause.text):
        text, _dates = reading.dated(found["what"], past=True)
        return _constraint(clause, reading, f"Was diagnosed with {capitalised(text)[:1].lower()}{capitalised(text)[1:]}")
    if _MEDICINE.match(clause.text):
        return _constraint(clause, reading, statement(clause.text))
    return False


def _kept_case(text: str) -> str:
    return text.upper() if text.lower() in ("adhd", "add", "ibs", "pcos", "ptsd", "ocd") else text


def _given_up(clause: Clause, reading: Reading) -> bool:
    found = _STOPPED.match(clause.text)
    if not found:
        return False
    text, dates = reading.dated(found["what"], past=True)
    wanted = words(without_dates(found["what"])) - {"drink", "eat", "consum"}
    content = f"Stopped {capitalised(text)[:1].lower()}{capitalised(text)[1:]}"
    for line in reading.notebook.lines(subject=clause.subject):
        known = words(line.content)
        if wanted and wanted <= known and not re.match(r"(?:does not|no longer|never|stopped|dislikes|hates)", line.content.lower()):
            if line.slot.kind in ("other", "attitude", "goal") or (line.slot.kind == "prefer" and line.slot.value in wanted):
                return reading.rewrite(line, content) or True
    return _constraint(clause, reading, content)


def _plain(text: str) -> str:
    cut = re.search(r"\s+(?:and I|so|because|which|but|since|when|if)\b|\s*[(]", text)
    return (text[: cut.start()] if cut else text).strip(" ,.")
