"""Splits a message into clauses: one statement each, in a plain form.

"Well, I've just moved to Lisbon, but I don't work there anymore" gives "I moved to Lisbon" and, marked as ended,
"I do not work there". Hedged statements and reported speech are left out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from providers.llm.offline.dates import is_date
from providers.llm.offline.wording import RULES, part, pattern
from providers.normal_form import normal_form
from providers.shorthand import spelt_out

MAX_CLAUSE = 320  # characters; longer than any statement of one fact
# Patterns and their replacements: before a sentence is split, and then in each clause.
_REPHRASED = [(pattern(said), instead) for said, instead in RULES["clauses"]["rephrased"]]
_PLAIN_FORMS = [(pattern(said), instead) for said, instead in RULES["clauses"]["plain"]]
_OPEN_VERB = pattern(r"\b(?:to|will|would|could|can|let)\b|^(?:I|we) (?:love|like|hate|enjoy|adore|prefer)\b")
_ONLY_A_NOUN = pattern(r"^(?:(?:my|our) (?!.*\b(?:is|are|was|has)\b)[\w'-]+(?: [\w'-]+){0,2}|[A-Z][\w'-]+)$")
_NO_MORE = pattern(r"[\s,]+(?:but )?(?:not )?(?:anymore|any more|any longer)(?:$|,.*$)")
_RECENT = pattern(r"^(?:I|we)(?: (?:have|am|are))? (?:just|finally|recently)\b")
_NO_LONGER = pattern(r"^(I|we|[\w' ]+?) (am |are |is )?no longer (?=\w)")
_USED_TO = pattern(r"^(I|we) used to (?:be )?(?=\w)")
_COLON = pattern(r":(?!\d)")  # not that of a time
_DATE_IS = pattern(r"^(?P<date>.{3,25}?) is (?P<what>(?:my|our) .+)$")
# Words in lower case without a comma, as speech is written down; more run into the next statement.
LONGEST_RUN = 16
MAX_SENTENCES = 1_500  # per message, so that a pasted book can't block a worker
LONGEST_SENTENCE = 2_000  # characters
MOST_TAILS = 5  # removed one after the other; each search reads the whole text
_FOLDED = str.maketrans(
    {
        "\u2018": "'", "\u2019": "'", "\u02bc": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00ab": '"',
        "\u00bb": '"', "\u00a0": " ", "\u2013": " - ", "\u2014": " - ", "\u2026": "... ",
        **dict.fromkeys("\u200b\u200c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff", ""),
    }
)  # fmt: skip
_TAKEN_OUT = (
    (re.compile(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.DOTALL), "\n"),  # code
    (re.compile(r"`[^`\n]{0,400}`"), " "),
    (re.compile(r"(?:https?://|www\.)\S+"), " "),
    (re.compile(r"^[ \t]*>.*$", re.MULTILINE), ""),  # mail-style quotations
)
_EMOJI = re.compile("[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\U000e0020-\U000e007f]+")
_QUOTED = (
    re.compile(r'"([^"\n]{1,600})"'),
    re.compile(r"(?<!\w)'((?:[^'\n]|(?<=\w)'(?=\w)){1,300})'(?!\w)"),
)
_SPOKEN = pattern(r"\b(?:i|i'm|i've|me|my|we|our|you|your|forget|delete|ignore)\b")
_CHAT_LINE = re.compile(
    r"^[ \t]*(?:[-*][ \t]+)?(?:\[[\w .:/,-]{1,30}\][ \t]*)?<?[\w .]{1,30}>?:[ \t]+\S.*$", re.MULTILINE
)
_PROTECTED = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|St|Prof|Jr|Sr|vs|etc|approx|a\.m|p\.m|e\.g|i\.e)\.|(?<=\d)\.(?=\d)|(?<=\w)\.(?=[a-z\d])"
    r"|\b[A-Z]\.(?=[A-Z ])"
)
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_JOKE = pattern(
    r"\b(?:just kidding|only kidding|jk|just joking|only joking|yeah,? right(?=\s*(?:[,.!]|$)))\b"
    r"|(?<!\S)/s(?!\S)|(?:^|[.!,]\s*)(?:psych|sike)\W*$"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A statement. `text` begins with its subject; the flags tell how it was said."""

    text: str
    subject: str = "user"
    ended: bool = False  # "no longer", "anymore"
    formerly: bool = False  # "used to"
    corrects: bool = False  # "actually", "no,", "I meant"
    recent: bool = False  # "just", "finally"
    instead_of: str = ""  # the Y of "X, not Y"
    lowercase: bool = False  # the writer uses no capitals, so they don't mark names
    together: str = ""  # the other person in "Ana and I"
    forgets: bool = False  # a request to forget, with its text unchanged


def read_clauses(content: str, *, most: int) -> list[Clause]:
    """The first `most` clauses of a message, in order, without duplicates."""
    clauses = (clause for text in read_sentences(content) for clause in _clauses_of(text))
    return list(dict.fromkeys(islice(clauses, most)))


def without_adverbs(text: str) -> str:
    """Turn "I really just moved" into "I moved"."""
    for _ in range(4):
        text = part("ADVERB").sub(r"\1 ", text)
    return text


def tidy_clause(piece: str, *, lowercase: bool = False) -> Clause | None:
    """The statement in a part of a sentence; None if it is hedged, too long or empty."""
    runs_on = lowercase and "," not in piece and len(piece.split()) > LONGEST_RUN
    if runs_on or len(piece) > MAX_CLAUSE or part("HEDGED").search(piece):
        return None
    text, corrects = _without_fillers(piece.strip(" .!?,;:()"))
    text = _date_last(text)
    recent = bool(_RECENT.match(text))
    text, ended, instead_of = without_tail(text)
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
        corrects=corrects or bool(instead_of),
        recent=recent,
        instead_of=instead_of,
        lowercase=lowercase,
    )


