"""What a context searches for: the person's message, prepared as a question. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from context.facts import RecentMessage
from memory.fence import cut_fenced
from memory.retrieval.index.text import count_words

SHORT = 2  # words: "yes", "and then?" say nothing without what they answer
LONGEST = 2000  # characters: what is pasted whole is asked by its beginning and its end


class Question(NamedTuple):
    """`text` is empty where there is nothing to ask. `told`: what was asked, in words for `explain`."""

    text: str
    told: str


def question_of(message: str | None, *, recent: Sequence[RecentMessage], session: str) -> Question:
    """The message; one of a word or two with the person's last one of this session before it."""
    asked = _clean(message or "")
    if not asked:
        return Question("", "there is no message")
    if count_words(asked[: 10 * LONGEST]) > SHORT:
        return _bounded(asked, "the message")
    before = _said_before(asked, recent, session)
    if before:
        return _bounded(f"{before}\n{asked}", "the message, too short alone, with the one before it")
    return Question(asked, "the message") if count_words(asked) else Question("", "the message has no words")


def _said_before(asked: str, recent: Sequence[RecentMessage], session: str) -> str:
    """The person's last words, unless they are this message, handed over already."""
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
