"""Turn the person's message into the question that a context searches with. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from context.facts import RecentMessage
from memory.coreference import refers_back, says_little
from memory.fence import cut_fenced
from memory.retrieval.index.text import count_words

SHORT = 2  # words: "yes" and "and then?" mean nothing without what they answer
LONGEST_BEFORE = 400  # characters: the end of what was said before, which must not drown a short message
LONGEST = 2000  # characters: of a longer message, its beginning and its end are used


class Question(NamedTuple):
    """The text to search with, empty if there is none. `told` describes it for `explain`. `before`: what was said just
    before, if the message speaks of somebody or something in that, as in "Where does she live?".
    """

    text: str
    told: str
    before: str = ""


def question_of(message: str | None, *, recent: Sequence[RecentMessage], session: str) -> Question:
    """The message; if it is SHORT or says little, together with the person's previous one in this session."""
    asked = _clean(message or "")
    if not asked:
        return Question("", "there is no message")
    if count_words(asked[: 10 * LONGEST]) > SHORT and not says_little(asked):
        before = _said_before(asked, recent, session) if refers_back(asked) else ""
        return _bounded(asked, "the message")._replace(before=before[:LONGEST])
    before = _said_before(asked, recent, session)[-LONGEST_BEFORE:]
    if before:
        return _bounded(f"{before}\n{asked}", "the message, too short alone, with the one before it")
    return Question(asked, "the message") if count_words(asked) else Question("", "the message has no words")


def _said_before(asked: str, recent: Sequence[RecentMessage], session: str) -> str:
    """The person's last message, unless it is this one, stored already."""
    said = (
        _clean(message.content)
        for message in reversed(recent)
        if message.role == "user" and message.session == session
    )
    return next((text for text in said if text and text != asked), "")


def _bounded(text: str, told: str) -> Question:
    if len(text) <= LONGEST:
        return Question(text, told)
    half = LONGEST // 2
    return Question(f"{text[:half]} {text[-half:]}", f"{told}, by its first and last {half} characters")


def _clean(text: str) -> str:
    return cut_fenced(text)[0].strip()
