"""One statement, freed of everything that is manner and not matter."""

import re
from dataclasses import dataclass

from memory.providers.offline.dates import is_date
from memory.providers.offline.patterns import pattern

MAX_CLAUSE = 320  # characters; nobody states one fact in more


@dataclass(frozen=True, slots=True)
class Clause:
    """One statement. `text` begins with its subject; the flags say how it was put."""

    text: str
    subject: str = "user"
    ended: bool = False  # "no longer", "anymore"
    formerly: bool = False  # "used to"
    gone: bool = False  # "used to ..., but not anymore"
    corrects: bool = False  # "actually", "no,", "I meant"
    recent: bool = False  # "just", "finally"
    instead_of: str = ""  # the Y of "X, not Y"
    lowercase: bool = False  # the writer uses no capitals, so names can't be told by them
    together: str = ""  # with whom, where it was "Ana and I"
    forgets: bool = False  # a request to forget, whole and untouched


_FILLER = pattern(
    r"^(?:just|well|so|oh|ah|aw+|hey|hi|hello|yeah|yes|yep|yup|no|nope|nah|ok|okay|anyway|by the way|btw|also|and|but"
    r"|then|plus|in fact|to be honest|tbh|honestly|guess what|you know what|you know|fun fact|fyi|just so you know"
    r"|update|(?:good|great|bad|big|some) news|(?:exciting|sad|quick|small|another) (?:news|update|thing)|right|hmm+"
    r"|um+|uh+|luckily|sadly|unfortunately|fortunately|wow|haha|thanks|thank you|sorry|the thing is|for the record"
    r"|i think(?: that)?|to be fair|as you know|as i said|like i said|now|finally|apparently|basically|obviously"
    r"|of course|please note(?: that)?|note(?: that)?|one more thing|lately|these days|(?:please )?(?:do not forget"
    r"|remember|keep in mind)(?: that| this)?|i am happy to say(?: that)?|i (?:wanted|have|need) to (?:tell you"
    r"|confess)(?: that)?|i forgot to (?:say|mention|tell you)(?: that)?|let me tell you|i should mention(?: that)?"
    r"|it is true(?: that)?|(?:it )?turns out(?: that)?|at the moment|one day|some ?day|eventually)(?:\s*[,:!-]+\s*"
    r"|\s+)(?=\S)"
)
_CORRECTION = pattern(
    r"^(?:actually|no,|nope,|sorry,|correction|that is (?:wrong|not (?:right|true|correct))|wrong|not quite|wait"
    r"|oops|scratch that|my mistake|turns out|it turns out|i mean(?:t)?(?: to say)?)(?:[\s,:!-]+|$)(?:that )?"
)
_TRAILING = pattern(
    r"[\s,]+(?:now|these days|nowadays|at the moment|right now|currently|lately|again|too|as well|by the way|btw"
    r"|you know|though|actually|ha(?:ha)+|lol|please|thanks|thank you|honestly|for sure|at all|so much|a lot"
    r"|very much|the most|more than anything|believe it or not|tho|for now|of course|instead|already|yet|really"
    r"|after all|everyone does|what an? .{2,40}|even|to be honest|(?:nice|pleased|good|great|lovely) to meet you"
    r"|and all|for example|for instance|sometimes|in case .{2,60})$"
)
_NO_MORE = pattern(r"[\s,]+(?:but )?(?:not )?(?:anymore|any more|any longer)(?:$|,.*$)")
_NOT_THAT = pattern(
    r"(?:,\s*(?:and )?|\s+and\s+|(?<! do| am| is)(?<! are| was| did| has)(?<! does| will| have"
    r"| were)(?<! would)\s+)not (?:(?:the|on|in|at|an?) )*(?P<other>[^\s,]+(?: [^\s,]+){0,2})$"
)
_HEDGED = pattern(
    r"\b(?:maybe|perhaps|probably|possibly|might|almost|nearly|not sure|no idea|i guess|i suppose|i doubt|should"
    r"|could|supposedly|who knows)\b"
)
_ADVERB = pattern(
    r"^((?:I|we|my \w+)(?: (?:am|are|have|was|were|had|will|do not|do|did|is))?) (?:really|just|actually|also|still"
    r"|currently|recently|absolutely|truly|totally|definitely|finally|now|already|basically|honestly|literally"
    r"|simply|mostly|quite|very|so|super|particularly|especially|even|kind of|sort of|officially|originally|happily"
    r"|pretty|both|all|then|soon|much)\s"
)
_RECENT = pattern(r"^(?:I|we)(?: (?:have|am|are))? (?:just|finally|recently)\b")
_ALWAYS = pattern(r"^(I|we) (?:have|did) (?:always |long )(love|like|hate|enjoy|prefer|want|dislike)(?:e?d) ")
_EMPHATIC = pattern(r"^(I|we) do (?=(?:love|like|enjoy|hate|want|have|live|work|eat|drink)\b)")
_PERFECT = pattern(
    r"^(I|we) have (?=(?:\w{3,}ed|quit|become|begun|run|won|lost|bought|sold|met|left|made|found)\s)"
)
_GIVEN_UP = pattern(r"^(I|we) have given up")
_PRESENT = {"lived": "live", "worked": "work", "played": "play", "studied": "study", "taught": "teach"}
_STILL_SO = pattern(
    rf"^(I|we) have ({'|'.join(_PRESENT)}) (?=.+ (?:since\b|for (?:\w+ ){{0,3}}(?:years?|months?|ages)\b))"
)
_HAS_BEEN = pattern(
    r"^(I|we) have been (?=an? |vegetarian|vegan|married|single|divorced|engaged|retired|unemployed)"
)
_PERFECT_GOING_ON = pattern(r"^(I|we) have been (?=\w+ing\b)")
_NO_LONGER = pattern(r"^(I|we|[\w' ]+?) (am |are |is )?no longer (?=\w)")
_USED_TO = pattern(r"^(I|we) used to (?:be )?(?=\w)")
_GOT = pattern(r"^(I|we) have got (?=\w)")
_BY_THE_WAY = pattern(
    r",? (?:for example|for instance|by the way|to be honest|of course|as you know),?(?=[ .!]|$)"
)
_VOCATIVE = re.compile(r"^[A-Z]\w+, (?=(?:I|we|my|our)\b)")
_LEADING_PHRASE = pattern(
    r"^(?:after|for|at|with|during|as|besides|apart from|thanks to|in) (?!(?:I|we|my|our)\b)[^,]{2,50}?,? (?=(?:I"
    r"|we) (?:am|have|work|live|love|do)\b)"
)
_DATE_IS = pattern(r"^(?P<date>.{3,25}?) is (?P<what>(?:my|our) .+)$")
_LEADING_DATE = pattern(
    r"^(?P<date>(?:(?:since|on|in|at|by|from|starting)\s)?(?:next|last|this|tomorrow|yesterday|today|tonight|since"
    r"|on|in|at the end of|by|the day)\b[^,]{0,40}?),?\s(?P<rest>(?:I|we|my|our)\s.+)$"
)


