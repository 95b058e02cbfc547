import random

import pytest

from knowledge.parsing.base import Block, Limits, Unreadable
from knowledge.parsing.pdf import parse_pdf
from tests.fixtures.documents import PICTURE, pdf_of

LIMITS = Limits(pages=600, characters=10**7)


def read(content: bytes, limits: Limits = LIMITS) -> list[Block]:
    return list(parse_pdf(content, limits))


def reason(content: bytes, limits: Limits = LIMITS) -> str:
    with pytest.raises(Unreadable) as caught:
        read(content, limits)
    return caught.value.code


def test_each_page_is_read_with_its_number() -> None:
    blocks = read(pdf_of("First page", "Second page"))

    assert blocks == [Block("First page", 1), Block("Second page", 2)]


def test_a_page_stands_under_the_bookmark_before_it() -> None:
    blocks = read(
        pdf_of("Preface", "One", "Still one", "Two", bookmarks=[("Chapter 1", 1), ("Chapter 2", 3)])
    )

    assert [block.heading for block in blocks] == ["", "Chapter 1", "Chapter 1", "Chapter 2"]


SCRIPTS = {
    "hebrew": "שלום עולם, זהו מסמך",
    "chinese": "中文文档：北京是中国的首都。",
    "japanese": "東京は日本の首都です。",
    "korean": "한국어 문서",
    "cyrillic": "Возврат занимает пять дней",
    "emoji": "Well done 🎉",
}


@pytest.mark.parametrize("text", SCRIPTS.values(), ids=SCRIPTS)
def test_any_script_comes_out_as_it_went_in(text: str) -> None:
    # A font that is not there has its right-to-left text drawn from the left, as our writer does: PDFium turns it.
    drawn = text[::-1] if text == SCRIPTS["hebrew"] else text

    assert read(pdf_of(drawn))[0].text.replace("\n", "") == text


def test_the_cells_of_a_table_stay_apart() -> None:
    (block,) = read(pdf_of("Item\tPrice\tStock\nAnvil\t33\t0\nBellows\t12 EUR\t7\nA\t1\t2"))

    assert block.text.split() == [
        *["Item", "Price", "Stock"],
        *["Anvil", "33", "0"],
        *["Bellows", "12", "EUR", "7"],
        *["A", "1", "2"],
    ]


def test_more_pages_than_allowed_are_refused_before_any_is_read() -> None:
    assert reason(pdf_of("One", "Two", "Three"), Limits(pages=2, characters=100)) == "too_many_pages"


def test_pages_without_text_are_a_scan() -> None:
    assert reason(pdf_of("", "")) == "scanned"
    assert reason(pdf_of(PICTURE)) == "scanned"


def test_a_page_with_only_pictures_is_told_from_an_empty_one() -> None:
    assert read(pdf_of("One", PICTURE, "")) == [Block("One", 1), Block("", 2)]


def test_a_pdf_with_a_password_says_so() -> None:
    assert reason(LOCKED) == "encrypted"


BROKEN = {
    "only its head": b"%PDF-1.7\n",
    "cut in the middle": pdf_of("One", "Two")[:500],
    "no pages": pdf_of(),
    "a table of contents that points nowhere": pdf_of("One").replace(b"/Root 1 0 R", b"/Root 99 0 R"),
    "rubbish": b"%PDF-1.7\n" + random.Random(1).randbytes(5000),
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_a_broken_pdf_is_broken_and_no_crash(content: bytes) -> None:
    assert reason(content) in {"broken", "scanned"}


def test_a_wrong_table_of_objects_is_mended() -> None:
    content = pdf_of("Still here")

    assert (
        read(content[: content.rindex(b"xref\n0")] + b"trailer << /Root 1 0 R >>\n%%EOF")[0].text
        == "Still here"
    )


def test_bytes_flipped_at_random_break_nothing_but_the_text() -> None:
    dice = random.Random(7)
    content = pdf_of("One", "Two", "Three", bookmarks=[("Chapter", 1)])
    outcomes = set()
    for _ in range(150):
        bent = bytearray(content)
        for place in dice.sample(range(len(bent)), 20):
            bent[place] = dice.randrange(256)
        try:
            outcomes.add(len(read(bytes(bent))) > 0)
        except Unreadable:
            outcomes.add(False)

    assert outcomes == {True, False}


# Standard security handler, revision 3, with the user password "secret"; there is no reading it without.
LOCKED = pdf_of("Hidden").replace(
    b"/Root 1 0 R",
    b"/Root 1 0 R /ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>]"
    b" /Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -4"
    b" /O <%b> /U <%b> >>" % (b"5a" * 32, b"a5" * 32),
)
