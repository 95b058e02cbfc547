"""Cuts a message into clauses that a rule can read, and leaves out the ones that state nothing about the speaker.

A clause is one statement with its contractions written out: "Well, I've just moved to Lisbon, but if I had to
choose..." gives "I moved to Lisbon" and nothing else. Questions, conditions, wishes, fiction, jokes, tasks ("translate
this: ...") and what others are reported to say are left out.
"""

import re

from memory.providers.offline.clauses import Clause, tidy_clause
from memory.providers.offline.patterns import pattern
from memory.providers.offline.text import plain_speech

# Of one message. A person's turn has a dozen, and a pasted book may not hold a worker up.
MAX_SENTENCES = 1_500
MAX_CLAUSES = 300

_PROTECTED = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|St|Prof|Jr|Sr|vs|etc|approx|a\.m|p\.m|e\.g|i\.e)\.|(?<=\d)\.(?=\d)|(?<=\w)\.(?=[a-z\d])"
    r"|\b[A-Z]\.(?=[A-Z ])"
)
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_CONTRACTIONS = {
    "i'm": "I am", "im": "I am", "i've": "I have", "ive": "I have", "i'll": "I will", "i'd": "I would", "i": "I",
    "you've": "you have", "we're": "we are", "we've": "we have", "we'll": "we will", "we'd": "we would",
    "don't": "do not", "dont": "do not",
    "doesn't": "does not", "doesnt": "does not", "didn't": "did not", "didnt": "did not", "can't": "cannot",
    "cant": "cannot", "won't": "will not", "isn't": "is not", "isnt": "is not", "aren't": "are not",
    "wasn't": "was not", "weren't": "were not", "haven't": "have not", "hasn't": "has not", "wouldn't": "would not",
    "it's": "it is", "he's": "he is", "she's": "she is", "they're": "they are", "that's": "that is",
    "she'll": "she will", "he'll": "he will", "who's": "who is", "there's": "there is", "name's": "name is",
    "gonna": "going to", "wanna": "want to", "gotta": "have to", "kinda": "kind of", "'cause": "because",
    "cuz": "because", "fave": "favourite", "fav": "favourite", "favorite": "favourite",
}  # fmt: skip
_CONTRACTION = pattern(
    r"(?<![\w'])(" + "|".join(sorted(map(re.escape, _CONTRACTIONS), key=len, reverse=True)) + r")(?![\w'])"
)
_JOKE = pattern(r"\b(?:just kidding|only kidding|jk|just joking|only joking)\b")
_NOT_MEANT = pattern(
    r"\b(?:if|unless|suppose|supposing|imagine|pretend|pretending|assuming|wish|hypothetically|dreamt|as though"
    r"|dreamed (?:that|I)|let's say|lets say|in (?:my|the|a|this|our) (?:novel|story|book|game|dream|poem|song"
    r"|role[- ]?play|script|scenario)|(?:ideal|perfect) world|another life|in theory|my character|according to)\b"
)
_TASK = pattern(
    r"^\W*(?:(?:can|could|would|will) you |please )*(?:translate|write|rewrite|rephrase|proofread|summari[sz]e|draft"
    r"|compose|paraphrase|correct|edit|repeat|complete|finish|reply|respond|act|say)\b"
)
_ASKS = pattern(
    r"^\W*(?:(?:and|so|but|ok|hey|or|well)\W+)*(?:who|what|why|how|which|whose|whom|(?:do|does|did|am|is|are|was"
    r"|were|can|could|would|should|shall|will|do not|have|has|had|may) (?:i|you|we|he|she|it|they|my|your|there|that"
    r"|this|the|any|anyone)\b)"
)
_TOLD_BACKWARDS = pattern(
    r"^\W*(?:back )?(?:when|whenever|while|once|after|before|until|as soon as) (?:i|we|my|our|you|it|he|she|they)\b"
    r"|^\W*as an? (?:kid|child|teen|teenager|student|boy|girl)\b|^\W*(?:back )?in my (?:teens|twenties|youth"
    r"|childhood)\b|^\W*(?:growing up|back then|years ago|in those days|at school)\b"
)
_FORGET = pattern(
    r"^\W*(?:(?:please|hey|ok|okay|actually|no|oh|and|so|also|sorry)\W+)*+(?:(?:can|could|would|will|should) you "
    r"|you can |you should |I (?:would like|want|need) you to |please )*+(?:please |just )*+(?:forget|delete|erase"
    r"|wipe|remove|clear|scrap|do not (?:remember|keep|store|save)|stop remembering)\b"
)
_NO_SUBJECT = pattern(
    r"^(\W*(?:(?:just|yes|yeah|oh|ok|finally|also|recently|well|btw|update)\W+)*)((?:love|hate|adore) (?!the |all "
    r"|how |that|it\b|you|this|these|those|him\b|her\b|them\b|and |is |or |can )(?=(?:[\w'-]+ ){0,5}[\w'-]+\W*$)"
    r"|(?:moved to|got (?:a|my|an|the|promoted|engaged|married|fired)|started|quit|finished|passed|bought|adopted"
    r"|visited|went|joined|booked|signed up|won|broke|ran|lost|had (?:a|my|an|surgery)) )"
)
_IS_NOT_OWNS = pattern(
    r"\b((?:my|our) [\w-]+)'s (?=(?:(?!wedding|meeting|training|building|evening|painting|morning|hearing|clothing"
    r"|drawing|writing|housewarming|christening|thing|ring|spring|baby|house)\w+ing|an?|not|allergic|vegetarian"
    r"|vegan|back|here|the \d+\w*|on|in|next|tomorrow|today)\b)"
)
_NOT_FIRST = pattern(
    r"^\W*not ([^,]{2,40}), (?:I (?:said|meant)|it is|it was|but|rather) ([^,.!]{2,40})[.!]*$"
)
_STOP_CALLING = pattern(r"^\W*(?:please )?stop calling me [^,]{2,40}, (?:it is|I am|call me) ")
_MIND = pattern(r"^\W*(?:would|do) you mind (forgett?|delet|eras|wip|remov)ing\b")
_IS_NOT_IS = pattern(
    r"^(\W*(?:my|our|his|her|its|the) .{2,60}?) is not ([^,]{2,30}), (?:it|he|she) is ([^,.!]{2,30})[.!]*$"
)
_NOT_ANY_MORE = pattern(r",? (?:but|though) not (?:anymore|any more|any longer)\b")
_FROM_NOW = pattern(r"^(\W*(?:from now on|in (?:the )?future)),")
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
_HABIT_GOES_ON = re.compile(
    r",?\s(?:and|but)\s(?=(?:live in|work as|work at|work for|have an?|cannot|do not)\s)"
)
_ATTITUDE = pattern(r"^(?:I|we) (?:love|like|hate|enjoy|adore|prefer)\b")
_OPEN_VERB = pattern(r"\b(?:to|will|would|could|can|let)\b")
_REPORTED = pattern(
    r"^(?!I |we |my name)(?:[\w' ]{1,40}\s)?(?:said|says|say|told me|tells me|thinks|thought|think|claims|claimed"
    r"|believes|asked|wrote|texted|joked|reckons|insists|suggested|suggests|keeps saying|keeps telling)\b"
)
_ONLY_A_NOUN = pattern(r"^(?:(?:my|our) [\w'-]+(?: [\w'-]+){0,2}|[A-Z][\w'-]+)$")


