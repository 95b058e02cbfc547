"""The process by itself. What it does to a worker: tests/unit/knowledge/test_sandbox.py."""

from knowledge.kinds import MEDIA_TYPES
from knowledge.parsing.base import Limits
from knowledge.parsing.child import PARSERS, parse
from tests.fixtures.documents import pdf_of

LIMITS = Limits(pages=5, characters=50)


def test_every_kind_has_its_parser() -> None:
    assert set(PARSERS) == set(MEDIA_TYPES)


def test_blocks_come_with_their_pages() -> None:
    assert parse("pdf", pdf_of("One", "Two"), LIMITS) == {
        "blocks": [("One", 1, ""), ("Two", 2, "")],
        "pages": 2,
    }


def test_a_reason_comes_by_its_code() -> None:
    assert parse("pdf", b"%PDF-", LIMITS) == {"error": "broken"}
    assert parse("text", b" \n", LIMITS) == {"error": "no_text"}
    assert parse("text", b"a" * 51, LIMITS) == {"error": "too_much_text"}
