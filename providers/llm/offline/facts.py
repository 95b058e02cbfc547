"""Finds the fact in a clause by the table. Stored statements are put into the first person and read the same way."""

import re
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from providers.llm.offline.clauses import Clause, tidy_clause, without_tail
from providers.llm.offline.dates import DatePhrase, absolute, find_dates, is_over, without_dates
from providers.llm.offline.wording import (
    PARTNERS,
    PARTS,
    RULES,
    WORDS,
    about_them,
    capitalised,
    clean_name,
    first_person,
    folded,
    noun,
    part,
    pattern,
    statement,
    uncapitalised,
    with_article,
    with_parts,
    words,
)

MAX_OBJECT = 16  # words; more is a story, not a fact
MAX_PLACE = 80  # characters


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement: its kind, how it is stored, and what distinguishes it from others of its kind.

    Two facts of a kind that are `about` the same contradict each other if their `value` differs. `how` names the rule
    for facts that take more than storing them (providers.llm.offline.keeping).
    """

    kind: str
    type: str
    content: str
    about: frozenset[str]
    value: str = ""
    negated: bool = False
    how: str = ""
    key: str | None = None
    role: str = ""
    employer: str = ""
    constraint: bool = False
    dates: tuple[DatePhrase, ...] = ()

    @property
    def happens_at(self) -> str | None:
        """The first certain day or month."""
        return next((phrase.happens_at for phrase in self.dates if phrase.happens_at), None)


_LABELS = frozenset(
    "name full first surname last family birthday time timezone favourite favorite pronouns home".split()
)
# Groups of a pattern that must turn out to be what they are called; otherwise the row does not match.
_NEEDED = frozenset("name birthday place thing thing2 first second job employer what".split())
_WHOM = re.compile(r"^(?:the )?user(?:'s)? ", re.IGNORECASE)
_HOUR = pattern(r" at \d{1,2}(?:[:.]\d\d ?[ap]m|[:.]\d\d| ?[ap]m| o'clock)(?!\w)")
_NOW = pattern(r"^(?:currently|now|really|also) ")
_NEGATIVE = pattern(r"^(I|we) (?:do not|(am|are|was|have) not) (?=\w)")
_NO_PLACES = frozenset(
    "peace fear hope harmony poverty pain love denial the a my our your his her their this that constant hell heaven "
    "shock marketing sales management silence it them bed trouble here there another different".split()
)


@dataclass(frozen=True, slots=True)
class Row:
    """A kind of statement; rules.toml explains the fields."""

    kind: str
    type: str
    said: re.Pattern[str]
    unless: re.Pattern[str]
    kept: str = ""
    key: str | None = None
    value: str = ""
    how: str = ""
    past: bool = False
    dated: bool = False
    later: bool | None = None
    constraint: bool = False


def _read(text: str) -> re.Pattern[str]:
    said = re.sub(r"(?<!\\)\bW\b", "(?:I|we)", re.sub(r"\bAM\b", "(?:I am|we are)", text))
    return pattern(with_parts(said, PARTS))


def _row(given: dict[str, Any]) -> Row:
    return Row(**{**given, "said": _read("^" + given["said"]), "unless": _read(given.get("unless", "(?!)"))})


TABLE = tuple(map(_row, RULES["table"]["rows"]))
_HEAD_ENDS = ("at", "in", "for", "of", "with", "from", "on", "and", "who", "that", "by", ",")


def is_job(phrase: str) -> bool:
    """Return whether the head of a noun phrase is an occupation: "high school teacher", "nurse in a hospice"."""
    said = phrase.lower().replace(",", " ,").split()[:7]
    ends = next((i for i, word in enumerate(said) if word in _HEAD_ENDS), len(said))
    return 0 < ends < 6 and said[ends - 1] in WORDS["occupations"]


def find_fact(clause: Clause, *, today: date) -> Fact | None:
    """The fact that a clause in the first person states; None if no row of the table matches."""
    for row in TABLE:
        found = row.said.match(clause.text)
        fact = _fact(row, found, clause, today) if found and not row.unless.search(clause.text) else None
        if fact is not None:
            return fact
    return None


def read_kept(content: str, *, type: str, called: str) -> Fact:
    """The fact in a stored statement, worded by these rules or by others. If no kind is known, it is
    about its words.
    """
    text = _WHOM.sub("", " ".join(content.split()))
    if called and folded(text).startswith(f"{called} "):
        text = text[len(called) + 1 :]
    text = _NOW.sub("", text)
    over, text = ("no longer ", text[10:]) if text[:10].lower() == "no longer " else ("", text)
    first, _, rest = text.partition(" ")
    said = f"my {text}" if first.lower() in _LABELS else f"I {over}{first_person(first.lower())} {rest}"
    clause = tidy_clause(said.partition(" (")[0]) or Clause(said)
    positive = positive_form(clause.text)
    fact = find_fact(Clause(positive or clause.text), today=date(2000, 1, 1))
    negated = bool(positive)
    if positive and not clause.ended and (plain := find_fact(clause, today=date(2000, 1, 1))):
        fact, negated = plain, plain.negated
    if fact is None or (fact.kind in ("event", "goal", "other") and not negated):
        kind = fact.kind if fact else type if type in ("goal", "event") else "other"
        how, constraint = (fact.how, fact.constraint) if fact else ("", False)
        return Fact(kind, type, content, words(text), folded(text), how=how, constraint=constraint)
    if fact.kind == "attitude" and negated:
        return replace(fact, type=type, content=content, value="dislike", key=None)
    return replace(fact, type=type, content=content, negated=negated or fact.negated, key=None)


def positive_form(text: str) -> str:
    """Turn "I do not live in Faro" into "I live in Faro"; "" if nothing is denied."""
    found = _NEGATIVE.match(text)
    return f"{found[1]} {f'{found[2]} ' if found[2] else ''}{text[found.end() :]}" if found else ""


def place_in(said: str, *, lowercase: bool = False) -> str:
    """The place at the beginning of `said`: a name, or a kind of place ("a village near Évora"); "" if
    there is none.
    """
    text = without_dates(said).strip(" ,.!")
    cut = part("PLACE_ENDS").search(text, 1)
    text = (text[: cut.start()] if cut else text).strip(" ,.!")
    if not text or len(text) > MAX_PLACE:
        return ""
    if part("KIND_OF_PLACE").match(text.lower()):
        return text
    if text.split()[0].lower() in _NO_PLACES and (lowercase or not text.startswith(("the ", "The "))):
        return ""
    if lowercase and len(text.split()) <= 3:
        return text.title()
    return text if clean_name(text.removeprefix("the ").removeprefix("The ").split()[0]) else ""


def thing_in(said: str) -> str:
    """What is liked or avoided, without the rest of the sentence; "" if it only refers to something ("that one")."""
    thing = _until(part("FACTS_GOES_ON"), said).strip(" ,.")
    if part("NO_THING").match(thing) or part("POINTS_OUT").search(thing) or len(thing.split()) > MAX_OBJECT:
        return ""
    return about_them(thing) if words(thing) or re.search(r"\d", thing) else ""


def employment_in(said: str) -> str:
    """A role or an employer, without dates and the rest of the sentence."""
    text = without_dates(said).strip(" ,.")
    return about_them(" ".join(_until(part("WORK_GOES_ON"), text).split()).strip(" ,."))[:MAX_PLACE]


def _until(goes_on: re.Pattern[str], said: str) -> str:
    """The text before the place where the sentence goes on, without meaningless words at its end."""
    found = goes_on.search(said)
    return without_tail(said[: found.start()])[0] if found else said


def _fact(row: Row, found: re.Match[str], clause: Clause, today: date) -> Fact | None:
    _, dates = absolute(clause.text, today=today, past=row.past)
    if row.how == "appointment" and is_over(clause.text, dates, today):
        row = replace(row, past=True)
        _, dates = absolute(clause.text, today=today, past=True)
    if (row.dated and not dates) or (row.later and not any(one.month and one.day != today for one in dates)):
        return None
    if row.later is False and any(one.day == today for one in dates):
        return None
    filled = _filled(row, found, clause, today)
    if filled is None:
        return None
    if row.kept:
        month = next((one.month for one in dates if one.month), f"{today:%B %Y}")
        content = capitalised(row.kept.format(**filled, month=month, today=f"{today:%B %Y}"))
    else:
        content = statement(absolute(clause.text, today=today, past=row.past)[0])
    if not words(content) and "age" not in filled:
        return None
    about, value = _about_and_value(row, filled, content)
    partner = row.kind == "person" and about <= PARTNERS
    return Fact(
        "partner" if partner else row.kind, row.type, content, about, value, False, row.how,
        "partner" if partner else row.key,
        filled.get("role", "") or filled.get("job", ""), filled.get("employer", ""), row.constraint,
        tuple(dates) if row.type in ("event", "goal") else (),
    )  # fmt: skip


def _filled(row: Row, found: re.Match[str], clause: Clause, today: date) -> dict[str, str] | None:
    """The pattern's groups, each converted; None if a needed one is not what it is called."""
    filled: dict[str, str] = {}
    for group, said in found.groupdict().items():
        if said is None:
            filled[group] = ""
            continue
        filled[group] = turned = _converted(group, said, row, clause, today)
        if not turned and group in _NEEDED:
            return None
    for group in ("name", "thing"):
        filled[group] = filled.get(group) or filled.get(f"{group}2") or ""
    filled["named"] = f" named {filled['name']}" if filled["name"] else ""
    return filled


