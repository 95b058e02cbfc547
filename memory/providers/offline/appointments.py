"""Rules: things that have a date of their own (an exam, a wedding, a flight), and changes of that date."""

from memory.providers.offline.clauses import Clause
from memory.providers.offline.dates import DatePhrase
from memory.providers.offline.moments import MONTHS
from memory.providers.offline.notebook import Line
from memory.providers.offline.patterns import pattern
from memory.providers.offline.reading import Reading
from memory.providers.offline.rewriting import about_them, capitalised
from memory.providers.offline.stems import overlap, words

THING = (
    r"(?:\w+ )?(?:exams?|test|interview|appointment|flight|wedding|birthday party|party|surgery|operation|trip"
    r"|holiday|vacation|concert|course|class|lesson|semester|deadline|due date|race|marathon|match|game|recital|show"
    r"|exhibition|graduation|ceremony|anniversary|meeting|presentation|conference|workshop|training|train|bus|ferry"
    r"|visit|check-?up|scan|audition|defen[cs]e|thesis|first day|last day|internship|contract|rehearsal|performance"
    r"|funeral|christening|baptism|lease|hearing|move|review|reunion|festival|retreat|talk|book|baby|therapy session"
    r"|session|driving test|baby shower|housewarming|dinner|lunch|photo shoot|shift|follow-up|results)"
)
_WHAT = rf"(?P<what>(?:[\w'-]+ ){{0,3}}?{THING}(?: (?:with|at|in|to|for) [\w' ]{{2,40}}?)?)"
_IS_ON = pattern(
    rf"^(?P<whose>my|our|the|my \w+'s|our \w+'s|[^\W\d_][\w]+'s) {_WHAT} (?P<verb>is|are|was|were|starts?|begins?"
    rf"|leaves?|ends?"
    r"|takes place|opens?|departs?|will be|is due|is scheduled for|is coming up|comes out|finishes)\b(?P<rest>.*)$"
)
_SILENT = ("is", "are", "was", "were", "will be", "is coming up")  # "Exam on 3 December" needs none of these
_BETWEEN = (
    "",
    "finally",
    "now",
    "already",
    "actually",
    "just",
)  # "the train was packed this morning" is no date
_RESCHEDULED = pattern(
    rf"^(?:my|our|the) {_WHAT} (?:got|was|is|has been|were|are|is now|have been)(?: (?:re)?scheduled| moved"
    rf"| pushed(?: back)?"
    r"| postponed| brought forward| changed| shifted| delayed| now)+ ?(?:to|until|till|for|on)?(?P<rest>.*)$"
)
_CANCELLED = pattern(
    r"^(?:my|our|the) (?P<what>.{2,60}?) (?:is|got|was|has been|are|were) (?:cancelled|canceled|called off|off(?=$|,"
    r"| for))\b|^(?:I|we) (?:cancelled|canceled|called off) (?:my|our|the) (?P<what2>.{2,60})$"
)
_ANY_EVENT = words("trip appointment meeting event journey plan visit")
_NAMED_DAY = pattern(rf"\b(?:{'|'.join(MONTHS)})\b")
_SETTLED = pattern(r"\((?:goal reached|cancelled)\)|was cancelled")


def read_appointments(clause: Clause, reading: Reading) -> bool:
    """ "My exam is on the 3rd", "The interview got moved to Monday", "The trip is cancelled"."""
    rules = (_cancelled, _rescheduled, _things)
    return any(rule(clause, reading) for rule in rules)


def keep_event(clause: Clause, reading: Reading, content: str, dates: list[DatePhrase]) -> bool:
    """An event that is known by nearly the same words, on the same day or still to come, is not kept twice."""
    if clause.together and clause.together not in content:
        content = f"{content} with {clause.together}"
    about = words(content)
    days = {phrase.day for phrase in dates if phrase.day}
    for line in _events(reading):
        if min(overlap(line.words, about), overlap(about, line.words)) < 0.6:
            continue
        _, known = reading.dated(line.content, past=False)
        if {phrase.day for phrase in known if phrase.day} == days or (known and not dates):
            return True
    reading.keep(clause, "event", content, dates=dates)
    return True


def move_event(reading: Reading, line: Line, date: DatePhrase) -> None:
    """Put another date on an event; the rest of it stays."""
    _, known = reading.dated(line.content, past=False)
    content = f"{line.content} {date.text}"
    if known:
        content = f"{line.content[: known[0].start]}{date.text}{line.content[known[0].end :]}"
    reading.rewrite(line, content, dates=[date])


def event_about(reading: Reading, what: frozenset[str]) -> Line | None:
    """The newest event that has all the telling words, or most of them."""
    what = what - _ANY_EVENT or what
    best: tuple[float, Line] | None = None
    for line in reading.notebook.newest_first():
        planned = line.type in ("event", "goal") or line.slot.kind in ("event", "move")
        score = overlap(what, line.words) if planned and not _SETTLED.search(line.content) else 0.0
        if score >= 0.6 and (best is None or score > best[0]):
            best = (score, line)
    return best[1] if best else None


def _events(reading: Reading) -> list[Line]:
    return [line for line in reading.notebook.lines() if line.type == "event" or line.slot.kind == "event"]


def _things(clause: Clause, reading: Reading) -> bool:
    found = _IS_ON.match(clause.text)
    if not found:
        return False
    verb = found["verb"].lower()
    text, dates = reading.dated(found["rest"], past=verb in ("was", "were"))
    if not dates or (verb in _SILENT and found["rest"][: dates[0].start].strip().lower() not in _BETWEEN):
        return False
    known = event_about(reading, words(found["what"])) if clause.corrects else None
    if known is not None:
        move_event(reading, known, dates[0])
        return True
    if "anniversary" in found["what"].lower() and dates[0].day and _NAMED_DAY.search(found["rest"]):
        text = f" on {dates[0].day.day} {dates[0].day:%B}"  # every year
    whose = f"{found['whose']} " if "'s" in found["whose"] else ""
    told = "" if verb in _SILENT else f" {verb}"
    return keep_event(clause, reading, capitalised(f"{about_them(whose + found['what'])}{told}{text}"), dates)


def _rescheduled(clause: Clause, reading: Reading) -> bool:
    found = _RESCHEDULED.match(clause.text)
    if not found:
        return False
    _, dates = reading.dated(found["rest"], past=False)
    if not dates:
        _, dates = reading.dated(f" in{found['rest']}", past=False)
    line = event_about(reading, words(found["what"]))
    if not dates:
        return line is not None
    if line is None:
        content = capitalised(f"{about_them(found['what'])} {dates[-1].text}")
        return keep_event(clause, reading, content, dates[-1:])
    move_event(reading, line, dates[-1])  # "from Friday to Monday"
    return True


def _cancelled(clause: Clause, reading: Reading) -> bool:
    found = _CANCELLED.match(clause.text)
    line = event_about(reading, words(found["what"] or found["what2"])) if found else None
    if line is None:
        return False
    reading.rewrite(line, f"{line.content} (cancelled)")
    return True
