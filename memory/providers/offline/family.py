"""Rules: family, partners, friends and animals; how they are called, and who came and went."""

import re
from dataclasses import replace

from memory.providers.offline.clauses import Clause
from memory.providers.offline.dates import without_dates
from memory.providers.offline.notebook import Line
from memory.providers.offline.people import (
    CHILDREN,
    NAME,
    PARTNERS,
    PETS,
    RELATION,
    RELATIONS,
    clean_name,
    mentions,
    noun,
    singular,
)
from memory.providers.offline.reading import Reading
from memory.providers.offline.rewriting import capitalised, statement, uncapitalised, with_article
from memory.providers.offline.slots import folded

_COUNT = r"(?:an?|two|three|four|five|six|seven|several|\d{1,2})"
_HAVE = re.compile(
    rf"^(?:I|we) have (?P<count>{_COUNT}) (?P<adjective>[\w-]+ )?(?P<relation>{RELATION})\b(?:,? (?:named|called|whose name is)"
    rf" (?P<name>{NAME})|, (?P<name2>{NAME})$)?(?P<rest>.*)$",
    re.IGNORECASE,
)
_HAVE_SEVERAL = re.compile(
    rf"^(?:(?:I|we) have|it is) (?:(?P<count>{_COUNT}) )?(?P<adjective>[\w-]+ )?(?P<relation>{RELATIONS})\b(?P<rest>.*)$", re.IGNORECASE
)
_AND_ANOTHER = re.compile(rf",? and (?={_COUNT} [\w-]+)", re.IGNORECASE)
_NAME_LIST = re.compile(r"^(?:,| named| called|:)\s*(?P<names>.+)$", re.IGNORECASE)
_BETWEEN_NAMES = re.compile(r",? and |, ")
_NAMED = re.compile(
    rf"^(?:(?:my|our) (?P<relation>{RELATION})(?:'s name)?|(?P<pronoun>his|her|its|it|he|she)(?: name)?)"
    rf" is (?:called |named )?(?P<name>{NAME})|^(?:I|we) (?:named|called|call) (?:him|her|it|(?:the|our|my) (?P<relation2>{RELATION})) (?P<name2>{NAME})",
    re.IGNORECASE,
)
_NAMED_MARK = re.compile(r"^(?:I|we) (?:named|called|call) |'s name is|is (?:called|named) |^(?:his|her|its) name is ", re.IGNORECASE)
_GOT = re.compile(
    rf"^(?:I|we) (?P<how>adopted|got|bought|rescued) (?:an?|our|my|another) (?P<adjective>(?:[\w-]+ ){{0,2}}?)"
    rf"(?P<pet>{'|'.join(sorted(map(re.escape, PETS), key=len, reverse=True))})\b(?:,? (?:named|called) (?P<name>{NAME}))?"
    r"(?P<rest>.*)$",
    re.IGNORECASE,
)
_DIED = re.compile(
    rf"^(?:(?:my|our) (?P<relation>{RELATION})(?:,? (?P<name>{NAME}))?|I)"
    r" (?P<how>died|die|passed away|pass away|was put down|was put to sleep)\b(?P<rest>.*)$",
    re.IGNORECASE,
)
_LOST = re.compile(
    rf"^(?:I|we) lost (?:my|our) (?P<relation>{RELATION})(?:,? (?P<name>{NAME}))?(?P<rest> .*|)$", re.IGNORECASE
)
_STATUS = re.compile(
    rf"^(?:I|we) (?:am|are|have been) (?:happily )?(?P<what>married|engaged|single|divorced|separated|widowed|a widow|a widower)\b"
    rf"(?: to (?P<name>{NAME}))?(?P<rest>.*)$",
    re.IGNORECASE,
)
_GOT_STATUS = re.compile(
    rf"^(?:I|we) (?:got|am getting|are getting) (?P<what>married|engaged|divorced)\b(?: to (?P<name>{NAME}))?(?P<rest>.*)$",
    re.IGNORECASE,
)
_BROKE_UP = re.compile(
    rf"^(?:(?:I|we) (?:broke up|split up|separated)|(?:I|we) (?:am|are) not together)(?: with (?P<name>.+?))?$", re.IGNORECASE
)
_DATING = re.compile(rf"^I am (?:dating|seeing|going out with) (?P<name>{NAME})", re.IGNORECASE)
_KIN = re.compile(
    r"^I am (?P<what>an only child|a (?:single |new |stay-at-home |proud )?(?:mother|father|mom|mum|dad|parent|grandmother|grandfather"
    r"|grandma|grandpa|twin|widow|widower)(?: of [\w ]{1,20})?|the (?:oldest|eldest|youngest|middle)(?: child| sibling)?"
    r"(?: of (?:\w+))?(?: siblings| children)?)$",
    re.IGNORECASE,
)
_BABY = re.compile(
    r"^(?:I|we) (?:am|are) (?P<what>pregnant|expecting(?: (?:a|our|my) [\w ]{2,30})?)\b(?P<rest>.*)$"
    r"|^(?:I|we) (?P<had>had (?:a|our|my|twin) (?:first |second |third )?(?:baby|son|daughter|girl|boy|boys|girls|twins)\b.*)$",
    re.IGNORECASE,
)
_PARTNER_MENTION = re.compile(rf"\b(?:my|our) (?P<relation>{'|'.join(PARTNERS - {'partner'})})\b(?! and I (?:broke|split|separated))", re.I)
_BREAKING_UP = re.compile(r"\b(?:broke up|split up|divorced|separated|left me|dumped)\b", re.IGNORECASE)


