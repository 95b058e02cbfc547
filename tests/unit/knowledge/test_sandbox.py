"""No file takes the worker down: whatever its parsing does, there is an answer."""

import signal

import psutil
import pytest
from pytest_django.fixtures import Settings

from knowledge.errors import REASONS
from knowledge.parsing.base import Block, Unreadable
from knowledge.sandbox import ParsedDocument, parse_document
from tests.fixtures.documents import docx_of, pdf_of


def reason(content: bytes, kind: str) -> str:
    with pytest.raises(Unreadable) as caught:
        parse_document(content, kind=kind)
    assert caught.value.code in REASONS
    return caught.value.code


def test_a_document_comes_back_with_its_pages() -> None:
    assert parse_document(pdf_of("שלום"), kind="pdf").pages == 1
    assert parse_document(b"One.\n\nTwo \xe2\x82\xac.", kind="text") == ParsedDocument(
        (Block("One."), Block("Two €.")), None, 0
    )


def test_a_reason_comes_back_as_a_sentence() -> None:
    assert reason(pdf_of(""), "pdf") == "scanned"


def test_parsing_that_takes_too_long_is_stopped(settings: Settings) -> None:
    settings.DOCUMENT_SECONDS = 1

    assert reason(b"<p>a" * 1_000_000, "html") == "too_slow"


def test_parsing_that_takes_too_much_memory_is_stopped(settings: Settings) -> None:
    settings.DOCUMENT_MEMORY = 134_217_728
    settings.MAX_DOCUMENT_CHARACTERS = 100_000_000

    assert reason(b"a\n\n" * 5_000_000, "text") == "too_much_memory"


def test_a_process_that_dies_is_a_reason_too(settings: Settings) -> None:
    settings.DOCUMENT_MEMORY = 1_000_000  # Python itself does not start in it

    assert reason(docx_of(("Normal", "x")), "docx") in {"crashed", "too_much_memory"}


def test_nothing_is_left_running_or_waiting() -> None:
    before = {child.pid for child in psutil.Process().children()}

    parse_document(b"Words.", kind="text")

    assert {child.pid for child in psutil.Process().children()} <= before
    assert signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
