"""Rules: who the person is. Names, age, birthday, nationality, languages, traits."""

import re
from dataclasses import replace

from memory.providers.offline.clauses import Clause
from memory.providers.offline.dates import MONTHS, find_dates, in_words
from memory.providers.offline.people import NAME, clean_name
from memory.providers.offline.places import place_in
from memory.providers.offline.reading import Reading
from memory.providers.offline.rewriting import capitalised, statement

_NAME_IS = re.compile(
    rf"^(?:my (?:full |first |real |given )?name is(?: spell?ed| spelt| actually| now)*|I am (?:called|named)) (?P<name>{NAME})",
    re.IGNORECASE,
)
_CALLED = re.compile(
    r"^(?:please |just |(?:you|they|people|friends|everyone|everybody|my (?:friends|family)|most people|all my friends) )*"
    rf"(?:can |may |should )?(?:just |all |mostly )?(?:calls?|I go by|go by) (?:me )?(?P<name>{NAME})",
    re.IGNORECASE,
)
_NOT_CALLED = re.compile(rf"^(?:please )?(?:do not|never) call me (?P<name>{NAME})", re.IGNORECASE)
_CALL_ME_WHAT = frozenset("later back crazy maybe tomorrow today tonight when if at on in a an the old any once again soon".split())
_SURNAME = re.compile(rf"^my (?:surname|last name|family name) is (?P<name>{NAME})", re.IGNORECASE)
_AM_NAME = re.compile(rf"^(?:I am (?P<name>{NAME})|(?P<name2>{NAME}) here)$")
_TENS = dict(zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True))
_UNITS = dict(zip("one two three four five six seven eight nine".split(), range(1, 10), strict=True))
_IN_LETTERS = re.compile(rf"\b(?P<tens>{'|'.join(_TENS)})(?:[ -](?P<unit>{'|'.join(_UNITS)}))?\b", re.IGNORECASE)
_NOT_HERE = frozenset("same right up down out over new nothing nobody everyone everything all still not ditto snow rain also me".split())
_AGE = re.compile(r"^I am (?P<age>\d{1,3})(?: years? old| years of age| yo)?$", re.IGNORECASE)
_TURNED = re.compile(r"^I turned (?P<age>\d{1,3})(?P<rest>\b.*)$", re.IGNORECASE)
_TURNING = re.compile(r"^I (?:am turning|will be|will turn|turn) (?P<age>\d{1,3})(?P<rest> .+)$", re.IGNORECASE)
_BIRTHDAY = re.compile(r"^(?:my birthday (?:is|falls)|(?:it|today|tomorrow) is my birthday)\b(?P<rest>.*)$", re.IGNORECASE)
_BORN = re.compile(r"^I was born (?P<rest>.+)$", re.IGNORECASE)
_MONTH_NAMED = re.compile(rf"\b(?:{'|'.join(MONTHS)})\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_SPEAK = re.compile(
    r"^(?:I (?:speak|am fluent in)|my (?:native language|mother tongue|first language) is) (?P<languages>.+)$", re.IGNORECASE
)
_TIMEZONE = re.compile(r"^my (?:time ?zone|timezone) is (?P<zone>[\w/+:-]+(?: \w+)?)", re.IGNORECASE)
_DEMONYMS = (
    "african american argentinian armenian asian australian austrian belgian bolivian brazilian british bulgarian canadian "
    "chilean chinese colombian congolese croatian cuban cypriot czech danish dutch ecuadorian egyptian english estonian "
    "ethiopian european filipino finnish french georgian german ghanaian greek hungarian icelandic indian indonesian iranian "
    "iraqi irish israeli italian jamaican japanese jordanian kenyan korean latvian lebanese lithuanian malaysian mexican "
    "moroccan nepali nigerian norwegian pakistani palestinian persian peruvian polish portuguese romanian russian saudi "
    "scottish senegalese serbian singaporean slovak slovenian somali spanish swedish swiss syrian taiwanese thai tunisian "
    "turkish ukrainian uruguayan venezuelan vietnamese welsh catholic christian jewish muslim hindu buddhist protestant sikh"
).split()
_NATIONALITY = re.compile(
    rf"^I am (?P<what>(?:half[ -])?(?:{'|'.join(_DEMONYMS)})(?:(?:,| and|,? half)[ -](?:half[ -])?(?:{'|'.join(_DEMONYMS)})"
    r"|[ -](?:\w+ian|american))?)$",
    re.IGNORECASE,
)
_TRAIT = re.compile(
    r"^I am (?:not )?(?:more of |very much |much more of )?(?P<what>(?:an? )?(?:\w+ )?(?:person|night owl|early bird|early riser|introvert|extrovert|perfectionist|foodie"
    r"|bookworm|homebody|minimalist|workaholic|atheist|agnostic|feminist|left-handed|right-handed|gay|lesbian|bisexual"
    r"|queer|trans|transgender|non-binary|nonbinary|deaf|colou?r-?blind|dyslexic|autistic|religious|(?:deaf|blind) in (?:one|my left|my right) (?:ear|eye))(?: (?:wo)?man)?)$",
    re.IGNORECASE,
)
_NO_TRAITS = ("lucky person", "happy person", "only person", "right person", "first person", "last person")
_PRONOUNS = re.compile(r"^my pronouns are (?P<what>\w+/\w+(?:/\w+)?)$", re.IGNORECASE)


def read_identity(clause: Clause, reading: Reading) -> bool:
    """Names, age, birthday, origin in time, nationality, languages, traits."""
    return any(rule(clause, reading) for rule in (_names, _ages, _birthdays, _traits))


