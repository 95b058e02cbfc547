"""Rules: what happened or will happen, when it has a date or weighs enough to be told without one."""

import re

from memory.providers.offline.clauses import Clause
from memory.providers.offline.dates import MONTHS, DatePhrase
from memory.providers.offline.notebook import Line
from memory.providers.offline.reading import Reading
from memory.providers.offline.rewriting import about_them, capitalised, statement
from memory.providers.offline.stems import overlap, words

_PAST = re.compile(r"^(?:I|we) (?P<verb>[a-z]+)(?P<rest> .+|)$", re.IGNORECASE)
_PAST_VERBS = frozenset(
    "went visited attended joined started finished completed ran passed failed graduated married accepted hired bought sold adopted met "
    "travelled traveled flew performed hosted organised organized celebrated signed enrolled applied won broke sprained published "
    "launched presented camped hiked climbed swam volunteered donated received interviewed quit gave took had got painted moved "
    "submitted returned retired recorded released planted proposed ran raised opened closed founded built created competed played sang "
    "danced cycled rode drove sailed surfed skied explored toured saw watched registered booked began became participated helped spoke "
    "taught cooked baked reached earned hurt injured caught crashed decided contacted".split()
)
# Without a date these are told as well: they change a life, or at least a year.
_WEIGHTY = re.compile(
    r"^(?:I|we) (?:graduated|got (?:married|promoted|divorced|hired|fired|accepted|into (?:[A-Z]\w+|medical|law|grad\w*|college|university|art) |my (?:licen[cs]e|degree"
    r"|diploma|visa|green card|keys|driving|first|results|citizenship|passport)|the (?:job|keys|results|promotion|offer|part|role|scholarship|visa))|won (?:an?|the|my)|passed (?:my|the|an?)|failed my"
    r"|bought (?:an?|our|my) (?:\w+ )?(?:house|flat|apartment|home|car|boat|van|farm)|broke my|had (?:an? )?(?:\w+ )?(?:surgery|operation|accident"
    r"|miscarriage|heart attack|stroke)|published|launched my|sold (?:my|our)|lost my (?:mother|father|mum|mom|dad|job|husband|wife|brother"
    r"|sister|house)|opened (?:my|our) (?:own )?|founded|was accepted|was promoted|retired|became an?|signed up for|enrolled in|ran my first)\b",
    re.IGNORECASE,
)
_WAS_DONE = re.compile(r"^(?:I|we) (?:was|were) (?:accepted|promoted|invited|elected|hired|fired|robbed|mugged|hospitali[sz]ed|admitted|offered)\b.*$", re.I)
_HAVE = re.compile(r"^(?:I|we) (?:have|am having|are having) (?P<what>.+)$", re.IGNORECASE)
_THING = (
    r"(?:\w+ )?(?:exam|exams|test|interview|appointment|flight|wedding|birthday party|party|surgery|operation|trip|holiday|vacation|concert|course|class"
    r"|lesson|semester|deadline|due date|race|marathon|match|game|recital|show|exhibition|graduation|ceremony|anniversary|meeting|presentation"
    r"|conference|workshop|training|train|bus|ferry|visit|check-?up|scan|audition|defen[cs]e|thesis|first day|last day|internship|contract|rehearsal"
    r"|performance|funeral|christening|baptism|lease|hearing|move|review|reunion|festival|retreat|talk|book|baby|therapy session|session|driving test"
    r"|baby shower|housewarming|dinner|lunch|photo shoot|shift|follow-up|results)"
)
_OWN = re.compile(
    rf"^(?:(?:an?|my|our|his|her|their|another|one|two|three|four|some) |(?:the |a )?{_THING}\b|therapy|chemo|finals|exams|school|classes)", re.I
)
_COMING = re.compile(r"^(?:I|we) (?:am|are) (?P<verb>\w+ing)\b(?P<rest>.*)$", re.IGNORECASE)
_WILL = re.compile(
    r"^(?:I|we) (?:will(?: be)?|am going to|are going to|am about to|am supposed to|plan to|am due to|get to)(?: always| never| still)? (?P<verb>\w+)(?P<rest>.*)$", re.I
)
_MUST = re.compile(r"^(?:I|we) (?:need to|have to|must) (?P<verb>\w+)(?P<rest>.*)$", re.IGNORECASE)
_SCHEDULED = re.compile(
    r"^(?:I|we) (?P<verb>start|begin|leave|fly|travel|finish|arrive|return|graduate|move|come back|go back|turn in|defend|visit)\b(?P<rest>.*)$", re.I
)
_IS_ON = re.compile(
    rf"^(?P<whose>my|our|the|my \w+'s|our \w+'s|[A-Z]\w+'s) (?P<what>(?:[\w'-]+ ){{0,3}}?{_THING}(?: (?:with|at|in|to|for) [\w' ]{{2,40}}?)?)"
    r" (?P<verb>is|are|was|were|starts?|begins?|leaves?|ends?|takes place|opens?|departs?|will be|is due|is scheduled for|is coming up|comes out|finishes)"
    r"\b(?P<rest>.*)$",
    re.IGNORECASE,
)
_RESCHEDULED = re.compile(
    rf"^(?:my|our|the) (?P<what>(?:[\w'-]+ ){{0,3}}?{_THING}(?: (?:with|at|in|to|for) [\w' ]{{2,40}}?)?) (?:got|was|is|has been|were|are|is now|have been)"
    r"(?: (?:re)?scheduled| moved| pushed(?: back)?| postponed| brought forward| changed| shifted| delayed| now)+ ?(?:to|until|till|for|on)?(?P<rest>.*)$",
    re.IGNORECASE,
)
_CANCELLED = re.compile(
    r"^(?:my|our|the) (?P<what>.{2,60}?) (?:is|got|was|has been|are|were) (?:cancelled|canceled|called off|off(?=$|,| for))\b(?P<rest>.*)$"
    r"|^(?:I|we) (?:cancelled|canceled|called off) (?:my|our|the) (?P<what2>.{2,60})$",
    re.IGNORECASE,
)
_TRIVIAL = re.compile(
    r"\b(?:supermarket|grocer(?:y|ies)|shops?|store|bed|sleep|gym|bathroom|toilet|office|home|for a (?:walk|run|jog|nap|drive|ride|swim)|nap|shower"
    r"|laundry|dishes|coffees?|tea|breakfast|snack|errands?|mall|headache|cold|lot|lots|bit|question|questions|feeling|idea|chance|things?|minute"
    r"|moment|time|problem|busy|blast|great day|good day|bad day|rough|long day|fun|thought|dream|nightmare|work today|to work|stuff|tons"
    r"|plenty|much|nothing|something|photos?|pics?|pictures?|drink|beer|pizza|sandwich|meeting today|much better|mood|ready|better|experience|laughing|crying|smiling|wondering|thinking|feeling|shaking)\b",
    re.IGNORECASE,
)
_LIGHT_VERBS = frozenset("went had began took made got saw watched gave drove cooked baked played rode became helped caught decided started met reached".split())
_POINTS_OUT = re.compile(r"\b(?:you|your|yours)\b|^ ?(?:it|that|this|them|these|those|one|ones)\b", re.IGNORECASE)
_NOT_COMING = frozenset(
    "feeling thinking wondering looking trying hoping getting doing talking going working watching eating reading sitting waiting writing sleeping"
    " being saying telling asking loving enjoying wanting needing having hearing seeing".split()
)
_PROFESSIONAL = re.compile(r"^ (?:the|my|an?) (?:\w+ )?(?:doctor|gp|dentist|therapist|specialist|physio\w*|surgeon|lawyer|counsel\w+|midwife|vet)\b", re.I)
_GOING = re.compile(r"^ (?:to|on|away|back|camping|hiking|skiing|surfing|sailing|abroad|out|for)\b(?! (?:bed|sleep|work|the gym|be|try|think))", re.I)
_NOT_PLANNED = frozenset(
    "always never still talk let call try think be do tell ask check keep get send text update need sleep rest know say give probably feel want like love hate miss"
    " chat write read eat look use show share remember forget wait hope see make take have".split()
)
_LIGHT_PLANS = re.compile(
    r"^ (?:(?:an?|the|my|our|part in) (?:\w+ ){0,3}?(?:exam|test|trip|flight|train|break|holiday|course|class|talk|speech|presentation|party|dinner|doctor"
    r"|dentist|therapist|specialist|concert|show|baby|surgery|operation|interview|race|parents|family)|surgery|[A-Z])",
)
_NOT_DUE = frozenset("go be do get sleep work think know say rest try find see talk ask tell make take have eat relax focus keep stop".split())
_ANY_EVENT = words("trip appointment meeting event journey plan visit")
_BOOKED = re.compile(
    r"^(?:I|we) (?:signed up|registered|enrolled|booked|got (?:a )?tickets?|bought (?:a )?(?:plane )?tickets?|got (?:invited|a place))\b(?!.*\b(?:ago|yesterday|last)\b)",
    re.IGNORECASE,
)
_NAMED_DAY = re.compile(rf"\b(?:{'|'.join(MONTHS)})\b", re.IGNORECASE)
_MARKS = re.compile(r"\((?:goal reached|cancelled)\)|was cancelled", re.IGNORECASE)


