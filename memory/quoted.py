"""What others said, within a message: quotations, pasted mail and pasted chats. Pure, in linear time."""

import re
from collections.abc import Callable, Iterator

from memory.words import fold

# Quotations and code. A ' is mostly an apostrophe.
_QUOTED = re.compile(r'```[^`]*```|(?<!\w)"[^"]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|»[^«»]*«|「[^「」]*」')
# The names of lines in the head of an e-mail.
_MAIL = (
    "from|to|cc|date|sent|subject|von|an|datum|gesendet|betreff|de|à|objet|envoyé|para|asunto|fecha|enviado|assunto"
    "|data|da|a|oggetto|inviato|van|aan|onderwerp|verzonden|от|кому|дата|тема"
)
# What others wrote, whatever stands around it: lines quoted with >, and an e-mail from two lines of its head on.
_HEAD = rf"[ \t]*(?:{_MAIL}): .*"
_PASTED = re.compile(rf"(?m:^[ \t]*>.*(?:\n[ \t]*>.*)*)|(?m:^){_HEAD}(?:\n{_HEAD})+[\s\S]*", re.IGNORECASE)
# A line of a chat: "[24/07/26, 15:02] Luis: hi", "Luis: hi".
_IN_EXPORTS = frozenset("[(/,")  # of the times of messages, but not of a timetable
_TIME = r"[\[(]?(?:\d[\d./-]{3,9},? )?\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:[ \u202f]?[ap]\.?m\.?)?[\])]?(?: [-–])? "
_LINE = re.compile(
    rf"^[ \t]*(?P<time>{_TIME})?(?P<speaker>[^\W\d_][\w.'’-]{{0,30}}(?: [\w.'’-]{{1,30}}){{0,2}}): (?P<said>\S.*)$",
    re.IGNORECASE | re.MULTILINE,
)
MYSELF = frozenset(
    "me i myself you yo ich moi eu io ik jag ja я 我 私".split()
)  # as who pastes is called in it
# What people say to each other, but no list ("Allergies: nuts", "09:00 Dentist: bring X-rays").
_TALKS = re.compile(
    r"\b(?:i|im|me|my|we|our|you|u|ur|your|hi|hey|bye|yes|ok|lol|omg|haha\w*|thx|thanks|sorry|ich|mich|mir|mein\w*|wir"
    r"|du|dich|dir|dein\w*|ja|je|j|moi|mon|ma|tu|toi|ton|ta|oui|yo|mi|te|sí|eu|meu|minha|você|sim|io|mio|mia|ti|ik"
    r"|jij|mijn)\b|[?？\u3040-\u30ff\u4e00-\u9fff]",
    re.IGNORECASE,
)
SENTENCE = re.compile(r"(?<=[.!?。！？])(?<!\bDr\.)(?<!\bMr\.)(?<!\bMrs\.)\s+|\n+|(?<=[。！？])")
_BEFORE_IT = 120  # characters that are read before each quotation, of which a message may have thousands


def own_words(said: str, asks: Callable[[str], bool]) -> str:
    """A message without the quotations and pasted texts in it that ask for something, as `asks` says of a text."""

    def own(quoted: re.Match[str]) -> str:
        """A quotation; "" if it asks, but the sentence around it doesn't."""
        begun = quoted.string[max(0, quoted.start() - _BEFORE_IT) : quoted.start()]
        return "" if asks(quoted[0]) and not asks(SENTENCE.split(begun)[-1]) else quoted[0]

    said = _PASTED.sub(own, said)
    if is_chat(said):
        said = _LINE.sub(lambda line: "" if asks(line["said"]) else line[0], said)
    if any(map(str.isalnum, _QUOTED.sub("", said))):
        said = _QUOTED.sub(own, said)
    return said


def is_chat(said: str) -> bool:
    """Return whether a message has lines of a chat: with a time before the speaker; or of two, one of them twice, or
    the writer. Others may be a list ("Food: no nuts").
    """
    lines = list(_LINE.finditer(said))
    if any(line["time"] for line in lines):
        return True
    who = {fold(line["speaker"]) for line in lines}
    return len(who) > 1 and (len(who) < len(lines) or bool(who & MYSELF))


def _is_said(line: re.Match[str]) -> bool:
    """Return whether it is more than a line of a list: with a date or brackets, by the writer, or to somebody."""
    dated = not _IN_EXPORTS.isdisjoint(line["time"] or "")
    return dated or fold(line["speaker"]) in MYSELF or _TALKS.search(line["said"]) is not None


def lines_of(said: str) -> Iterator[tuple[str, str]]:
    """The lines of a message, each with who says it in a pasted chat; "" for the one who writes the message."""
    chat = is_chat(said) and any(_is_said(line) for line in _LINE.finditer(said))
    for text in said.splitlines():
        line = _LINE.match(text) if chat else None
        speaker = line["speaker"] if line else ""
        yield ("" if fold(speaker) in MYSELF else speaker), (line["said"] if line else text)