def _names(clause: Clause, reading: Reading) -> bool:
    if clause.subject != "user":
        return False
    if found := _NOT_CALLED.match(clause.text):
        if name := clean_name(found["name"], lowercase=clause.lowercase):
            reading.keep(clause, "preference", f"Does not want to be called {name}")
        return True
    if found := _SURNAME.match(clause.text):
        name = clean_name(found["name"], lowercase=clause.lowercase)
        return bool(name) and bool(reading.keep(clause, "identity", f"Surname is {name}") or True)
    if found := _NAME_IS.match(clause.text):
        if name := clean_name(found["name"], lowercase=clause.lowercase):
            reading.keep(clause, "identity", f"Name is {name}", key="name")
        return True
    return _nicknames(clause, reading) or _introductions(clause, reading)


def _nicknames(clause: Clause, reading: Reading) -> bool:
    found = _CALLED.match(clause.text)
    if not found:
        return False
    said = found["name"]
    single = clause.lowercase and " " not in said and found.end() == len(clause.text)
    name = "" if said.split()[0].lower() in _CALL_ME_WHAT else clean_name(said, lowercase=single)
    if not name:
        return False
    known = next(reading.notebook.lines(subject="user", kind="name"), None)
    full = known.content.partition(", goes by ")[0] if known else ""
    content = f"{full}, goes by {name}" if full and name.lower() not in full.lower().split() else f"Goes by {name}"
    reading.keep(clause, "identity", content, key="name")
    return True


def _introductions(clause: Clause, reading: Reading) -> bool:
    found = _AM_NAME.match(clause.text)
    name = (found["name"] or found["name2"]) if found else ""
    if not name or clause.lowercase or clean_name(name) != name:
        return False
    if found and found["name2"] and name.lower() in _NOT_HERE:
        return False
    if name.lower() in _DEMONYMS or next(reading.notebook.lines(subject="user", kind="name"), None):
        return False
    if _NATIONALITY.match(clause.text):
        return False
    reading.keep(clause, "identity", f"Name is {name}", key="name")
    return True


def _ages(clause: Clause, reading: Reading) -> bool:
    if clause.text.lower().startswith(("i am ", "i turned ")):
        clause = replace(clause, text=_IN_LETTERS.sub(_in_digits, clause.text, count=1))
    if found := _AGE.match(clause.text):
        if int(found["age"]) <= 120:
            reading.keep(clause, "identity", f"Is {found['age']} years old (as of {reading.today:%B %Y})", key="age")
        return True
    if found := _TURNED.match(clause.text):
        when = next(iter(find_dates(found["rest"], today=reading.today, past=True)), None)
        month = (when.month if when else "") or (f"{reading.today:%B %Y}" if clause.recent else "")
        turned = f" (turned {found['age']} in {month})" if month else f" (as of {reading.today:%B %Y})"
        reading.keep(clause, "identity", f"Is {found['age']} years old{turned}", key="age")
        return True
    if found := _TURNING.match(clause.text):
        rest, dates = reading.dated(found["rest"], past=False)
        if dates:
            reading.keep(clause, "event", f"Turns {found['age']}{rest}", dates=dates)
            return True
    return False


def _in_digits(found: re.Match[str]) -> str:
    return str(_TENS[found["tens"].lower()] + _UNITS.get((found["unit"] or "").lower(), 0))


def _birthdays(clause: Clause, reading: Reading) -> bool:
    if found := _BIRTHDAY.match(clause.text):
        said = clause.text if clause.text.lower().startswith(("today", "tomorrow")) else found["rest"]
        dates = find_dates(said, today=reading.today, past=False)
        if dates and dates[0].day:
            day = dates[0].day
            reading.keep(clause, "identity", f"Birthday is on {day.day} {day:%B}", key="birthday")
        elif dates and dates[0].month:
            reading.keep(clause, "identity", f"Birthday is in {dates[0].month.split()[0]}", key="birthday")
        return bool(dates)
    return _births(clause, reading)


def _births(clause: Clause, reading: Reading) -> bool:
    found = _BORN.match(clause.text)
    if not found:
        return False
    dates = find_dates(found["rest"], today=reading.today, past=True)
    if dates and dates[0].day:
        day = dates[0].day
        known_year = _YEAR.search(found["rest"]) or not _MONTH_NAMED.search(found["rest"])
        when = in_words(day) if known_year else f"{day.day} {day:%B}"
        reading.keep(clause, "identity", f"Was born on {when}", key="birthday")
    elif dates:
        reading.keep(clause, "identity", f"Was born {dates[0].text}")
    if place := place_in(found["rest"].removeprefix("in "), clause):
        reading.keep(clause, "identity", f"Was born in {place}")
    return True


def _traits(clause: Clause, reading: Reading) -> bool:
    if found := _SPEAK.match(clause.text):
        if any(word[0].isupper() for word in found["languages"].split()) and len(found["languages"]) < 80:
            reading.keep(clause, "identity", capitalised(f"speaks {found['languages']}"))
        return True
    if found := _TIMEZONE.match(clause.text):
        reading.keep(clause, "identity", f"Time zone is {found['zone']}", key="timezone")
        return True
    if found := _PRONOUNS.match(clause.text):
        reading.keep(clause, "identity", f"Pronouns are {found['what'].lower()}")
        return True
    if _NATIONALITY.match(clause.text):
        reading.keep(clause, "identity", statement(clause.text))
        return True
    found = _TRAIT.match(clause.text)
    if found and not found["what"].lower().endswith(_NO_TRAITS):
        taste = found["what"].lower().endswith(("person", "owl", "bird", "riser", "foodie", "bookworm", "homebody"))
        reading.keep(clause, "preference" if taste else "identity", statement(clause.text))
        return True
    return False
