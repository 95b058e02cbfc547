"""Rules: what the person wants to reach, is working towards, has reached or given up."""

import re

from memory.providers.offline.clauses import Clause
from memory.providers.offline.notebook import Line
from memory.providers.offline.reading import Reading
from memory.providers.offline.rewriting import about_them, capitalised, statement
from memory.providers.offline.stems import overlap, words

_WANT = re.compile(
    r"^(?:I|we) (?P<how>want|would (?:love|like)|plan|(?:am|are) planning|hope|(?:am|are) hoping|aim|(?:am|are) aiming|intend|(?:am|are) trying"
    r"|(?:am|are) determined|decided|have decided|dream of|(?:am|are) dreaming of|(?:am|are) thinking (?:about|of)|(?:am|are) considering|(?:am|are) working (?:on|towards)"
    r"|set myself the goal)(?: to)? (?P<what>.+)$",
    re.IGNORECASE,
)
_TAKES_TO = tuple("want love like plan planning hope hoping aim aiming intend trying determined decided goal".split())
_GOAL_IS = re.compile(
    r"^(?:my|our) (?:(?:big|main|biggest|long-term|new|next|personal|ultimate|only) )*(?:goal|dream|aim|plan|ambition|resolution|new year's"
    r" resolution) (?:for (?P<when>[\w ]{3,20}) )?is (?:to )?(?P<what>.+)$",
    re.IGNORECASE,
)
_BUSY_WITH = re.compile(
    r"^(?:I|we) (?:am|are) (?P<how>learning|training for|saving(?: up)? for|saving up to|studying for|preparing for|practising for"
    r"|practicing for|writing an?|working on (?:an?|my)|working towards|looking for an?|retraining (?:as|to)|training (?:as|to)|studying to|renovating|building an?|planning(?: an?| our| my))"
    r" (?P<what>.+)$",
    re.IGNORECASE,
)
_STARTED = re.compile(r"^(?:I|we) (?:started|began) (?P<what>learning|training for|saving(?: up)? for|studying for) (?P<rest>.+)$", re.I)
_GAVE_UP = re.compile(
    r"^(?:I|we) (?P<how>gave up|stopped|quit|dropped|abandoned|decided against|am not going to|decided not to|do not want to|am not"
    r"|do not plan to|do not hope to)(?: on| the (?:idea|plan|goal) (?:of|to)| my (?:plan|goal|dream) (?:of|to))? (?P<what>.+)$",
    re.IGNORECASE,
)
_REACHED = re.compile(
    r"^(?:I|we) (?P<verb>finished|completed|passed|ran|reached|achieved|did|made|won|got|published|submitted|handed in|graduated|lost|read"
    r"|wrote|bought|learned|learnt|visited|climbed|moved|managed to [a-z]+|finally [a-z]+|quit|saved|paid off|launched)\b(?P<rest>.*)$",
    re.IGNORECASE,
)
_PASSING = frozenset(
    "know brag ask talk say tell hear thank see be make understand sleep eat cry scream go give apologise apologize share check try chat add "
    "show mention point watch listen hug stay come use keep let stop pass leave figure get find believe think remember forget feel have "
    "wish hang express catch relax order meet look send speak drink sit do put take help explain convince ignore focus enjoy rest".split()
)
# Of the verbs above, these make a goal when what follows is of some weight.
_WEIGHTY = re.compile(
    r"^(?:be (?:an?|more|less|better|able to|fluent|financially|debt|healthier)\b|make (?:a difference|my own|a living)|get (?:my|an?|married|fit|better at"
    r"|into|in shape|promoted|healthier|a )|do (?:an?|my) |have (?:an?|my own|kids|children|more) |take (?:up|part|better care|a (?:course|class|year|break|trip|gap)|my \w+ to)"
    r"|go (?:back to|to (?:university|college|school|[A-Z])|vegan|travell?ing|freelance|part[- ]time)|leave my|stop (?:\w+ing)"
    r"|keep (?:a |my |up )|find (?:an?|my|love|more)|help (?:people|others|kids|children|my)|spend (?:more|less)|start |give (?:kids|people|back)"
    r"|focus (?:more )?on my|eat (?:less|more|better|healthier|healthily)|drink (?:less|more)|sleep (?:more|better|earlier)|use (?:less|my phone less)"
    r"|feel (?:less|more|better)|see (?:the (?:northern lights|world|pyramids))|meet someone|see [A-Z])",
)
_NO_GOAL = re.compile(r"\b(?:you|your|yours|it|that|this|him|her|them)\b(?! (?:year|month|summer|winter|spring|autumn|is|was|will))", re.IGNORECASE)
_BECAUSE = re.compile(r",? (?:because|since|so that|thanks to|in case|no matter)\b.*$", re.IGNORECASE)
_VAGUE = re.compile(r"^(?:how|what|that|whether|where|why|when|something|anything|things|stuff|some things|(?:a )?few|some more|more|it all|one)\b", re.IGNORECASE)
_MEMORY_WORDS = re.compile(r"\b(?:forget|delete|instructions|prompt)\b", re.IGNORECASE)