def read_events(clause: Clause, reading: Reading) -> bool:
    """Dated events, past and to come; changes of date; what was called off."""
    rules = (_cancelled, _rescheduled, _things, _past, _to_have, _coming, _planned, _due, _scheduled)
    return any(rule(clause, reading) for rule in rules)


def _keep(clause: Clause, reading: Reading, content: str, dates: list[DatePhrase]) -> bool:
    """An event that is known by nearly the same words, on the same day or still to come, is not kept twice."""
    if clause.together and clause.together not in content:
        content = f"{content} with {clause.together}"
    about = words(content)
    days = {phrase.day for phrase in dates if phrase.day}
    for line in reading.notebook.lines():
        if line.type != "event" and line.slot.kind != "event":
            continue
        known = words(line.content)
        if not known or min(overlap(known, about), overlap(about, known)) < 0.6:
            continue
        _, known_dates = reading.dated(line.content, past=False)
        if {phrase.day for phrase in known_dates if phrase.day} == days or known_dates and not dates:
            return True
    reading.keep(clause, "event", content, dates=dates)
    return True


def _past(clause: Clause, reading: Reading) -> bool:
    found = _PAST.match(clause.text)
    weighty = bool(_WEIGHTY.match(clause.text) or _WAS_DONE.match(clause.text))
    if not found or not (weighty or found["verb"].lower() in _PAST_VERBS) or _POINTS_OUT.search(found["rest"]):
        return False
    text, dates = reading.dated(clause.text, past=True)
    if not dates and not weighty:
        return False
    if _BOOKED.match(clause.text):
        text, dates = reading.dated(clause.text, past=False)  # the date is the one of the thing that was booked
    today = any(phrase.day == reading.today for phrase in dates)
    if today and found["verb"].lower() in _LIGHT_VERBS and not weighty:
        return False
    if found["verb"].lower() in _LIGHT_VERBS and not weighty and (_TRIVIAL.search(found["rest"]) or len(words(found["rest"])) == 0):
        return False
    return _keep(clause, reading, statement(text), dates)


