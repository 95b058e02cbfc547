"""Rules: what the person did or will do, when it has a date or weighs enough to be told without one."""

import re

from memory.providers.offline.appointments import THING, keep_event
from memory.providers.offline.clauses import Clause
from memory.providers.offline.patterns import pattern
from memory.providers.offline.reading import Reading
from memory.providers.offline.rewriting import statement
from memory.providers.offline.stems import words

_PAST = pattern(r"^(?:I|we) (?P<verb>[a-z]+)(?P<rest> .+|)$")
_PAST_VERBS = frozenset(
    "went visited attended joined started finished completed ran passed failed graduated married accepted hired "
    "bought sold adopted met travelled traveled flew performed hosted organised organized celebrated signed "
    "enrolled applied won broke sprained published launched presented camped hiked climbed swam volunteered donated "
    "received interviewed quit gave took had got painted moved submitted returned retired recorded released planted "
    "proposed raised opened closed founded spent built created competed played sang danced cycled rode drove sailed "
    "surfed skied explored toured saw registered booked began became participated helped spoke taught "
    "cooked baked reached earned hurt injured caught crashed decided contacted".split()
)
# Done every day; they make an event with a date that is not today's, and with something that is not everyday.
_LIGHT_VERBS = frozenset(
    "went had began spent took got saw watched gave drove cooked baked played rode became helped caught decided "
    "started met reached".split()
)
# Without a date these are told as well: they change a life, or at least a year.
_WEIGHTY = pattern(
    r"^(?:I|we) (?:graduated|got (?:married|promoted|divorced|hired|fired|accepted|into (?:medical|law|grad\w*"
    r"|college|university|art) |my (?:licen[cs]e|degree|diploma|visa|green card|keys|driving|first|results"
    r"|citizenship|passport)|the (?:job|keys|results|promotion|offer|part|role|scholarship|visa))|won (?:an?|the|my)"
    r"|passed (?:my|the|an?)|failed my|bought (?:an?|our|my) (?:\w+ )?(?:house|flat|apartment|home|car|boat|van"
    r"|farm)|broke my|had (?:an? )?(?:\w+ )?(?:surgery|operation|accident|miscarriage|heart attack|stroke)|published"
    r"|launched my|sold (?:my|our)|lost my (?:mother|father|mum|mom|dad|job|husband|wife|brother|sister|house)"
    r"|opened (?:my|our) (?:own )?|founded|retired|became an?|signed up for|enrolled in|ran my first|(?:was"
    r"|were) (?:accepted|promoted|invited|elected|hired|fired|robbed|mugged|hospitali[sz]ed|admitted|offered))\b"
)
_BOOKED = pattern(
    r"^(?:I|we) (?:signed up|registered|enrolled|booked|got (?:a )?tickets?|bought (?:a )?(?:plane )?tickets?"
    r"|got (?:invited|a place))\b(?!.*\b(?:ago|yesterday|last)\b)"
)
_HAVE = pattern(
    rf"^(?:I|we) (?:have|am having|are having) (?P<what>(?:(?:an?|my|our|his|her|their|another|one|two|three|four"
    rf"|some) |(?:the |a )?{THING}\b|therapy|chemo|finals|exams|school|classes).*)$"
)
_COMING = pattern(r"^(?:I|we) (?:am|are) (?P<verb>\w+ing|off)\b(?P<rest>.*)$")
_WILL = pattern(
    r"^(?:I|we) (?:will(?: be)?|am going to|are going to|am about to|am supposed to|plan to|am due to"
    r"|get to) (?P<verb>\w+)(?P<rest>.*)$"
)
_MUST = pattern(r"^(?:I|we) (?:need to|have to|must) (?P<verb>\w+)(?P<rest>.*)$")
_SCHEDULED = pattern(
    r"^(?:I|we) (?:start|begin|leave|fly|travel|finish|arrive|return|graduate|move|come back|go back|turn in|defend"
    r"|visit)\b(?P<rest>.*)$"
)
_TRIVIAL = pattern(
    r"\b(?:supermarket|grocer(?:y|ies)|shops?|store|bed|sleep|gym|bathroom|toilet|office|home|for a (?:walk|run|jog"
    r"|nap|drive|ride|swim)|nap|shower|laundry|dishes|coffees?|tea|breakfast|snack|errands?|mall|headache|cold|lot"
    r"|lots|bit|questions?|feeling|idea|chance|things?|minute|moment|time|problem|busy|blast|(?:great|good|bad"
    r"|long) day|rough|fun|thought|dream|nightmare|work today|to work|stuff|tons|plenty|much|nothing|something"
    r"|photos?|pics?|pictures?|drink|beer|pizza|sandwich|meeting today|mood|ready|better|experience|laughing|crying"
    r"|smiling|wondering|thinking|shaking)\b"
)
_POINTS_OUT = pattern(r"\b(?:you|your|yours)\b|^ ?(?:it|that|this|them|these|those|one|ones)\b")
_NOT_COMING = frozenset(
    "feeling thinking wondering looking trying hoping getting doing talking going working watching eating reading "
    "sitting waiting writing sleeping being saying telling asking loving enjoying wanting needing having hearing "
    "seeing".split()
)
_SEEING = pattern(
    r"^ (?:the|my|an?) (?:\w+ )?(?:doctor|gp|dentist|therapist|specialist|physio\w*|surgeon|lawyer|counsel\w+"
    r"|midwife|vet)\b"
)
_GOING = pattern(
    r"^ (?:to|on|away|back|camping|hiking|skiing|surfing|sailing|abroad|out|for)\b(?! (?:bed|sleep|work|the gym|be"
    r"|try|think)\b)"
)
_NOT_PLANNED = frozenset(
    "always never still talk let call try think be do tell ask check keep get send text update need sleep rest know "
    "say give probably feel want like love hate miss chat write read eat look use show share remember forget wait "
    "hope see make take have".split()
)
_PLANNED = re.compile(
    r"^ (?:(?:an?|the|my|our|part in) (?:\w+ ){0,3}?(?:exam|test|trip|flight|train|break|holiday|course|class|talk"
    r"|speech|presentation|party|dinner|doctor|dentist|therapist|specialist|concert|show|baby|surgery|operation"
    r"|interview|race|parents|family)|surgery|[A-Z])"
)
_NOT_DUE = frozenset(
    "go be do get sleep work think know say rest try find see talk ask tell make take have eat relax focus keep "
    "stop".split()
)