def read_goals(clause: Clause, reading: Reading) -> bool:
    """Wishes with weight, work towards something, success, and giving up."""
    rules = (_given_up, _reached, _wanted, _busy_with)
    return any(rule(clause, reading) for rule in rules)


def _wanted(clause: Clause, reading: Reading) -> bool:
    found = _GOAL_IS.match(clause.text) or _WANT.match(clause.text)
    if not found:
        return False
    what = _BECAUSE.sub("", found["what"]).strip(" ,.")
    if found.re is _WANT and not _is_goal(found["how"].lower(), clause.text, what):
        return False
    text, dates = reading.dated(what, past=False)
    when = found.groupdict().get("when")
    if when:
        text = f"{text} {reading.dated(when, past=False)[0]}"
    if any(phrase.day == reading.today for phrase in dates):
        return False  # a plan for the day, not a goal
    content = _wish(found, text)
    if len(words(content)) == 0 or _MEMORY_WORDS.search(what):
        return False
    reading.keep(clause, "goal", content, dates=dates)
    return True


def _wish(found: re.Match[str], text: str) -> str:
    how = re.sub("^are ", "am ", (found.groupdict().get("how") or "want").lower())
    text = about_them(text)
    if how.startswith(("am thinking", "am considering")):
        return capitalised(f"is thinking about {text}")
    if how.startswith(("dream of", "am dreaming")):
        return capitalised(f"dreams of {text}")
    if how.startswith(("am working",)):
        return capitalised(f"is working on {text}")
    verb = {"plan": "plans", "am planning": "plans", "are planning": "plans", "hope": "hopes", "am hoping": "hopes",
            "am trying": "is trying", "are trying": "is trying", "decided": "has decided", "have decided": "has decided"}  # fmt: skip
    if found.re is _GOAL_IS and not re.match(r"^[a-z]+\b", text):
        return capitalised(f"goal: {text}")
    if found.re is _GOAL_IS and text.split()[0].endswith("ing"):
        return capitalised(f"goal: {text}")
    return capitalised(f"{verb.get(how, 'wants')} to {text}")


def _is_goal(how: str, whole: str, what: str) -> bool:
    first = what.split()[0].lower()
    if not re.search(r" to ", whole[: len(whole) - len(what)]) and how.endswith(_TAKES_TO):
        return False
    if "working" in how and _NO_GOAL.match(what):
        return False
    if _NO_GOAL.search(what) or _VAGUE.match(what):
        return False
    return first not in _PASSING or bool(_WEIGHTY.match(what))


def _busy_with(clause: Clause, reading: Reading) -> bool:
    if found := _STARTED.match(clause.text):
        text, dates = reading.dated(clause.text, past=True)
        reading.keep(clause, "goal", statement(f"I am {found['what']} {reading.dated(found['rest'], past=True)[0]}") if not dates
                     else statement(text))  # fmt: skip
        return True
    found = _BUSY_WITH.match(clause.text)
    if not found or _NO_GOAL.match(found["what"]) or _VAGUE.match(found["what"]) or (found["how"].lower() == "learning" and found["what"].lower().startswith(("to be ", "that", "about my"))):
        return False
    text, dates = reading.dated(clause.text, past=False)
    reading.keep(clause, "goal", statement(text), dates=dates)
    return True


def _given_up(clause: Clause, reading: Reading) -> bool:
    found = _GAVE_UP.match(clause.text)
    if not found:
        return False
    how = found["how"].lower()
    line = _goal_about(clause, reading, found["what"])
    if line is None:
        return False
    text, dates = reading.dated(clause.text, past=True)
    if how == "do not want to":
        content = f"No longer wants to {about_them(reading.dated(found['what'], past=False)[0])}"
    elif how == "am not":
        content = f"Is no longer {about_them(found['what'])}"
    else:
        content = statement(text)
    reading.rewrite(line, capitalised(content))
    return True


def _reached(clause: Clause, reading: Reading) -> bool:
    found = _REACHED.match(clause.text)
    if not found:
        return False
    line = _goal_about(clause, reading, found["rest"])
    if line is None or line.slot.kind == "move":
        return False
    text, _dates = reading.dated(clause.text, past=True)
    reading.rewrite(line, f"{statement(text)} (goal reached)")
    return True


def _goal_about(clause: Clause, reading: Reading, what: str) -> Line | None:
    """The goal whose words are the ones that are said, best first; None where none is close."""
    said = words(what)
    best: tuple[float, Line] | None = None
    for line in reading.notebook.lines(subject=clause.subject):
        if line.type != "goal" and line.slot.kind not in ("goal", "move"):
            continue
        if re.match(r"(?:no longer|gave up|stopped|is no longer)", line.content.lower()) or line.content.endswith("(goal reached)"):
            continue
        about = words(line.content) - {"learn", "train", "run", "try", "start", "sav", "save", "pass"}
        core = said - {"learn", "train", "run", "try", "start", "sav", "save", "pass"}
        score = min(overlap(core, about), 1.0) * 0.5 + overlap(about, core) * 0.5
        close = len(core & about) >= 2 or (core & about == about and len(core) <= 2)
        if close and score >= 0.5 and (best is None or score > best[0]):
            best = (score, line)
    return best[1] if best else None
