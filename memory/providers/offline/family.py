"""Rules: family, friends and animals, and how they are called."""

import re
from dataclasses import replace

from memory.providers.offline.clauses import Clause
from memory.providers.offline.notebook import Line
from memory.providers.offline.patterns import pattern
from memory.providers.offline.people import (
    NAME,
    PARTNERS,
    RELATION,
    RELATIONS,
    clean_name,
    mentions,
    noun,
    singular,
)
from memory.providers.offline.reading import Reading
from memory.providers.offline.rewriting import statement, with_article
from memory.providers.offline.slots import folded

_COUNT = r"(?:an?|two|three|four|five|six|seven|several|\d{1,2})"
_HAVE = pattern(
    rf"^(?:I|we) have {_COUNT} (?P<adjective>[\w-]+ )?(?P<relation>{RELATION})\b(?:,? (?:named|called"
    rf"|whose name is) (?P<name>{NAME})|, (?P<name2>{NAME})$)?(?P<rest>.*)$"
)
_HAVE_SEVERAL = pattern(
    rf"^(?P<start>(?:I|we) (?:have|grew up with)|it is) (?:(?P<count>{_COUNT}) )?(?P<adjective>[\w-]+ )?"
    rf"(?P<relation>{RELATIONS})\b(?P<rest>.*)$"
)
_AFTER_RELATION = pattern(
    rf"^(?:my|our) (?:two )?(?P<relation>{RELATIONS}),? (?P<first>[^\W\d_][\w'-]*) and (?P<second>[^\W\d_][\w'-]*)\b"
)
_AND_ANOTHER = pattern(rf",? and (?={_COUNT} [\w-]+)")
_NAME_LIST = pattern(r"^(?:,| named| called|:)\s*(?P<names>.+)$")
_BETWEEN_NAMES = pattern(r",? and |, ")
_SEEN_BY_MANY = frozenset("baby doctor coach student teacher dentist therapist boss manager".split())
_NAMED = pattern(
    rf"^(?:(?:my|our) (?P<relation>{RELATION})(?:'s name)?|(?:his|her|its|it|he|she)(?: name)?) is (?:called "
    rf"|named )?(?P<name>{NAME})|^(?:I|we) (?:named|called|call) (?:him|her|it|(?:the|our"
    rf"|my) (?P<relation2>{RELATION})) (?P<name2>{NAME})"
)
_NAMED_MARK = pattern(
    r"^(?:I|we) (?:named|called|call) |'s name is|is (?:called|named) |^(?:his|her|its) name is "
)
_PARTNER_MENTION = pattern(
    rf"\b(?:my|our) (?P<relation>{'|'.join(PARTNERS - {'partner'})})\b(?! and I (?:broke|split|separated))"
)
_NO_MENTION = pattern(r"\b(?:broke up|split up|divorced|separated|left me|dumped|name is)\b")
_LOSS = pattern(
    rf"^(?:my|our) {RELATION}\b.{{0,40}}\b(?:died|passed away|was put)\b|^(?:I|we) lost (?:my|our) "
)


def read_mentions(clause: Clause, reading: Reading) -> None:
    """Keep everybody whom the clause names beside their relation, whatever else it says."""
    named = mentions(clause.text)
    for relation, name in named:
        if not _LOSS.match(clause.text):
            introduce(clause, reading, relation, name)
        reading.cast.meet(name, relation)
    partner = _PARTNER_MENTION.search(clause.text)
    if partner and not named and not _NO_MENTION.search(clause.text):
        content = f"Has {with_article(partner['relation'].lower())}"
        reading.keep(Clause(clause.text), "relationship", content, key="partner")


def read_family(clause: Clause, reading: Reading) -> bool:
    """Who there is and how they are called."""
    return _names_given(clause, reading) or _those_named(clause, reading) or _those_had(clause, reading)


def introduce(clause: Clause, reading: Reading, relation: str, name: str) -> Line | None:
    """Has a sister named Ana. With a correction ("not Anna") the line with the other name is put right."""
    if clause.instead_of and (line := _put_right(clause, reading, name)):
        return line
    who = noun(relation)
    for line in reading.notebook.lines(subject="user"):
        if who in line.folded and folded(name) in line.folded:
            return None
    content = f"Has {with_article(relation.lower())} named {name}"
    return reading.keep(
        Clause(clause.text), "relationship", content, key="partner" if who in PARTNERS else None
    )