def _clauses_of(sentence: str) -> list[Clause]:
    lowercase = sentence == sentence.lower()
    for wording, instead in _REPHRASED:
        sentence = wording.sub(instead, sentence)
    if part("FORGET").match(sentence):
        return [Clause(sentence.rstrip(" .!?"), forgets=True, lowercase=lowercase)]
    repaired = max((found.start() for found in part("REPAIR").finditer(sentence)), default=0)
    stated = what_is_stated(sentence[repaired:])  # what stands before the last "no wait" was not meant
    tidied = [tidy_clause(piece, lowercase=lowercase) for piece in _parts(stated)] if stated else []
    return [clause for clause in tidied if clause is not None]


def _parts(sentence: str) -> list[str]:
    """Split a sentence where a new subject and verb begin; leave out subordinate clauses and reported speech."""
    parts: list[str] = []
    position, joint, reported = 0, "", False
    for found in [*part("JOINT").finditer(sentence), None]:
        piece = sentence[position : found.start() if found else len(sentence)].strip(" ,")
        if found and found["and"] and _ONLY_A_NOUN.match(piece):
            continue  # "My wife and I ..."
        if found and found["comma"] is not None and _without_fillers(f"{piece}, x") == ("x", True):
            continue  # "No wait, his name is ..."
        if joint in ("but", "so", "stop"):
            reported = False
        if piece and joint not in ("under", "which") and not reported:
            reported = bool(part("REPORTED").match(piece))
            parts += [piece] if reported else _same_subject(piece)
        if found:
            position, joint = found.end(), (found["word"] or str(found.lastgroup)).lower()
    return parts


def _same_subject(piece: str) -> list[str]:
    """Split "I left Porto and moved to Lisbon" into two statements; the second half of a wish stays with it."""
    subject = piece.split(" ", 1)[0]
    if subject.lower() not in ("i", "we"):
        return [piece]
    pieces = part("PAST_GOES_ON").split(piece)
    if not _OPEN_VERB.search(piece):
        pieces = [piece for past in pieces for piece in part("PRESENT_GOES_ON").split(past)]
    return [pieces[0], *(f"{subject} {piece}" for piece in pieces[1:])]


def _without_fillers(text: str) -> tuple[str, bool]:
    corrects = False
    for _ in range(6):
        if found := part("CORRECTION").match(text):
            corrects = True
        if not (found := found or part("FILLER").match(text)):
            break
        text = text[found.end() :]
    return text, corrects


def _date_last(text: str) -> str:
    """Turn "Next month I am giving a talk" into "I am giving a talk next month"."""
    if (found := _DATE_IS.match(text)) and is_date(found["date"]):
        return f"{found['what']} is on {found['date']}"
    found = part("LEADING_DATE").match(text)
    return f"{found['rest']} {found['date']}" if found else text


def without_tail(text: str) -> tuple[str, bool, str]:
    """Remove what trails off: "coffee btw" gives "coffee". Also whether it says "anymore", and the Y of "not Y"."""
    ended, instead_of = False, ""
    for _ in range(MOST_TAILS):
        if found := _NO_MORE.search(text):
            ended = True
        elif found := part("NOT_THAT").search(text):
            instead_of = found["other"]
        if not (found := found or part("TRAILING").search(text)) or found.start() < 3:
            break
        text = text[: found.start()].rstrip(" ,.!")
    return text, ended, instead_of


def read_sentences(content: str) -> Iterator[str]:
    """Yield the sentences of a message, in order, without duplicates, with plain white space."""
    text = plain_speech(content)
    if _JOKE.search(text):
        return
    text = _PROTECTED.sub(lambda found: found.group().replace(".", "\x01"), text)
    for sentence in list(dict.fromkeys(_SENTENCE.findall(text)))[:MAX_SENTENCES]:
        if part("HOMEWORK").match(sentence) or (part("TASK").match(sentence) and _COLON.search(sentence)):
            return  # all that follows the colon is a text to work on
        if len(sentence) <= LONGEST_SENTENCE:
            yield " ".join(sentence.replace("\x01", ".").split())


def plain_speech(content: str) -> str:
    """The message without code, quotations, links, emoji and short forms, with plain quotation marks and spaces."""
    text = normal_form("NFC", content).translate(_FOLDED)
    for wording, instead in _TAKEN_OUT:
        text = wording.sub(instead, text)
    if len(_CHAT_LINE.findall(text)) >= 2:  # a pasted chat
        text = _CHAT_LINE.sub("", text)
    for wording in _QUOTED:
        text = wording.sub(_keep_titles, text)
    text = spelt_out(_EMOJI.sub(" . ", text))
    return text.lower() if _is_shouted(text[:400]) else text


def what_is_stated(sentence: str) -> str:
    """The part that states something, as the move in "I moved to Lisbon, did I tell you?"; "" if none does."""
    if part("NOT_MEANT").search(sentence) or part("TASK").match(sentence) or part("ASKS").match(sentence):
        return ""
    return sentence.rpartition(",")[0] if sentence.rstrip(" .!").endswith("?") else sentence


def _is_shouted(text: str) -> bool:
    cased = [character for character in text if character.lower() != character.upper()]
    return len(cased) > 12 and sum(character.isupper() for character in cased) > 0.8 * len(cased)


def _keep_titles(quoted: re.Match[str]) -> str:
    """Keep a short quotation that nobody speaks in, with its marks: it is a title or a name."""
    inside = quoted.group(1)
    return " " if _SPOKEN.search(inside) or inside.count(" ") > 6 else quoted.group()