def read_mentions(clause: Clause, reading: Reading) -> None:
    """Keep everybody whom the clause names beside their relation, whatever else it says."""
    named = mentions(clause.text)
    for relation, name in named:
        if not _DIED.match(clause.text) and not _LOST.match(clause.text):
            _introduce(clause, reading, relation, name)
        reading.cast.meet(name, relation)
    partner = _PARTNER_MENTION.search(clause.text)
    if partner and not named and not _BREAKING_UP.search(clause.text) and "name is" not in clause.text:
        reading.keep(_own(clause), "relationship", f"Has {with_article(partner['relation'].lower())}", key="partner")


def read_family(clause: Clause, reading: Reading) -> bool:
    """Who there is, how they are called, marriages, partings, births and deaths."""
    rules = (_names_given, _those_had, _pets_got, _deaths, _statuses, _partings, _kin, _babies)
    return any(rule(clause, reading) for rule in rules)


def _own(clause: Clause) -> Clause:
    return Clause(clause.text, instead_of=clause.instead_of)


def _introduce(clause: Clause, reading: Reading, relation: str, name: str) -> Line | None:
    """Has a sister named Ana. With a correction ("not Anna") the line with the other name is put right."""
    who = noun(relation)
    key = "partner" if who in PARTNERS else None
    content = f"Has {with_article(relation.lower())} named {name}"
    if clause.instead_of and (line := _put_right(clause, reading, name)):
        return line
    if any(folded(name) in folded(line.content) for line in reading.notebook.lines(subject="user") if who in folded(line.content)):
        return None
    return reading.keep(_own(clause), "relationship", content, key=key)


def _put_right(clause: Clause, reading: Reading, name: str) -> Line | None:
    """The line on a person with the name that was wrong, with the right one; None where there is none."""
    for line in reading.notebook.lines(subject="user"):
        if line.slot.kind in ("person", "partner") and folded(clause.instead_of) in folded(line.content):
            reading.rewrite(line, _renamed(line.content, clause.instead_of, name))
            return line
    return None


def _renamed(content: str, old: str, new: str) -> str:
    return re.sub(rf"\b{re.escape(old)}\b", lambda _: new, content, flags=re.IGNORECASE)


def _names_given(clause: Clause, reading: Reading) -> bool:
    found = _NAMED.match(clause.text)
    if not found or not (_NAMED_MARK.search(clause.text) or clause.instead_of):
        return False
    name = clean_name(found["name"] or found["name2"], lowercase=clause.lowercase)
    if not name:
        return False
    if found["relation"]:
        _introduce(clause, reading, found["relation"], name)
        reading.cast.meet(name, found["relation"].lower())
        return True
    relation = (found["relation2"] or reading.cast.unnamed).lower()
    if clause.instead_of and not relation:
        return _put_right(clause, reading, name) is not None
    if not relation:
        return False
    return _name_the_unnamed(clause, reading, relation, name)


