"""Cuts a document into overlapping chunks, preferably between sections, paragraphs or sentences. Pure."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from knowledge.parsing.base import Block
from providers.embeddings.shaping import cut_to_tokens
from providers.tokens import estimate_tokens

BETWEEN = "\n\n"  # between two blocks
# A part, which is never cut, is at most an eighth of a chunk, so that overlaps come near the configured size.
PIECES = 8
AT_LEAST = 0.6  # how much of a chunk is filled before it may end early at a better border
MOST_REPEATED = 7 / 8  # of a chunk, so that all together are not much longer than the document
MOST_JOINED = 50  # marks that stay with their letter; no script needs that many

# The end of a sentence: a mark followed by white space, or a full-width mark.
_SENTENCE = re.compile(r"(?<=[.!?…։؟۔।])[\"'”’»)\]]*\s+|(?<=[。！？])[」』”’）]*\s*|\n")
_SPACE = re.compile(r"\s+")
# Characters that never begin a part: combining marks, joiners, variation selectors, skin tones.
_JOINED = re.compile(
    r"[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0903\u093a-\u094f\u0e31\u0e34-\u0e3a\u0e47-\u0e4e"
    r"\u200c\u200d\ufe00-\ufe0f\U0001f3fb-\U0001f3ff]"
)


@dataclass(frozen=True, slots=True)
class Chunk:
    """`repeats`: how many characters at its beginning repeat the end of the previous chunk."""

    content: str
    page_from: int | None
    page_to: int | None
    heading: str
    repeats: int
    tokens: int


@dataclass(frozen=True, slots=True)
class _Part:
    """A span of the text that is never cut, and how good the border before it is."""

    start: int
    end: int
    tokens: int
    border: int  # 3 a section, 2 a paragraph, 1 within one


def cut_document(blocks: Sequence[Block], *, tokens: int, overlap: int) -> list[Chunk]:
    """Cut into chunks of about `tokens` tokens at most, each repeating at most `overlap` tokens of the previous one."""
    text = BETWEEN.join(block.text for block in blocks)
    starts = _starts(blocks)
    parts = list(_parts(text, blocks, starts, most=max(8, tokens // PIECES)))
    chunks: list[Chunk] = []
    before = 0  # where the last chunk ended
    for first, last in _spans(parts, tokens, overlap):
        start, end = parts[first].start, parts[last].end
        begins = blocks[bisect_right(starts, start) - 1]
        ends = blocks[bisect_right(starts, end - 1) - 1]
        content = text[start:end]
        chunks.append(
            Chunk(
                content=content,
                page_from=begins.page,
                page_to=ends.page,
                heading=begins.heading,
                repeats=max(0, before - start),
                tokens=estimate_tokens(content),
            )
        )
        before = end
    return chunks


def _starts(blocks: Iterable[Block]) -> list[int]:
    starts, place = [], 0
    for block in blocks:
        starts.append(place)
        place += len(block.text) + len(BETWEEN)
    return starts


def _spans(parts: Sequence[_Part], tokens: int, overlap: int) -> Iterator[tuple[int, int]]:
    """The first and last part of each chunk. Each chunk begins and ends later than the previous one."""
    first, last = 0, -1
    while last < len(parts) - 1:
        last = _fill(parts, first, tokens, beyond=last)
        yield first, last
        if last < len(parts) - 1:
            filled = sum(part.tokens for part in parts[first : last + 1])
            most = min(overlap, tokens - parts[last + 1].tokens, int(MOST_REPEATED * filled))
            first = _step_back(parts, first, last, most)


def _fill(parts: Sequence[_Part], first: int, tokens: int, *, beyond: int) -> int:
    """The last part that fits, or an earlier one with a better border after it, if that fills the chunk enough."""
    filled, last = parts[first].tokens, first
    best: tuple[int, int] | None = None
    while last + 1 < len(parts) and filled + parts[last + 1].tokens <= tokens:
        last += 1
        filled += parts[last].tokens
        if last > beyond and filled >= AT_LEAST * tokens and last + 1 < len(parts):
            best = max(best or (0, 0), (parts[last + 1].border, last))
    return best[1] if best and last < len(parts) - 1 else last


def _step_back(parts: Sequence[_Part], first: int, last: int, overlap: int) -> int:
    """The first part of the next chunk: as early as the overlap allows, but after the start of the last chunk."""
    repeated, place = 0, last + 1
    while place - 1 > first and repeated + parts[place - 1].tokens <= overlap:
        place -= 1
        repeated += parts[place].tokens
    return place


def _parts(text: str, blocks: Sequence[Block], starts: Sequence[int], *, most: int) -> Iterator[_Part]:
    """Cut the blocks into parts. The text between two blocks belongs to the first."""
    heading: str | None = None
    for block, start, following in zip(blocks, starts, [*starts[1:], len(text)], strict=True):
        border = 2 if block.heading == heading else 3
        heading = block.heading
        for begin, end in _cut(text, start, start + len(block.text), most, (_SENTENCE, _SPACE)):
            tokens = estimate_tokens(text[begin:end]) + 1
            yield _Part(begin, following if end == start + len(block.text) else end, tokens, border)
            border = 1


def _cut(
    text: str, start: int, end: int, most: int, borders: Sequence[re.Pattern[str]]
) -> Iterator[tuple[int, int]]:
    """Cut text[start:end] into pieces of at most `most` tokens, at the first kind of border, or else at the next."""
    if estimate_tokens(text[start:end]) <= most:
        yield start, end
        return
    if not borders:
        yield from _cut_anywhere(text, start, end, most)
        return
    held = place = start
    for piece_end in [*(found.end() for found in borders[0].finditer(text, start, end)), end]:
        if piece_end == place:
            continue
        if place > held and estimate_tokens(text[held:piece_end]) > most:
            yield from _cut(text, held, place, most, borders[1:])
            held = place
        place = piece_end
    yield from _cut(text, held, end, most, borders[1:])


def _cut_anywhere(text: str, start: int, end: int, most: int) -> Iterator[tuple[int, int]]:
    """Cut a run without white space by length, but never before a mark that belongs to the previous letter."""
    while start < end:
        stop = start + max(1, len(cut_to_tokens(text[start : min(end, start + 4 * most)], most)))
        longest = min(end, stop + MOST_JOINED)
        while stop < longest and _JOINED.match(text, stop):
            stop += 1
        yield start, stop
        start = stop