def _converted(group: str, said: str, row: Row, clause: Clause, today: date) -> str:
    match group:
        case "name" | "name2":
            return clean_name(said, lowercase=clause.lowercase and row.kind != "introduction")
        case "to_name":
            name = clean_name(said)
            return f" to {name}" if name else ""
        case "place":
            return place_in(said, lowercase=clause.lowercase)
        case "thing" | "thing2" | "first" | "second":
            thing = thing_in(absolute(said, today=today, past=row.past)[0])
            return uncapitalised(thing) if group == "thing2" else thing
        case "job":
            return employment_in(said) if is_job(said) else ""
        case "role" | "employer":
            return employment_in(said)
        case "relation":
            return with_article(said.lower())
        case "what":
            text = absolute(said, today=today, past=row.past)[0]
            return about_them(part("FACTS_GOES_ON").split(text)[0]) if words(text) else ""
        case "rest":
            dates = find_dates(re.sub(r"\bto ", "", said), today=today, past=row.past)  # moved to a day
            hour = _HOUR.search(said)
            return f" {dates[0].text}{hour[0] if hour else ''}" if dates else ""
        case "birthday":  # without a year
            day = next((one.day for one in find_dates(said, today=today, past=False) if one.day), None)
            return f"{day.day} {day:%B}" if day else ""
        case "who":
            return about_them(said)
        case "whose":
            return about_them(said) if "'s" in said else ""
        case "died":
            return "Died" if "die" in said else "Passed away"
        case "verb":
            return said.lower()
    return said.lower() if said.isupper() else said


def _about_and_value(row: Row, filled: dict[str, str], content: str) -> tuple[frozenset[str], str]:
    if row.kind == "prefer":
        return words(f"{filled['first']} {filled['second']}"), " ".join(sorted(words(filled["first"])))
    if row.kind in ("person", "people", "partner"):
        who = noun(filled.get("relation", "") or filled.get("count", ""))
        value = folded(filled.get("name") or filled.get("names") or (content if who not in PARTNERS else who))
        return frozenset({who}), value if filled.get("relation", who) else folded(content)
    if row.kind == "medicine":
        return words(filled["thing"]), folded(content)
    if row.kind in ("attitude", "health"):
        return words(filled["thing"]), row.value
    if row.kind == "favourite":
        return words(filled["kind"]), folded(filled["thing"])
    value = next((filled[name] for name in ("name", "place", "diet", "age") if filled.get(name)), content)
    return words(content), folded(uncapitalised(value))
