"""Rules: what the person wants to reach and is working towards."""

import re

from memory.providers.offline.clauses import Clause
from memory.providers.offline.patterns import pattern
from memory.providers.offline.reading import Reading
from memory.providers.offline.rewriting import about_them, capitalised, statement
from memory.providers.offline.stems import words

_TO = pattern(
    r"^(?:I|we) (?P<how>want|would love|would like|plan|(?:am|are) planning|hope|(?:am|are) hoping|aim|(?:am"
    r"|are) aiming|intend|(?:am|are) trying|(?:am|are) determined|decided|have decided"
    r"|set myself the goal) to (?P<what>.+)$"
)
_OF = pattern(
    r"^(?:I|we) (?P<how>dream of|(?:am|are) dreaming of|(?:am|are) thinking (?:about|of)|(?:am|are) considering"
    r"|(?:am|are) working (?:on|towards)|(?:have )?set myself the goal of) (?P<what>.+)$"
)
_IN_THIRD_PERSON = (
    ("plan", "plans to"), ("hop", "hopes to"), ("try", "is trying to"), ("decided", "has decided to"),
    ("dream", "dreams of"), ("thinking", "is thinking about"), ("considering", "is thinking about"),
    ("working", "is working on"), ("goal of", "has the goal of"), ("", "wants to"),
)  # fmt: skip
_GOAL_IS = pattern(
    r"^(?:my|our) (?:(?:big|main|biggest|long-term|new|next|personal|ultimate|only) )*(?:goal|dream|aim|plan"
    r"|ambition|resolution|new year's resolution) (?:for (?P<when>[\w ]{3,20}) )?is (?P<to>to )?(?P<what>.+)$"
)
_BUSY_WITH = pattern(
    r"^(?:I|we) (?:am|are) (?P<how>learning|training for|saving(?: up)? for|saving up to|studying for|preparing for"
    r"|practi[sc]ing for|writing an?|working on (?:an?|my)|working towards|looking for an?|retraining (?:as|to)"
    r"|training (?:as|to)|studying to|renovating|building an?|planning(?: an?| our| my)) (?P<what>.+)$"
)
_STARTED = pattern(
    r"^(?:I|we) (?:started|began) (?P<what>(?:learning|training for|saving(?: up)? for|studying for) .+)$"
)
_PASSING = frozenset(
    "lie know brag ask talk say tell hear thank see be make understand sleep eat cry scream go give apologise "
    "apologize share check try chat add show mention point watch listen hug stay come use keep let stop pass leave "
    "figure get find believe think remember forget feel have wish hang express catch relax order meet look send "
    "speak drink sit do put take help explain convince ignore focus enjoy rest".split()
)
# With one of those verbs it is a goal when what follows has some weight.
_WEIGHTY = re.compile(
    r"^(?:be (?:an?|more|less|better|able to|fluent|financially|debt|healthier)\b|make (?:a difference|my own"
    r"|a living)|get (?:my|an?|married|fit|better at|into|in shape|promoted|healthier) |do (?:an?|my) |have (?:an?"
    r"|my own|kids|children|more) |take (?:up|part|better care|a (?:course|class|year|break|trip|gap)|my \w+ to)"
    r"|go (?:back to|to (?:university|college|school|[A-Z])|vegan|travell?ing|freelance|part[- ]time)|leave my"
    r"|stop \w+ing|keep (?:a |my |up )|find (?:an?|my|love|more)|help (?:people|others|kids|children|my)"
    r"|spend (?:more|less)|give (?:kids|people|back)|focus (?:more )?on my|eat (?:less|more|better|healthier"
    r"|healthily)|drink (?:less|more)|sleep (?:more|better|earlier)|use (?:less|my phone less)|feel (?:less|more"
    r"|better)|see (?:the (?:northern lights|world|pyramids)|[A-Z])|meet someone)"
)
_POINTS_OUT = pattern(
    r"\b(?:you|your|yours|it|that|this|him|her|them)\b(?! (?:year|month|summer|winter|spring|autumn|is|was|will))"
    r"|\b(?:forget|delete|instructions|prompt)\b"
)
_VAGUE = pattern(
    r"^(?:how|what|that|whether|where|why|when|something|anything|things|stuff|some things|(?:a )?few|some more|more"
    r"|it|this|one|about my|to be)\b"
)
_BECAUSE = pattern(r",? (?:because|since|so that|thanks to|in case|no matter)\b.*$")


def read_goals(clause: Clause, reading: Reading) -> bool:
    """Wishes with weight, and work towards something."""
    return _wanted(clause, reading) or _busy_with(clause, reading)


def without_reason(text: str) -> str:
    """What is wanted, without why."""
    return _BECAUSE.sub("", text).strip(" ,.")


def _wanted(clause: Clause, reading: Reading) -> bool:
    found = _GOAL_IS.match(clause.text) or _TO.match(clause.text) or _OF.match(clause.text)
    if not found:
        return False
    what = without_reason(found["what"])
    first = what.split(" ", 1)[0].lower()
    passing = first in _PASSING and not _WEIGHTY.match(what) and found.re is not _GOAL_IS
    if not words(what) or passing or _VAGUE.match(what) or _POINTS_OUT.search(what):
        return False
    when = found.groupdict().get("when")
    text, dates = reading.dated(f"{what} in {when}" if when else what, past=False)
    if any(phrase.day == reading.today for phrase in dates):
        return False  # a plan for the day, not a goal
    reading.keep(clause, "goal", _wish(found, about_them(text)), dates=dates)
    return True


def _wish(found: re.Match[str], text: str) -> str:
    if found.re is _GOAL_IS:
        return f"Wants to {text}" if found["to"] else f"Goal: {text}"
    how = found["how"].lower()
    return capitalised(f"{next(said for part, said in _IN_THIRD_PERSON if part in how)} {text}")


def _busy_with(clause: Clause, reading: Reading) -> bool:
    if found := _STARTED.match(clause.text):
        text, dates = reading.dated(clause.text, past=True)
        if not dates:
            text = f"I am {found['what']}"
        reading.keep(clause, "goal", statement(text), dates=dates)
        return True
    found = _BUSY_WITH.match(clause.text)
    if not found or _VAGUE.match(found["what"]):
        return False
    text, dates = reading.dated(without_reason(clause.text), past=False)
    reading.keep(clause, "goal", statement(text), dates=dates)
    return True
