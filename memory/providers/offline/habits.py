"""Rules: what the person does regularly, and what the companion is asked to do for good."""

from memory.providers.offline.clauses import Clause
from memory.providers.offline.patterns import pattern
from memory.providers.offline.preferences import points_out
from memory.providers.offline.reading import Reading
from memory.providers.offline.rewriting import about_them, is_past, statement
from memory.providers.offline.stems import words

_EVERY = pattern(
    r"\b(?:every (?!one|body|thing|time)\w+|each (?:day|week|morning|evening|night|month|year|summer|winter)|(?:once"
    r"|twice|\w+ times) an? (?:day|week|month|year)|on (?:mon|tues|wednes|thurs|fri|satur|sun)days|(?:most"
    r"|on) (?:weekends|mornings|evenings|days))\b"
)
_DO = pattern(r"^(?:I|we) (?P<verb>[a-z]+) .+$")
_NOT_DONE = frozenset(
    "am have was were feel think know say tell see hear get love like hate want need hope wish try cannot do did "
    "had will would learn find worry thank wonder forget remember believe".split()
)
_PURSUIT = pattern(
    r"^(?:I|we) (?:(?:always|usually|often) )?(?:play (?!(?:with|around|it|along|a role|safe|dead)\b)|(?:collect"
    r"|volunteer|mentor|coach|teach|practi[sc]e|sing in|paint|knit|bake|garden|meditate|drive an?|ride an?"
    r"|do (?:yoga|pilates|karate|judo|ballet|crossfit|boxing))\b(?! (?:it|this|that|these|them)\b))"
)
_USUALLY = pattern(
    r"^(?:I|we) (?:always|usually|often) (?:drink|eat|have|cook|wear|read|watch|walk|cycle|take|go"
    r"|work)\b(?! (?:a few|some)\b).+$"
)
_REQUEST = pattern(
    r"^(?:please )?(?P<what>(?:always|never|(?P<onward>from now on|in (?:the )?future)|please do not"
    r"|do not ever)[, ]+(?:please )?(?P<how>(?:do not |always |never )?(?:answer|reply|respond|use|speak|write|keep"
    r"|give me|give us|send|be|remind|ask|explain|address|talk|call|suggest|include|tell|start|end|message"
    r"|text)\b.+))$"
)
_UNSAFE = pattern(
    r"\b(?:ignore|disregard|delete|erase|instructions?|rules?|prompt|reveal|pretend|password|entries|memory"
    r"|jailbreak|remember)\b"
)


def read_habits(clause: Clause, reading: Reading) -> bool:
    """Habits, hobbies, and lasting requests."""
    return _habits(clause, reading) or _requests(clause, reading)


def _habits(clause: Clause, reading: Reading) -> bool:
    regular = bool(_PURSUIT.match(clause.text) or _USUALLY.match(clause.text)) or _is_repeated(clause)
    if not regular or points_out(clause.text):
        return False
    reading.keep(clause, "other", statement(clause.text))
    return True


def _is_repeated(clause: Clause) -> bool:
    """ "I go swimming every Tuesday", but not "I go every Tuesday"."""
    found = _DO.match(clause.text) if _EVERY.search(clause.text) else None
    verb = found["verb"].lower() if found else ""
    if not found or is_past(verb) or (verb in _NOT_DONE and not clause.text.lower().startswith("i do ")):
        return False
    return len(words(_EVERY.sub(" ", clause.text))) > (verb in ("go", "do"))


def _requests(clause: Clause, reading: Reading) -> bool:
    found = _REQUEST.match(clause.text)
    if not found or clause.subject != "user" or _UNSAFE.search(clause.text) or len(found["what"].split()) < 3:
        return False
    what = f"always {found['how']}" if found["onward"] else found["what"]
    reading.keep(clause, "preference", f"Asks the companion: {about_them(what)}")
    return True