def _put_right(clause: Clause, reading: Reading, name: str) -> Line | None:
    """The line on a person under the name that was wrong, with the right one; None where there is none."""
    wrong = re.escape(clause.instead_of)
    for line in reading.notebook.lines(subject="user"):
        if line.slot.kind in ("person", "partner") and folded(clause.instead_of) in line.folded:
            reading.rewrite(line, re.sub(rf"\b{wrong}\b", lambda _: name, line.content, flags=re.IGNORECASE))
            return line
    return None


def _names_given(clause: Clause, reading: Reading) -> bool:
    found = _NAMED.match(clause.text)
    if not found or not (_NAMED_MARK.search(clause.text) or clause.instead_of):
        return False
    name = clean_name(found["name"] or found["name2"], lowercase=clause.lowercase)
    if not name:
        return False
    if found["relation"]:
        introduce(clause, reading, found["relation"], name)
        reading.cast.meet(name, found["relation"].lower())
        return True
    relation = (found["relation2"] or reading.cast.unnamed).lower()
    if not relation:
        return bool(clause.instead_of) and _put_right(clause, reading, name) is not None
    _name_the_unnamed(clause, reading, relation, name)
    return True


def _name_the_unnamed(clause: Clause, reading: Reading, relation: str, name: str) -> None:
    """ "We got a kitten, her name is Miso": the line on the kitten gets the name."""
    start = f"Has {with_article(relation)}"
    for line in reading.notebook.newest_first():
        if line.subject == "user" and line.content.startswith(start) and " named " not in line.content:
            reading.rewrite(line, f"{start} named {name}{line.content.removeprefix(start)}")
            break
    else:
        introduce(clause, reading, relation, name)
    reading.cast.meet(name, relation)
    reading.cast.unnamed = ""


def _those_had(clause: Clause, reading: Reading) -> bool:
    first, *others = _AND_ANOTHER.split(clause.text)
    done = _had(replace(clause, text=first), reading)
    for other in others if done else []:
        _had(replace(clause, text=f"I have {other}"), reading)
    return done


def _had(clause: Clause, reading: Reading) -> bool:
    if clause.subject != "user":
        return False
    if found := _HAVE.match(clause.text):
        return _one_had(clause, reading, found)
    found = _HAVE_SEVERAL.match(clause.text)
    return found is not None and _several_had(clause, reading, found)


def _one_had(clause: Clause, reading: Reading, found: re.Match[str]) -> bool:
    who = f"{found['adjective'] or ''}{found['relation']}".lower()
    said = found["name"] or found["name2"] or ""
    if name := clean_name(said, lowercase=clause.lowercase) if said else "":
        introduce(clause, reading, who, name)
        reading.cast.meet(name, found["relation"].lower())
        return True
    if noun(who) in _SEEN_BY_MANY:
        return False
    rest = found["rest"] if re.match(r"^ (?:who|in|at|from)\b", found["rest"]) else ""
    reading.keep(clause, "relationship", statement(f"I have {with_article(who)}{rest}"))
    reading.cast.unnamed = who
    return True


def _several_had(clause: Clause, reading: Reading, found: re.Match[str]) -> bool:
    who = f"{found['adjective'] or ''}{found['relation']}".lower()
    known = {
        word for line in reading.notebook.lines(subject="user", kind="people") for word in line.slot.about
    }
    counted_anew = found["start"].lower() != "it is" or singular(who) in known
    if not counted_anew or (found["count"] is None and "twin" not in who):
        return False
    count = f"{found['count'].lower()} " if found["count"] else ""
    names = _listed(found["rest"])
    for name in names:
        reading.cast.names[name] = singular(who)
    listed = (
        f", {', '.join(names[:-1])} and {names[-1]}"
        if len(names) > 1
        else "".join(f", {name}" for name in names)
    )
    reading.keep(clause, "relationship", f"Has {count}{who}{listed}")
    return True


def _those_named(clause: Clause, reading: Reading) -> bool:
    """ "My daughters, Lea and Nora, are at university" tells that there are two."""
    names = _AFTER_RELATION.match(clause.text)
    if not names:
        return False
    who, both = names["relation"].lower(), (names["first"], names["second"])
    if any(clean_name(name) != name for name in both):
        return False
    for name in both:
        reading.cast.names[name] = singular(who)
    reading.keep(Clause(clause.text), "relationship", f"Has two {who}, {both[0]} and {both[1]}")
    return True


def _listed(rest: str) -> list[str]:
    """The names in ", Leo and Mia"."""
    found = _NAME_LIST.match(rest)
    return (
        [name for name in _BETWEEN_NAMES.split(found["names"]) if clean_name(name) == name] if found else []
    )
