"""From a sentence to its clauses: one statement each, in one plain form, freed of manner.

"Well, I've just moved to Lisbon, but I don't work there anymore" gives "I moved to Lisbon" and, marked as ended, "I do not
work there". What is hedged, and what others are reported to say, is left out.
"""

import re
from dataclasses import dataclass

from memory.providers.offline.dates import is_date
from memory.providers.offline.patterns import pattern
from memory.providers.offline.speech import read_sentences, what_is_stated

MAX_CLAUSE = 320  # characters; nobody states one fact in more
MAX_CLAUSES = 300  # of one message


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


_LONG_FORMS = {
    "i'm": "I am", "im": "I am", "i've": "I have", "ive": "I have", "i'll": "I will", "i'd": "I would", "i": "I",
    "you've": "you have", "we're": "we are", "we've": "we have", "we'll": "we will", "we'd": "we would",
    "cannot": "cannot", "can't": "cannot", "cant": "cannot", "won't": "will not", "dont": "do not",
    "doesnt": "does not", "didnt": "did not", "isnt": "is not", "they're": "they are", "she'll": "she will",
    "he'll": "he will", "gonna": "going to", "wanna": "want to", "gotta": "have to", "'cause": "because",
    "fave": "favourite", "fav": "favourite", "favorite": "favourite",
    **{f"{verb}n't": f"{verb} not" for verb in "do does did is are was were have has would".split()},
    **{f"{who}'s": f"{who} is" for who in "it he she that who there name birthday".split()},
}  # fmt: skip
_SHORT_FORM = pattern(
    rf"(?<![\w'])({'|'.join(sorted(map(re.escape, _LONG_FORMS), key=len, reverse=True))})(?![\w'])"
)
_MY_S_IS = (
    r"\b((?:my|our) [\w-]+)'s (?=(?:(?!wedding|meeting|training|building|evening|painting|morning|hearing|christening"
    r"|thing|ring|spring)\w+ing|an?|not|allergic|vegetarian|vegan|back|here|the \d+\w*|on|in|next|tomorrow|today)\b)"
)
_NO_SUBJECT = (
    r"^(\W*(?:(?:just|yes|yeah|oh|ok|finally|also|recently|well|btw|update)\W+)*)((?:love|hate|adore) (?!the |all "
    r"|how |that|it\b|you|this|these|those|him\b|her\b|them\b|and |is |or |can )(?=(?:[\w'-]+ ){0,5}[\w'-]+\W*$)"
    r"|(?:moved to|got (?:a|my|an|the|promoted|engaged|married|fired)|started|quit|finished|passed|bought|adopted"
    r"|visited|went|joined|booked|signed up|won|broke|ran|lost) )"
)
# Put in order before the sentence is cut.
_REPHRASED = tuple(
    (pattern(said), instead)
    for said, instead in (
        (_NO_SUBJECT, r"\1I \2"),
        (_MY_S_IS, r"\1 is "),
        (r"^\W*(?:would|do) you mind (delet|eras|wip|remov)ing\b", r"please \1e"),
        (r"^\W*(?:would|do) you mind forgetting\b", "please forget"),
        (r"^\W*(?:please )?stop calling me [^,]{2,40}, (?:it is|I am|call me) ", "call me "),
        (r"^(\W*(?:my|our|his|her|its|the) .{2,60}?) is not ([^,]{2,30}), (?:it|he|she) is ([^,.!]{2,30})[.!]*$",
         r"\1 is \3, not \2"),
        (r",? (?:but|though) not (?:anymore|any more|any longer)\b", " anymore"),
        (r"^\W*not ([^,]{2,40}), (?:I (?:said|meant)|it is|it was|but|rather) ([^,.!]{2,40})[.!]*$", r"it is \2, not \1"),
        (r"^(\W*(?:from now on|in (?:the )?future)),", r"\1"),
    )
)  # fmt: skip
_FORGET = pattern(
    r"^\W*(?:(?:please|hey|ok|okay|actually|no|oh|and|so|also|sorry)\W+)*+(?:(?:can|could|would|will|should) you "
    r"|you can |you should |I (?:would like|want|need) you to |please )*+(?:please |just )*+(?:forget|delete|erase"
    r"|wipe|remove|clear|scrap|do not (?:remember|keep|store|save)|stop remembering)\b"
)
_SUBJECT = (
    r"(?:home is|I|my|we|our|he|she|they|it|his|her|its|their|you|your|that|this|there|please|everyone"
    r"|everybody)\b"
)
_JOINT = pattern(
    rf"\s*(?:(?P<stop>;|\s-+\s|--+|-\s(?=(?:and )?{_SUBJECT})|\(|:\s(?={_SUBJECT}|\w+ (?:is|was|has|will)\b))|(?:^"
    rf"|,?\s)(?P<word>but|because|so|since|though|although|whereas)\s(?=\s*(?:{_SUBJECT}|no |not |now ))"
    rf"|,?\s(?P<and>and|yet|then|plus|or)\s(?=(?:then |now |also )?{_SUBJECT})|,?\s(?P<under>when|while|whenever"
    rf"|before|after|until|once|where|as)\s(?={_SUBJECT})|,\s(?P<which>which|who)\s|,\s*(?P<comma>)(?=(?:and |now "
    rf"|so )?{_SUBJECT}))\s*"
)
_PAST_GOES_ON = re.compile(
    r",?\s(?:and|but|then)\s(?=(?:moved|started|got|quit|bought|adopted|joined|finished|met|went|visited|became"
    r"|turned|lost|broke|ran|won|opened|founded|sold|launched|published|retired)\s)"
)
_PRESENT_GOES_ON = re.compile(
    r",?\s(?:and|but)\s(?=(?:am|love|hate|enjoy|prefer|live in|work as|work at|work for|want to|have an?|cannot"
    r"|do not)\s)"
)
_OPEN_VERB = pattern(r"\b(?:to|will|would|could|can|let)\b|^(?:I|we) (?:love|like|hate|enjoy|adore|prefer)\b")
_REPORTED = pattern(
    r"^(?!I |we |my name)(?:[\w' ]{1,40}\s)?(?:said|says|say|told me|tells me|thinks|thought|think|claims|claimed"
    r"|believes|asked|wrote|texted|joked|reckons|insists|suggested|suggests|keeps saying|keeps telling)\b"
)
_ONLY_A_NOUN = pattern(r"^(?:(?:my|our) [\w'-]+(?: [\w'-]+){0,2}|[A-Z][\w'-]+)$")
_HEDGED = pattern(
    r"\b(?:maybe|perhaps|probably|possibly|might|almost|nearly|not sure|no idea|i guess|i suppose|i doubt|should"
    r"|could|supposedly|who knows|would never|never would)\b"
)
_FILLER = pattern(
    r"^(?:just|well|so|oh|ah|hey|hi|hello|yeah|yes|yep|no|nope|ok|okay|anyway|by the way|btw|also|and|but|then|plus"
    r"|in fact|to be honest|tbh|honestly|guess what|you know(?: what)?|fun fact|fyi|update|turns out(?: that)?"
    r"|(?:good|great|bad|big|some|exciting|sad|quick) news|right|hmm+|luckily|sadly|unfortunately|wow|haha|thanks"
    r"|thank you|sorry|the thing is|for the record|i think(?: that)?|as you know|as i said|now|finally|apparently"
    r"|basically|obviously|of course|(?:please )?(?:note|do not forget|remember|keep in mind)(?: that| this)?"
    r"|i (?:wanted|have|need) to tell you(?: that)?|i forgot to (?:say|mention)(?: that)?|it turns out(?: that)?"
    r"|at the moment|one day|some ?day)(?:\s*[,:!-]+\s*|\s+)(?=\S)|^(?-i:[A-Z]\w+, (?=(?:I|we|my|our)\b))"
)
_CORRECTION = pattern(
    r"^(?:actually|no,|nope,|sorry,|correction|that is (?:wrong|not (?:right|true|correct))|wrong|not quite|wait"
    r"|oops|scratch that|my mistake|(?:it )?turns out|i mean(?:t)?(?: to say)?)(?:[\s,:!-]+|$)(?:that )?"
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
_ADVERB = pattern(
    r"^((?:I|we|my \w+)(?: (?:am|are|have|was|were|had|will|do not|do|did|is))?) (?:really|just|actually|also|still"
    r"|currently|recently|absolutely|truly|totally|definitely|finally|now|already|basically|honestly|literally"
    r"|simply|mostly|quite|very|so|super|particularly|especially|even|kind of|sort of|officially|originally|happily"
    r"|pretty|both|all|then|soon|much)\s"
)
_RECENT = pattern(r"^(?:I|we)(?: (?:have|am|are))? (?:just|finally|recently)\b")
_NOW = {"lived": "live", "worked": "work", "played": "play", "studied": "study", "taught": "teach"}
_STILL = r"(?=.+ (?:since\b|for (?:\w+ ){0,3}(?:years?|months?|ages)\b))"
# One way to say it, after the adverbs have gone: "I have moved" as "I moved", "I have lived here since" as "I live".
_PLAIN_FORMS = tuple(
    (pattern(said), instead)
    for said, instead in (
        (
            r"^(I|we) (?:have|did) (?:always |long )(love|like|hate|enjoy|prefer|want|dislike)(?:e?d) ",
            r"\1 \2 ",
        ),
        (r"^(I|we) do (?=(?:love|like|enjoy|hate|want|have|live|work|eat|drink)\b)", r"\1 "),
        (r"^(I|we) have got (?=\w)", r"\1 have "),
        *((rf"^(I|we) have {was} {_STILL}", rf"\1 {now} ") for was, now in _NOW.items()),
        (
            r"^I have been (?=an? |vegetarian|vegan|married|single|divorced|engaged|retired|unemployed|sober)",
            "I am ",
        ),
        (r"^we have been (?=an? |vegetarian|vegan|married|engaged)", "we are "),
        (r"^(I|we) have been (?=\w+ing\b)", r"\1 am "),
        (r"^(I|we) have given up", r"\1 gave up"),
        (
            r"^(I|we) have (?=(?:\w{3,}ed|quit|become|begun|run|won|lost|bought|sold|met|left|made|found)\s)",
            r"\1 ",
        ),
    )
)
_NO_LONGER = pattern(r"^(I|we|[\w' ]+?) (am |are |is )?no longer (?=\w)")
_USED_TO = pattern(r"^(I|we) used to (?:be )?(?=\w)")
_LEADING_PHRASE = pattern(
    r"^(?:after|for|at|with|during|as|besides|apart from|thanks to|in) (?!(?:I|we|my|our)\b)[^,]{2,50}?,? (?=(?:I"
    r"|we) (?:am|have|work|live|love|do)\b)"
)
_DATE_IS = pattern(r"^(?P<date>.{3,25}?) is (?P<what>(?:my|our) .+)$")
_LEADING_DATE = pattern(
    r"^(?P<date>(?:(?:since|on|in|at|by|from|starting)\s)?(?:next|last|this|tomorrow|yesterday|today|tonight|since"
    r"|on|in|at the end of|by|the day)\b[^,]{0,40}?),?\s(?P<rest>(?:I|we|my|our)\s.+)$"
)


def read_clauses(content: str) -> list[Clause]:
    """The clauses of one message, in order, at most MAX_CLAUSES, what is said twice once."""
    clauses: dict[Clause, None] = {}
    for sentence in read_sentences(content):
        clauses.update(dict.fromkeys(_clauses_of(sentence)))
        if len(clauses) >= MAX_CLAUSES:
            break
    return list(clauses)[:MAX_CLAUSES]


def without_adverbs(text: str) -> str:
    """ "I really just moved" as "I moved"."""
    for _ in range(4):
        text = _ADVERB.sub(r"\1 ", text)
    return text


def tidy_clause(part: str, *, lowercase: bool = False) -> Clause | None:
    """The statement a part of a sentence makes; None where it is hedged, too long or empty."""
    if len(part) > MAX_CLAUSE or _HEDGED.search(part):
        return None
    text, corrects = _without_fillers(part.strip(" .!?,;:()"))
    text = _LEADING_PHRASE.sub("", _date_last(text))
    recent = bool(_RECENT.match(text))
    text, ended, instead_of = _without_tail(text)
    text = without_adverbs(text)
    for wording, instead in _PLAIN_FORMS:
        text = wording.sub(instead, text)
    formerly = False
    if found := _NO_LONGER.match(text):
        text = f"{found[1]} {f'{found[2]}not ' if found[2] else 'do not '}{text[found.end() :]}"
        ended = True
    elif found := _USED_TO.match(text):
        text = f"{found[1]} do not {text[found.end() :]}"
        formerly = True
    if len(text) < 3:
        return None
    return Clause(
        text,
        ended=ended or formerly,
        formerly=formerly,
        gone=formerly and ended,
        corrects=corrects or bool(instead_of),
        recent=recent,
        instead_of=instead_of,
        lowercase=lowercase,
    )


def _clauses_of(sentence: str) -> list[Clause]:
    if len(sentence) < 4:
        return []
    lowercase = sentence == sentence.lower()
    sentence = _SHORT_FORM.sub(lambda found: _LONG_FORMS[found.group().lower()], sentence)
    for wording, instead in _REPHRASED:
        sentence = wording.sub(instead, sentence)
    if _FORGET.match(sentence):
        return [Clause(sentence.rstrip(" .!?"), forgets=True, lowercase=lowercase)]
    stated = what_is_stated(sentence)
    tidied = [tidy_clause(part, lowercase=lowercase) for part in _parts(stated)] if stated else []
    return [clause for clause in tidied if clause is not None]


def _parts(sentence: str) -> list[str]:
    """The sentence cut where a new subject and verb begin, without subordinate and reported parts."""
    parts: list[str] = []
    position, joint, reported = 0, "", False
    for found in [*_JOINT.finditer(sentence), None]:
        part = sentence[position : found.start() if found else len(sentence)].strip(" ,")
        if found and found["and"] and _ONLY_A_NOUN.match(part):
            continue  # "My wife and I ..."
        if joint in ("but", "so", "stop"):
            reported = False
        if part and joint not in ("under", "which") and not reported:
            reported = bool(_REPORTED.match(part))
            parts += [part] if reported else _same_subject(part)
        if found:
            position, joint = found.end(), (found["word"] or str(found.lastgroup)).lower()
    return parts


def _same_subject(part: str) -> list[str]:
    """ "I left Porto and moved to Lisbon" as two statements; a wish's second half stays with the wish."""
    subject = part.split(" ", 1)[0]
    if subject.lower() not in ("i", "we"):
        return [part]
    pieces = _PAST_GOES_ON.split(part)
    if not _OPEN_VERB.search(part):
        pieces = [piece for past in pieces for piece in _PRESENT_GOES_ON.split(past)]
    return [pieces[0], *(f"{subject} {piece}" for piece in pieces[1:])]


def _without_fillers(text: str) -> tuple[str, bool]:
    corrects = False
    for _ in range(6):
        if found := _CORRECTION.match(text):
            corrects = True
        if not (found := found or _FILLER.match(text)):
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
        if not (found := found or _TRAILING.search(text)) or found.start() < 3:
            break
        text = text[: found.start()].rstrip(" ,.!")
    return text, ended, instead_of
