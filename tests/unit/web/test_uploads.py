from typing import Any

import pytest
from django.test import RequestFactory
from rest_framework.request import Request

from tests.fixtures.documents import multipart
from web.errors import InvalidInput, RapportError, TooMuch
from web.problems import LengthRequired, MalformedBody, WrongMediaType
from web.uploads import AROUND, Upload, read_upload


def request_with(body: bytes, content_type: str) -> Request:
    return Request(RequestFactory().generic("POST", "/", body, content_type))


def read(limit: int = 1000, **parts: str | tuple[str, bytes]) -> Upload:
    return read_upload(request_with(*multipart(**parts)), limit=limit, fields=("name",))


def test_a_file_comes_with_its_name_and_the_fields() -> None:
    upload = read(file=("Bericht März.pdf", b"\x00\xffbytes"), name="Report")

    assert upload == Upload("Bericht März.pdf", b"\x00\xffbytes", {"name": "Report"})


NAMES = {
    "a path": ("../../etc/passwd", "passwd"),
    "a path of Windows": ("C:\\docs\\a.pdf", "a.pdf"),
    "control characters": ("a\tb.pdf", "ab.pdf"),
    "too long": ("x" * 300 + ".pdf", "x" * 196 + ".pdf"),
    "too long, without an ending": ("x" * 300, "x" * 200),
}


@pytest.mark.parametrize(("given", "kept"), NAMES.values(), ids=NAMES)
def test_a_files_name_is_one_line_without_a_path(given: str, kept: str) -> None:
    assert read(file=(given, b"x")).name == kept


def test_a_file_of_exactly_the_limit_is_taken() -> None:
    assert len(read(limit=1000, file=("a", b"x" * 1000)).content) == 1000


def test_a_longer_file_and_a_far_longer_body_are_refused() -> None:
    with pytest.raises(TooMuch, match="The file is 1001 bytes long; at most 1000"):
        read(limit=1000, file=("a", b"x" * 1001))
    with pytest.raises(TooMuch, match=f"more than {1000 + AROUND} bytes"):
        read(limit=1000, file=("a", b"x" * 50_000))


REFUSED: dict[str, tuple[dict[str, Any], list[str]]] = {
    "no file": ({"name": "x"}, ["file"]),
    "an unknown field": ({"file": ("a", b"x"), "colour": "red"}, ["colour"]),
    "a second file": ({"file": ("a", b"x"), "more": ("b", b"y")}, ["more"]),
    "a text in the file's place": ({"file": "x"}, ["file"]),
}


@pytest.mark.parametrize(("parts", "fields"), REFUSED.values(), ids=REFUSED)
def test_what_is_not_expected_is_named(parts: dict[str, Any], fields: list[str]) -> None:
    with pytest.raises(InvalidInput) as caught:
        read(**parts)

    assert [problem.field for problem in caught.value.problems] == fields


def test_a_part_that_stands_twice_is_refused() -> None:
    body, content_type = multipart(file=("a", b"x"))
    twice = body.removesuffix(b"--b0undary--\r\n") + body

    with pytest.raises(InvalidInput, match="file: stands twice"):
        read_upload(request_with(twice, content_type), limit=1000)


BODIES: dict[str, tuple[bytes, str, type[RapportError]]] = {
    "JSON": (b"{}", "application/json", WrongMediaType),
    "nothing": (b"", "", WrongMediaType),
    "no boundary": (b"x", "multipart/form-data", MalformedBody),
    "a boundary that is none": (b"x", "multipart/form-data; boundary=\x01", MalformedBody),
}


@pytest.mark.parametrize(("body", "content_type", "error"), BODIES.values(), ids=BODIES)
def test_another_body_is_refused(body: bytes, content_type: str, error: type[RapportError]) -> None:
    with pytest.raises(error):
        read_upload(request_with(body, content_type), limit=1000)


def test_a_body_of_unknown_length_is_refused() -> None:
    request = request_with(*multipart(file=("a", b"x")))
    request.META |= {"CONTENT_LENGTH": "", "HTTP_TRANSFER_ENCODING": "chunked"}

    with pytest.raises(LengthRequired):
        read_upload(request, limit=1000)