def _to_have(clause: Clause, reading: Reading) -> bool:
    found = _HAVE.match(clause.text)
    if not found or _TRIVIAL.search(found["what"]) or _POINTS_OUT.search(found["what"]) or not _OWN.match(found["what"]):
        return False
    text, dates = reading.dated(clause.text, past=False)
    if not dates or found["what"].lower().startswith(("to ", "not ", "been ")) or not words(found["what"]):
        return False
    return _keep(clause, reading, statement(text), dates)


def _coming(clause: Clause, reading: Reading) -> bool:
    found = _COMING.match(clause.text)
    if not found or _POINTS_OUT.search(found["rest"]):
        return False
    verb = found["verb"].lower()
    if verb == "seeing" and _PROFESSIONAL.match(found["rest"]):
        verb = "visiting"
    if verb in _NOT_COMING and not (verb == "going" and _GOING.match(found["rest"]) and not found["rest"].startswith(" to be ")):
        return False
    text, dates = reading.dated(clause.text, past=False)
    if not dates or _TRIVIAL.search(found["rest"]) or len(words(f"{verb} {found['rest']}")) < 1 + (verb == "going"):
        return False
    return _keep(clause, reading, statement(text), dates)


def _planned(clause: Clause, reading: Reading) -> bool:
    found = _WILL.match(clause.text)
    if not found or _POINTS_OUT.search(found["rest"]) or _TRIVIAL.search(found["rest"]):
        return False
    if found["verb"].lower() in _NOT_PLANNED and not _LIGHT_PLANS.match(found["rest"]):
        return False
    text, dates = reading.dated(clause.text, past=False)
    return bool(dates) and bool(words(found["rest"])) and _keep(clause, reading, statement(text), dates)