def tidy_clause(part: str, *, lowercase: bool) -> Clause | None:
    """The statement a part of a sentence makes; None where it is hedged, too long or empty."""
    if len(part) > MAX_CLAUSE or _HEDGED.search(part):
        return None
    part = _BY_THE_WAY.sub("", part)
    text, corrects = _without_fillers(part.strip(" .!?,;:()"))
    text = _LEADING_PHRASE.sub("", _date_last(text))
    recent = bool(_RECENT.match(text))
    text, ended, instead_of = _without_tail(text)
    text, no_longer, formerly = _present_form(text)
    if len(text) < 3:
        return None
    return Clause(
        text,
        ended=ended or no_longer or formerly,
        formerly=formerly,
        gone=formerly and ended,
        corrects=corrects or bool(instead_of),
        recent=recent,
        instead_of=instead_of,
        lowercase=lowercase,
    )


def without_adverbs(text: str) -> str:
    """ "I really just moved" as "I moved"."""
    for _ in range(4):
        shorter = _ADVERB.sub(r"\1 ", text)
        if shorter == text:
            break
        text = shorter
    return text


def _without_fillers(text: str) -> tuple[str, bool]:
    corrects = False
    for _ in range(6):
        if found := _CORRECTION.match(text):
            corrects = True
        found = found or _FILLER.match(text) or _VOCATIVE.match(text)
        if not found:
            break
        text = text[found.end() :]
    return text, corrects


def _date_last(text: str) -> str:
    """ "Next month I am giving a talk" as "I am giving a talk next month"."""
    if (found := _DATE_IS.match(text)) and is_date(found["date"]):
        return f"{found['what']} is on {found['date']}"
    found = _LEADING_DATE.match(text)
    return f"{found['rest']} {found['date']}" if found else text


def _without_tail(text: str) -> tuple[str, bool, str]:
    ended, instead_of = False, ""
    for _ in range(5):
        if found := _NO_MORE.search(text):
            ended = True
        elif found := _NOT_THAT.search(text):
            instead_of = found["other"]
        found = found or _TRAILING.search(text)
        if not found or found.start() < 3:
            break
        text = text[: found.start()].rstrip(" ,.!")
    return text, ended, instead_of


def _present_form(text: str) -> tuple[str, bool, bool]:
    """One way to say it: without adverbs, "I have moved" as "I moved", "no longer work" as "do not work"."""
    text = _ALWAYS.sub(r"\1 \2 ", text)
    text = without_adverbs(text)
    text = _EMPHATIC.sub(r"\1 ", text)
    text = _GOT.sub(r"\1 have ", text)
    text = _STILL_SO.sub(lambda found: f"{found[1]} {_PRESENT[found[2].lower()]} ", text)
    text = _HAS_BEEN.sub(lambda found: f"{found[1]} {'am' if found[1] == 'I' else 'are'} ", text)
    text = _PERFECT_GOING_ON.sub(r"\1 am ", text)
    text = _GIVEN_UP.sub(r"\1 gave up", text)
    text = _PERFECT.sub(r"\1 ", text)
    if found := _NO_LONGER.match(text):
        verb = f"{found[2]}not " if found[2] else "do not "
        return f"{found[1]} {verb}{text[found.end() :]}", True, False
    if found := _USED_TO.match(text):
        return f"{found[1]} do not {text[found.end() :]}", False, True
    return text, False, False