def read_events(clause: Clause, reading: Reading) -> bool:
    """Dated events, past and to come."""
    rules = (_past, _to_have, _coming, _planned, _due, _scheduled)
    return any(rule(clause, reading) for rule in rules)


def _past(clause: Clause, reading: Reading) -> bool:
    found = _PAST.match(clause.text)
    if not found or _POINTS_OUT.search(found["rest"]):
        return False
    weighty = bool(_WEIGHTY.match(clause.text))
    if not weighty and found["verb"].lower() not in _PAST_VERBS:
        return False
    # What was booked lies ahead: "signed up for a race in August".
    text, dates = reading.dated(clause.text, past=not _BOOKED.match(clause.text))
    if not weighty:
        today = any(phrase.day == reading.today for phrase in dates)
        everyday = _TRIVIAL.search(found["rest"]) or not words(found["rest"])
        if not dates or (found["verb"].lower() in _LIGHT_VERBS and (today or everyday)):
            return False
    return keep_event(clause, reading, statement(text), dates)


def _to_have(clause: Clause, reading: Reading) -> bool:
    found = _HAVE.match(clause.text)
    return found is not None and _ahead(clause, reading, found["what"])


def _coming(clause: Clause, reading: Reading) -> bool:
    found = _COMING.match(clause.text)
    if not found:
        return False
    verb, rest = found["verb"].lower(), found["rest"]
    somewhere = verb == "going" and _GOING.match(rest) and words(rest)
    somebody = verb == "seeing" and _SEEING.match(rest)
    if verb in _NOT_COMING and not (somewhere or somebody):
        return False
    return _ahead(clause, reading, rest, verb=verb)


def _planned(clause: Clause, reading: Reading) -> bool:
    found = _WILL.match(clause.text)
    if not found or (found["verb"].lower() in _NOT_PLANNED and not _PLANNED.match(found["rest"])):
        return False
    return bool(words(found["rest"])) and _ahead(clause, reading, found["rest"])


def _due(clause: Clause, reading: Reading) -> bool:
    found = _MUST.match(clause.text)
    if not found or found["verb"].lower() in _NOT_DUE:
        return False
    _, dates = reading.dated(clause.text, past=False)
    later = any(phrase.month and phrase.day != reading.today for phrase in dates)
    return later and _ahead(clause, reading, found["rest"], verb=found["verb"])


def _scheduled(clause: Clause, reading: Reading) -> bool:
    found = _SCHEDULED.match(clause.text)
    return found is not None and _ahead(clause, reading, found["rest"], verb="goes")


def _ahead(clause: Clause, reading: Reading, what: str, *, verb: str = "") -> bool:
    """Keep what is to come, if it has a date and is about something."""
    if _POINTS_OUT.search(what) or _TRIVIAL.search(what) or not words(f"{verb} {what}"):
        return False
    text, dates = reading.dated(clause.text, past=False)
    return bool(dates) and keep_event(clause, reading, statement(text), dates)
