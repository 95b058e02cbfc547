"""Put right the numbers of orders, tickets and devices that a model copies with a slip, as small models lose one of
several equal digits. Pure.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache

from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.operations import Operation
from memory.words import Word, normal, words_of

LEAST, DIGITS = 6, 4  # characters of such a number, and the digits among them; a shorter one may be another's
LONG = 8  # digits of one that has only digits; a shorter one may be an amount that was added up


def as_were_said(items: Iterable[Operation], given: IngestionInput) -> list[Operation]:
    """The operations with the numbers that their messages or entries say, in place of those that no text shown says and
    that differ from one of them by a character too few, too many, or two exchanged.
    """
    numbers_in = cache(_numbers_in)  # of an answer, each text is read once

    @cache
    def known() -> frozenset[str]:
        messages = (one.content for one in (*given.messages, *given.references))
        shown = (*messages, *(one.content for one in given.entries))
        return frozenset(form for text in shown for word in numbers_in(text).values() for form in word.forms)

    return [_as_was_said(item, given, numbers_in, known) for item in items]


def _as_was_said(
    operation: Operation,
    given: IngestionInput,
    numbers_in: Callable[[str], dict[str, Word]],
    known: Callable[[], frozenset[str]],
) -> Operation:
    content = operation.content
    unknown = {text: word for text, word in _numbers_in(content).items() if known().isdisjoint(word.forms)}
    if not unknown or normal(content) != content:
        return operation
    entry = [] if operation.entry is None else [given.entries[operation.entry - 1].content]
    cited = (message.content for message in given.cited(operation.messages, operation.earlier))
    said = {text: word for one in (*cited, *entry) for text, word in numbers_in(one).items()}
    remarks = operation.remarks
    for mistyped, word in unknown.items():
        meant = {other.plain: text for text, other in said.items() if _is_slip(word.plain, other.plain)}
        if len(meant) == 1:
            (right,) = meant.values()
            content = content.replace(mistyped, right)
            remarks = (*remarks, f"{mistyped} was said as {right}; kept so")
    return replace(operation, content=content, remarks=remarks)


def _numbers_in(text: str) -> dict[str, Word]:
    """The numbers of orders and the like in a text, as written. A date, a time or an amount is none."""
    text = normal(text)
    found = {text[word.start : word.end]: word for word in words_of(text) if word.identifies}
    return {written: word for written, word in found.items() if _is_long(written, word.plain)}


def _is_long(written: str, plain: str) -> bool:
    least = LONG if written.isdecimal() else LEAST
    amount = plain.isdecimal() and plain.endswith("00")
    return plain.isalnum() and len(plain) >= least and sum(map(str.isdecimal, plain)) >= DIGITS and not amount


def _is_slip(one: str, other: str) -> bool:
    if len(one) == len(other):
        apart = [place for place in range(len(one)) if one[place] != other[place]]
        first, last = (apart[0], apart[-1]) if apart else (0, 0)
        return (
            len(apart) == 2 and last == first + 1 and one[first : last + 1] == other[first : last + 1][::-1]
        )
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    if len(longer) != len(shorter) + 1:
        return False
    place = next((at for at in range(len(shorter)) if longer[at] != shorter[at]), len(shorter))
    return longer[place + 1 :] == shorter[place:]