def _name_the_unnamed(clause: Clause, reading: Reading, relation: str, name: str) -> bool:
    start = f"Has {with_article(relation)}"
    for line in reading.notebook.newest_first():
        if line.subject == "user" and line.content.startswith(start) and " named " not in line.content:
            reading.rewrite(line, f"{start} named {name}{line.content.removeprefix(start)}")
            break
    else:
        _introduce(clause, reading, relation, name)
    reading.cast.meet(name, relation)
    reading.cast.unnamed = ""
    return True


def _those_had(clause: Clause, reading: Reading) -> bool:
    first, *others = _AND_ANOTHER.split(clause.text)
    done = _had(replace(clause, text=first), reading)
    for other in others if done else []:
        _had(replace(clause, text=f"I have {other}"), reading)
    return done


def _had(clause: Clause, reading: Reading) -> bool:
    if found := _HAVE.match(clause.text):
        return _one_had(clause, reading, found)
    found = _HAVE_SEVERAL.match(clause.text)
    if not found:
        return False
    who = f"{(found['adjective'] or '').lower()}{found['relation'].lower()}"
    if found["count"] is None and "twin" not in who:
        return False
    content = " ".join(("Has", *([found["count"].lower()] if found["count"] else []), who))
    known = [line.slot for line in reading.notebook.lines(subject="user", kind="people")]
    if clause.text.lower().startswith("it is") and singular(who) not in {word for slot in known for word in slot.about}:
        return False
    listed = _NAME_LIST.match(found["rest"])
    names = [name for name in _BETWEEN_NAMES.split(listed["names"]) if clean_name(name) == name] if listed else []
    if names:
        content += f", {', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else f", {names[0]}"
    for name in names:
        reading.cast.names[name] = singular(who)
    reading.keep(clause, "relationship", content)
    return True


def _one_had(clause: Clause, reading: Reading, found: re.Match[str]) -> bool:
    adjective, relation = (found["adjective"] or "").lower(), found["relation"].lower()
    said = found["name"] or found["name2"] or ""
    name = clean_name(said, lowercase=clause.lowercase) if said else ""
    who = f"{adjective}{relation}"
    if noun(relation) in ("baby", "doctor", "coach", "student", "teacher", "dentist", "therapist", "boss", "manager") and not name:
        return False
    rest = "" if name or not re.match(r"^ (?:who|in|at|from)\b", found["rest"]) else found["rest"]
    if clause.subject != "user":
        return False
    if name:
        _introduce(clause, reading, who, name)
        reading.cast.meet(name, relation)
        return True
    kept = reading.keep(clause, "relationship", statement(f"I have {with_article(who)}{rest}"))
    reading.cast.unnamed = who
    return kept is not None or True


def _pets_got(clause: Clause, reading: Reading) -> bool:
    found = _GOT.match(clause.text)
    if not found:
        return False
    rest, dates = reading.dated(found["rest"], past=True)
    name = clean_name(found["name"], lowercase=clause.lowercase) if found["name"] else ""
    how = "got" if found["how"].lower() == "bought" else found["how"].lower()
    when = f" ({how} {dates[0].text})" if dates else ""
    pet = f"{found['adjective'].lower()}{found['pet'].lower()}"
    named = f" named {name}" if name else ""
    reading.keep(clause, "relationship", f"Has {with_article(pet)}{named}{when}", dates=[])
    if name:
        reading.cast.meet(name, pet)
    else:
        reading.cast.unnamed = pet
    return True