def read_clauses(content: str) -> list[Clause]:
    """The clauses of one message, in order, at most MAX_CLAUSES."""
    text = plain_speech(content)
    if _JOKE.search(text):
        return []
    text = _PROTECTED.sub(lambda found: found.group().replace(".", "\x01"), text)
    clauses: dict[Clause, None] = {}  # in order, and what is said twice once
    for sentence in list(dict.fromkeys(_SENTENCE.findall(text)))[:MAX_SENTENCES]:
        if _TASK.match(sentence) and ":" in sentence:
            break  # the text to work on is what follows the colon, to the end
        clauses.update(dict.fromkeys(_clauses_of(" ".join(sentence.replace("\x01", ".").split()))))
        if len(clauses) >= MAX_CLAUSES:
            break
    return list(clauses)[:MAX_CLAUSES]


def _clauses_of(sentence: str) -> list[Clause]:
    if len(sentence) < 4 or len(sentence) > 2_000:
        return []
    lowercase = sentence == sentence.lower()
    sentence = _CONTRACTION.sub(lambda found: _CONTRACTIONS[found.group().lower()], sentence)
    sentence = _NO_SUBJECT.sub(r"\1I \2", sentence)
    sentence = _IS_NOT_OWNS.sub(r"\1 is ", sentence)
    sentence = _MIND.sub(_politely, _STOP_CALLING.sub("call me ", sentence))
    sentence = _IS_NOT_IS.sub(r"\1 is \3, not \2", sentence)
    sentence = _NOT_ANY_MORE.sub(" anymore", sentence)
    sentence = _FROM_NOW.sub(r"\1", _NOT_FIRST.sub(r"it is \2, not \1", sentence))
    if _FORGET.match(sentence):
        return [Clause(sentence.rstrip(" .!?"), forgets=True, lowercase=lowercase)]
    if _NOT_MEANT.search(sentence) or _TASK.match(sentence) or _TOLD_BACKWARDS.match(sentence):
        return []
    stated = _without_question(sentence)
    tidied = [tidy_clause(part, lowercase=lowercase) for part in _parts(stated)] if stated else []
    return [clause for clause in tidied if clause is not None]


def _politely(asked: re.Match[str]) -> str:
    """ "Would you mind deleting" as "please delete"."""
    verb = asked[1].lower()
    return "please forget" if verb.startswith("forget") else f"please {verb}e"


def _without_question(sentence: str) -> str:
    """What is stated before the question tag: "I moved to Lisbon, did I tell you?" states the move."""
    if _ASKS.match(sentence):
        return ""
    if not sentence.rstrip(" .!").endswith("?"):
        return sentence
    stated, comma, _tag = sentence.rpartition(",")
    return stated if comma else ""


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
            position, joint = found.end(), _kind(found)
    return parts


def _kind(joint: re.Match[str]) -> str:
    if joint["word"]:
        return joint["word"].lower()
    return str(joint.lastgroup)


def _same_subject(part: str) -> list[str]:
    """ "I left Porto and moved to Lisbon" as two statements; a wish's second half stays with the wish."""
    subject = part.split(" ", 1)[0]
    if subject.lower() not in ("i", "we"):
        return [part]
    pieces = _PAST_GOES_ON.split(part)
    if not _OPEN_VERB.search(part):
        goes_on = _HABIT_GOES_ON if _ATTITUDE.match(part) else _PRESENT_GOES_ON
        pieces = [piece for past in pieces for piece in goes_on.split(past)]
    return [pieces[0], *(f"{subject} {piece}" for piece in pieces[1:])]