def _due(clause: Clause, reading: Reading) -> bool:
    found = _MUST.match(clause.text)
    if not found or _POINTS_OUT.search(found["rest"]) or found["verb"].lower() in _NOT_DUE:
        return False
    text, dates = reading.dated(clause.text, past=False)
    if not any(phrase.day and phrase.day != reading.today or phrase.month for phrase in dates):
        return False
    return _keep(clause, reading, statement(text), dates)


def _scheduled(clause: Clause, reading: Reading) -> bool:
    found = _SCHEDULED.match(clause.text)
    if not found or _POINTS_OUT.search(found["rest"]):
        return False
    text, dates = reading.dated(clause.text, past=False)
    return bool(dates) and _keep(clause, reading, statement(text), dates)


def _things(clause: Clause, reading: Reading) -> bool:
    found = _IS_ON.match(clause.text)
    if not found:
        return False
    past = found["verb"].lower() in ("was", "were")
    text, dates = reading.dated(found["rest"], past=past)
    if not dates:
        return False
    whose = found["whose"] if "'s" in found["whose"] else ""
    thing = about_them(f"{whose} {found['what']}".strip())
    if _corrected(clause, reading, found["what"], dates):
        return True
    if "anniversary" in found["what"].lower() and dates[0].day and _NAMED_DAY.search(found["rest"]):
        text = f" on {dates[0].day.day} {dates[0].day:%B}"
    verb = "" if found["verb"].lower() in ("is", "are", "was", "were", "will be", "is coming up") else f" {found['verb'].lower()}"
    return _keep(clause, reading, capitalised(f"{thing}{verb}{text}"), dates)


def _rescheduled(clause: Clause, reading: Reading) -> bool:
    found = _RESCHEDULED.match(clause.text)
    if not found:
        return False
    text, dates = reading.dated(found["rest"], past=False)
    if not dates:
        text, dates = reading.dated(f" in{found['rest']}", past=False)
    line = event_about(reading, words(found["what"]))
    if line is None:
        return bool(dates) and _keep(clause, reading, capitalised(f"{about_them(found['what'])}{text}"), dates)
    if dates:
        move_event(reading, line, dates[-1])  # "from Friday to Monday"
    return True


def _corrected(clause: Clause, reading: Reading, what: str, dates: list[DatePhrase]) -> bool:
    line = event_about(reading, words(what)) if clause.corrects else None
    if line is None:
        return False
    move_event(reading, line, dates[0])
    return True


def _cancelled(clause: Clause, reading: Reading) -> bool:
    found = _CANCELLED.match(clause.text)
    line = event_about(reading, words(found["what"] or found["what2"])) if found else None
    if line is None:
        return False
    reading.rewrite(line, f"{line.content} (cancelled)")
    return True


def move_event(reading: Reading, line: Line, date: DatePhrase) -> None:
    """Put another date on an event; the rest of it stays."""
    _, known = reading.dated(line.content, past=False)
    if known:
        content = f"{line.content[: known[0].start]}{date.text}{line.content[known[0].end :]}"
    else:
        content = f"{line.content} {date.text}"
    line.happens_at = date.day.isoformat() if date.day else line.happens_at
    reading.rewrite(line, content)


def event_about(reading: Reading, what: frozenset[str]) -> Line | None:
    """The newest event that has all the telling words, or most of them."""
    what = what - _ANY_EVENT or what
    best: tuple[float, Line] | None = None
    for line in reading.notebook.newest_first():
        if line.type not in ("event", "goal") and line.slot.kind not in ("event", "move"):
            continue
        if _MARKS.search(line.content):
            continue
        score = overlap(what, words(line.content))
        if score >= 0.6 and (best is None or score > best[0]):
            best = (score, line)
    return best[1] if best else None
