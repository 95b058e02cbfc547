"""Rules: allergies, conditions, injuries and medicines; what a companion must never get wrong."""

import re

from memory.providers.offline.clauses import Clause
from memory.providers.offline.patterns import pattern
from memory.providers.offline.reading import Reading
from memory.providers.offline.rewriting import about_them, statement, uncapitalised
from memory.providers.offline.stems import words

_ALLERGIC = pattern(
    r"^I am (?P<not>not )?(?:\w+ly )?(?P<what>allergic|sensitive|intolerant) to (?P<object>.+)$"
)
_ALLERGY = pattern(
    r"^I have (?:an? )?(?:\w+ )?(?P<object>[\w -]{2,40}?) (?:allergy|allergies)$"
    r"|^I have an (?:\w+ )?allergy to (?P<object2>.+)$"
)
_INTOLERANT = pattern(r"^I am (?P<not>not )?(?P<what>[\w-]+[ -]intolerant)$")
_CONDITIONS = (
    r"asthma|(?:type (?:1|2|one|two) )?diabetes|c(?:o?e)liac(?: disease)?|epilepsy|adhd|add|autism"
    r"|anxiety(?: disorder)?|depression|bipolar(?: disorder)?|arthritis|migraines?|insomnia|hypertension|(?:high"
    r"|low) blood pressure|anaemia|anemia|ibs|crohn's(?: disease)?|endometriosis|pcos|eczema|psoriasis|tinnitus"
    r"|vertigo|scoliosis|cancer|lupus|ptsd|ocd|dyslexia|hay fever|sleep apn(?:o?e)a|thyroid problems?"
    r"|a thyroid (?:problem|condition)|(?:a |chronic )?back pain|chronic pain|a (?:bad|weak) (?:knee|back|shoulder"
    r"|heart|hip)|a heart condition|a pacemaker|long covid|gout|an? (?:stress |hairline |bad )?(?:fracture"
    r"|concussion|hernia|broken \w+|torn \w+|sprained \w+|slipped disc|pinched nerve)"
)
_CAPITALS = frozenset("adhd add ibs pcos ptsd ocd".split())
_HAVE_CONDITION = pattern(
    r"^I (?:have|suffer from|live with|struggle with|am living with)(?: (?:mild|severe|chronic|bad))?"
    rf" (?P<what>{_CONDITIONS})\b.{{0,80}}$"
)
_DIAGNOSED = pattern(r"^I (?:was|got|am|have been) diagnosed with (?P<what>.+)$")
_MAKES_ILL = pattern(
    r"^(?P<what>(?!(?:it|that|this|he|she|they|everything|nothing|you|work"
    r"|my)\b)[\w' -]{2,30}) (?:makes me (?P<how>ill|sick|nauseous|itch|sneeze)|gives me (?P<gives>hives|migraines"
    r"|an? (?:rash|migraine|headache)|headaches|heartburn))$"
)
_SOBER = pattern(
    r"^I (?:am|have been) (?:sober|teetotal|tee-total|smoke-free|alcohol-free|nicotine-free)\b(?P<rest>.*)$"
)
_MEDICINE = pattern(
    r"^I (?:take|am on|am taking) (?:\w+ )?(?:medication|medicine|antidepressants|insulin|statins|pills"
    r"|beta blockers|blood thinners|antibiotics)\b"
)
_AIDS = pattern(
    r"^I (?:wear|have|use) (?:an? )?(?:hearing aids?|glasses|contact lenses|contacts|wheelchair|crutches"
    r"|walking stick|cane)$"
)
_RECOVERING = pattern(r"^I am (?:still )?recovering from (?P<what>.+)$")
_NO_THING = pattern(
    r"^(?:it|that|this|anything|much|now|yet|enough|with you|everything|them|another|any more)\b"
)
_GOES_ON = pattern(r"\s+(?:and I|so|because|which|but|since|when|if)\b|\s*[(]")