def _deaths(clause: Clause, reading: Reading) -> bool:
    found = _DIED.match(clause.text) or _LOST.match(clause.text)
    if not found or (not found["relation"] and clause.subject == "user"):
        return False
    _, dates = reading.dated(found["rest"], past=True)
    when = f" {dates[0].text}" if dates else ""
    name = clean_name(found["name"] or "") or (clause.subject if not clause.subject.startswith("their ") else "")
    relation = (found["relation"] or reading.cast.names.get(name, "")).lower() or clause.subject.removeprefix("their ")
    how = found.groupdict().get("how") or "died"
    how = {"die": "died", "pass away": "passed away"}.get(how.lower(), how.lower())
    for line in reading.notebook.lines(subject="user"):
        if line.slot.kind in ("person", "partner") and (
            (name and folded(name) in folded(line.content)) or (not name and noun(relation) in folded(line.content))
        ):
            living = re.sub(r"^(?:The user |User )?has ", "Had ", line.content, flags=re.IGNORECASE)
            reading.rewrite(line, f"{capitalised(living)}, who {how}{when}")
            return True
    who = f"{relation} {name}".strip() if name else relation
    if noun(relation) in PETS and name:
        reading.keep(_own(clause), "relationship", f"Had {with_article(relation)} named {name}, who {how}{when}")
    else:
        reading.keep(_own(clause), "event", f"Their {who} {how}{when}", dates=dates)
    return True


def _statuses(clause: Clause, reading: Reading) -> bool:
    found = _STATUS.match(clause.text) or _GOT_STATUS.match(clause.text)
    if not found:
        return False
    name = clean_name(found["name"] or "")
    what = found["what"].lower()
    text, dates = reading.dated(found["rest"], past="am getting" not in clause.text and "are getting" not in clause.text)
    when = f" {dates[0].text}" if dates else ""
    if re.search(r"\b(?:am|are) getting\b", clause.text):
        if not dates:
            return False
        to_name = f" to {name}" if name else ""
        reading.keep(clause, "event", f"Is getting {what}{to_name}{when}", dates=dates)
        return True
    known = next((line for line in reading.notebook.lines(subject=clause.subject, kind="partner")), None)
    partner = name or (known.slot.value if known and known.slot.value.istitle() else "")
    got = {"engaged": "got engaged", "married": "got married", "divorced": "got divorced"}
    if found.re is _GOT_STATUS and what == "divorced":
        content = f"Got divorced{when}"
    elif found.re is _GOT_STATUS:
        content = f"Is {what}{f' to {partner}' if partner else ''}{f' ({got[what]}{when})' if when else ''}"
    else:
        content = f"Is {what}{f' to {partner}' if partner and what in ('married', 'engaged') else ''}"
    reading.keep(clause, "relationship", content, key="partner")
    return True


def _partings(clause: Clause, reading: Reading) -> bool:
    found = _BROKE_UP.match(without_dates(clause.text).strip())
    if found:
        _, dates = reading.dated(clause.text, past=True)
        name = clean_name((found["name"] or "").removeprefix("my ").removeprefix("boyfriend ").removeprefix("girlfriend "))
        when = f" {dates[0].text}" if dates else ""
        known = next((line for line in reading.notebook.lines(subject=clause.subject, kind="partner")), None)
        if not name and known:
            found_name = re.search(rf"named (?P<name>{NAME})", known.content)
            name = clean_name(found_name["name"]) if found_name else ""
        if not name and not known and not found["name"]:
            return False
        reading.keep(clause, "relationship", f"Broke up{f' with {name}' if name else ' with their partner'}{when}", key="partner")
        return True
    found = _DATING.match(clause.text)
    name = clean_name(found["name"]) if found else ""
    if name:
        reading.keep(clause, "relationship", f"Is dating {name}", key="partner")
    return bool(name)


def _kin(clause: Clause, reading: Reading) -> bool:
    found = _KIN.match(clause.text)
    if found:
        reading.keep(clause, "relationship", f"Is {found['what'].lower()}")
    return bool(found)


def _babies(clause: Clause, reading: Reading) -> bool:
    found = _BABY.match(clause.text)
    if not found:
        return False
    past = bool(found["had"])
    text, dates = reading.dated(clause.text, past=past)
    content = statement(text) if past else capitalised(f"is {reading.dated(found['what'] + (found['rest'] or ''), past=False)[0]}")
    reading.keep(clause, "event", content, dates=dates)
    return True


_ = CHILDREN, uncapitalised
