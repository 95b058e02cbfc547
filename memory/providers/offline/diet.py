"""Rules: what is not eaten, drunk or smoked, and habits of that kind given up."""

import re

from memory.providers.offline.clauses import Clause
from memory.providers.offline.dates import without_dates
from memory.providers.offline.health import constraint, denied, plain, to_no_thing
from memory.providers.offline.notebook import Line
from memory.providers.offline.patterns import pattern
from memory.providers.offline.reading import Reading
from memory.providers.offline.rewriting import about_them, statement, uncapitalised
from memory.providers.offline.stems import words

_DIETS = frozenset("vegetarian vegan pescatarian pescetarian omnivore flexitarian".split())
_DIET = rf"{'|'.join(_DIETS)}|coeliac|celiac|diabetic|asthmatic|epileptic|anaemic|anemic"
_IS_DIET = pattern(
    rf"^I am (?P<not>not )?(?:an? )?(?P<what>(?:type \d )?(?:{_DIET}))(?:,? (?:just|only"
    rf"|but)(?: an?)? (?P<rather>{_DIET}))?$"
)
_BECAME = pattern(
    r"^I (?:became|turned|went|am going|have become|have gone) (?:an? )?(?P<what>vegetarian|vegan|pescatarian)\b.*$"
)
_CANNOT = pattern(
    r"^I (?:cannot|must not|am not allowed to) (?P<verb>eat|drink|have|tolerate|digest|take) (?P<object>.+)$"
)
_NOT_CONSUMED = pattern(r"^I do not (?P<verb>eat|drink|smoke|consume)(?P<object>(?: .+)?)$")
_NEVER = pattern(r"^I never (?P<verb>eat|drink|smoke|wear|use|fly|watch|cook|take)(?P<object>(?: .+)?)$")
_STOPPED = pattern(
    r"^I (?:quit|stopped|gave up|have quit|am off) (?P<what>(?:smoking|drinking|vaping|alcohol|cigarettes|sugar"
    r"|caffeine|drinking|eating)\b.*)$"
)
_ALONE = ("smoke", "drink", "fly")  # verbs that say enough without an object
_OUT = pattern(r"^(?:out|in|alone|here|there|today|tonight|tomorrow|right)\b")
_FOODS = words(
    "gluten dairy milk nuts peanuts shellfish fish meat pork alcohol coffee caffeine sugar eggs wheat bread cheese "
    "soy seafood lactose shrimp aspirin penicillin ibuprofen antibiotics"
)
_DENIES = re.compile(r"\b(?:not|no longer|never|stopped|dislikes|hates)\b")


def read_diet(clause: Clause, reading: Reading) -> bool:
    """Diets, what can't or won't be consumed, what was given up."""
    rules = (_diets, _changes, _cannot, _does_not, _given_up)
    return any(rule(clause, reading) for rule in rules)


def _diets(clause: Clause, reading: Reading) -> bool:
    found = _IS_DIET.match(clause.text)
    if not found:
        return False
    what = found["what"].lower()
    if found["not"] and not found["rather"]:
        denied(clause, reading, what, f"Is {'no longer' if clause.ended else 'not'} {what}")
        return True
    what = (found["rather"] or what).lower()
    return constraint(clause, reading, f"Is {what}", type="preference" if what in _DIETS else "other")


def _changes(clause: Clause, reading: Reading) -> bool:
    found = _BECAME.match(clause.text)
    if not found:
        return False
    _, dates = reading.dated(clause.text, past=True)
    since = f" (since {dates[0].text.split(' ', 1)[1]})" if dates else ""
    return constraint(clause, reading, f"Is {found['what'].lower()}{since}", type="preference")


def _cannot(clause: Clause, reading: Reading) -> bool:
    found = _CANNOT.match(clause.text)
    if not found:
        return False
    verb, thing = found["verb"].lower(), plain(found["object"])
    if to_no_thing(thing) or _OUT.match(thing) or (verb in ("have", "take") and not words(thing) & _FOODS):
        return False
    return constraint(clause, reading, f"Cannot {verb} {about_them(thing)}")


def _does_not(clause: Clause, reading: Reading) -> bool:
    found = _NOT_CONSUMED.match(clause.text) or _NEVER.match(clause.text)
    if (
        not found
        or to_no_thing(found["object"].strip())
        or not (found["object"] or found["verb"].lower() in _ALONE)
    ):
        return False
    if found.re is _NEVER:
        return constraint(clause, reading, statement(clause.text), type="preference")
    what = about_them(f"{found['verb'].lower()}{found['object']}")
    content = f"Does not {what}"
    if clause.ended and not clause.formerly:
        content = f"No longer {uncapitalised(statement(f'I {what}'))}"
    habit = _habit_of(clause, reading, words(what), kinds=("other",))
    if habit is not None:
        reading.rewrite(habit, content)
    elif not clause.formerly:
        constraint(clause, reading, content, type="preference")
    return True


def _given_up(clause: Clause, reading: Reading) -> bool:
    found = _STOPPED.match(clause.text)
    if not found:
        return False
    text, _ = reading.dated(found["what"], past=True)
    content = f"Stopped {uncapitalised(about_them(text))}"
    wanted = words(without_dates(found["what"])) - words("drink eat consume")
    habit = _habit_of(clause, reading, wanted, kinds=("other", "attitude", "goal", "prefer"))
    if habit is None:
        return constraint(clause, reading, content)
    reading.rewrite(habit, content)
    return True


def _habit_of(
    clause: Clause, reading: Reading, what: frozenset[str], *, kinds: tuple[str, ...]
) -> Line | None:
    """The line that says that it is done or liked."""
    for line in reading.notebook.lines(subject=clause.subject):
        if not what or line.slot.kind not in kinds or not what <= words(line.content):
            continue
        if line.slot.kind == "prefer" and line.slot.value not in what:
            continue  # it is the other thing that is preferred
        if not _DENIES.search(line.content.lower()):
            return line
    return None