def read_health(clause: Clause, reading: Reading) -> bool:
    """Allergies, conditions, medicines."""
    rules = (_allergies, _intolerances, _conditions, _diagnoses)
    return any(rule(clause, reading) for rule in rules)


def constraint(clause: Clause, reading: Reading, content: str, *, type: str = "other") -> bool:
    """Keep what the companion must respect. True, as a rule that took the clause."""
    reading.keep(clause, type, content, constraint=True)
    return True


def denied(clause: Clause, reading: Reading, what: str, content: str) -> None:
    """Put a line that says otherwise right; what was never said needs no denial."""
    wanted = words(what)
    for line in reading.notebook.lines(subject=clause.subject):
        if line.slot.kind in ("health", "other", "diet") and wanted and wanted <= words(line.content):
            reading.rewrite(line, content)
            return


def plain(text: str) -> str:
    """The thing without what the sentence goes on to say."""
    goes_on = _GOES_ON.search(text)
    return (text[: goes_on.start()] if goes_on else text).strip(" ,.")


def to_no_thing(text: str) -> bool:
    """Whether the words only point at something: "it", "that one"."""
    return bool(_NO_THING.match(text))


def _allergies(clause: Clause, reading: Reading) -> bool:
    if found := _ALLERGY.match(clause.text):
        thing = plain(found["object"] or found["object2"])
        return bool(words(thing)) and constraint(clause, reading, f"Is allergic to {thing}")
    found = _ALLERGIC.match(clause.text)
    if not found:
        return False
    said, _, other = found["object"].partition(" only to ")
    thing = about_them(plain(re.split(r",? (?:which|only|just)\b", said)[0]))
    if to_no_thing(thing) or not words(thing):
        return False
    what = found["what"].lower()
    if not found["not"]:
        return constraint(clause, reading, f"Is {what} to {thing}")
    denied(clause, reading, thing, f"Is {_not(clause)} {what} to {thing}")
    return constraint(clause, reading, f"Is {what} to {plain(other)}") if other else True


def _intolerances(clause: Clause, reading: Reading) -> bool:
    found = _INTOLERANT.match(clause.text)
    if not found:
        return False
    what = found["what"].lower().replace("-", " ")
    if not found["not"]:
        return constraint(clause, reading, f"Is {what}")
    denied(clause, reading, what, f"Is {_not(clause)} {what}")
    return True


def _not(clause: Clause) -> str:
    return "no longer" if clause.ended else "not"


def _conditions(clause: Clause, reading: Reading) -> bool:
    if found := _SOBER.match(clause.text):
        as_of = f" (as of {reading.today:%B %Y})" if found["rest"] else ""
        text, _ = reading.dated(clause.text, past=True)
        return constraint(clause, reading, f"{statement(text)}{as_of}")
    if found := _HAVE_CONDITION.match(clause.text):
        what = found["what"].upper() if found["what"].lower() in _CAPITALS else found["what"]
        return constraint(clause, reading, f"Has {what}")
    if _AIDS.match(clause.text) or _RECOVERING.match(clause.text):
        text, _ = reading.dated(clause.text, past=True)
        return constraint(clause, reading, statement(text))
    if _MEDICINE.match(clause.text):
        return constraint(clause, reading, statement(clause.text))
    return False


def _diagnoses(clause: Clause, reading: Reading) -> bool:
    if found := _DIAGNOSED.match(clause.text):
        text, _ = reading.dated(found["what"], past=True)
        return constraint(clause, reading, f"Was diagnosed with {about_them(text)}")
    found = _MAKES_ILL.match(clause.text)
    if not found:
        return False
    how = (found["how"] or "").lower()
    gets = found["gives"] or {"itch": "itchy", "sneeze": "sneezing fits"}.get(how, how)
    return constraint(clause, reading, f"Gets {gets} from {uncapitalised(found['what'])}")
