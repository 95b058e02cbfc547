import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.chunking import BETWEEN, Chunk, cut_document
from knowledge.parsing.base import Block
from providers.tokens import estimate_tokens

SENTENCES = [f"This is sentence number {number} of the text." for number in range(400)]


def rebuilt(chunks: list[Chunk]) -> str:
    return "".join(chunk.content[chunk.repeats :] for chunk in chunks)


def test_a_short_document_is_one_chunk() -> None:
    blocks = [Block("One.", 1, "A"), Block("Two.", 2, "B")]

    assert cut_document(blocks, tokens=800, overlap=400) == [Chunk("One.\n\nTwo.", 1, 2, "A", 0, 3)]


def test_chunks_are_about_as_long_as_asked_and_overlap_about_as_much() -> None:
    chunks = cut_document([Block(" ".join(SENTENCES))], tokens=200, overlap=100)

    assert all(100 <= chunk.tokens <= 200 for chunk in chunks[:-1])
    assert all(60 <= estimate_tokens(chunk.content[: chunk.repeats]) <= 100 for chunk in chunks[1:])


def test_a_chunk_begins_and_ends_with_a_sentence() -> None:
    chunks = cut_document([Block(" ".join(SENTENCES))], tokens=200, overlap=100)

    assert all(chunk.content.startswith("This is") for chunk in chunks)
    assert all(chunk.content.rstrip().endswith("text.") for chunk in chunks)


def test_a_chunk_ends_at_a_better_border_nearby() -> None:
    words = " ".join(SENTENCES[:14])
    blocks = [Block(words, heading="A"), Block(words, heading="B")]

    first = cut_document(blocks, tokens=200, overlap=0)[0]

    assert first.content == words + BETWEEN, "the section's end, though more would fit"


def test_a_chunk_knows_its_pages_and_where_it_begins() -> None:
    blocks = [Block(" ".join(SENTENCES[:10]), page, f"Chapter {page}") for page in range(1, 6)]

    chunks = cut_document(blocks, tokens=300, overlap=100)

    assert (chunks[0].page_from, chunks[0].heading) == (1, "Chapter 1")
    assert chunks[-1].page_to == 5
    assert all(chunk.heading == f"Chapter {chunk.page_from}" for chunk in chunks)


UNBROKEN = {"latin": "a" * 20_000, "chinese": "中" * 5000, "thai": "ก่" * 3000, "emoji": "👍🏽" * 2000}


@pytest.mark.parametrize("text", UNBROKEN.values(), ids=UNBROKEN)
def test_text_without_any_border_is_cut_too_but_never_inside_a_letter(text: str) -> None:
    chunks = cut_document([Block(text)], tokens=200, overlap=50)

    assert rebuilt(chunks) == text
    assert all(chunk.tokens <= 201 for chunk in chunks)
    assert all(chunk.content[0] not in "\u0e48\U0001f3fd" for chunk in chunks)


@given(
    st.lists(st.text(st.sampled_from("ab .。!\n中1"), min_size=1, max_size=300), min_size=1, max_size=20),
    st.integers(50, 120),
    st.integers(0, 119) | st.just(0),
)
def test_nothing_is_lost_and_every_chunk_moves_on(texts: list[str], tokens: int, overlap: int) -> None:
    blocks = [Block(text, page) for page, text in enumerate(texts, start=1)]

    chunks = cut_document(blocks, tokens=tokens, overlap=min(overlap, tokens - 1))

    assert rebuilt(chunks) == BETWEEN.join(texts)
    assert all(len(chunk.content) > chunk.repeats for chunk in chunks)
    assert all(chunk.tokens <= tokens for chunk in chunks)


def test_a_large_document_is_cut_in_no_time_to_speak_of() -> None:
    chunks = cut_document([Block(" ".join(SENTENCES * 50))], tokens=800, overlap=400)

    assert 500 < len(chunks) < 1000


def test_each_chunk_moves_on_however_much_of_it_the_next_may_repeat() -> None:
    """A file of short paragraphs would otherwise be repeated thousands of times, by a chunk for each of them."""
    blocks = [Block("a")] * 5000
    chunks = cut_document(blocks, tokens=800, overlap=799)

    assert sum(len(chunk.content) for chunk in chunks) < 10 * len(BETWEEN.join(["a"] * 5000))
    assert all(2 * chunk.repeats > len(chunk.content) for chunk in chunks[1:])
