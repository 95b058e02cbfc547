import pytest
from django.test import RequestFactory

from web.errors import InvalidInput
from web.headers import (
    etag,
    expected_version,
    idempotency_key,
)


@pytest.mark.parametrize(
    ("headers", "version"), [({}, None), ({"if-match": "*"}, None), ({"if-match": etag(17)}, 17)]
)
def test_a_tag_comes_back_as_its_version(headers: dict[str, str], version: int | None) -> None:
    assert expected_version(RequestFactory().patch("/", headers=headers)) == version


@pytest.mark.parametrize("tag", ["", "17", '"x"', 'W/"1"', '"1","2"', '""', '"²"', '"-1"', '"9999999999"'])
def test_what_we_never_gave_out_is_refused(tag: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        expected_version(RequestFactory().patch("/", headers={"if-match": tag}))

    assert caught.value.problems[0].field == "If-Match"


@pytest.mark.parametrize("key", ["a", "turn 7 / attempt 1", "x" * 255, None])
def test_a_printable_key_is_taken(key: str | None) -> None:
    headers = {} if key is None else {"idempotency-key": key}

    assert idempotency_key(RequestFactory().post("/", headers=headers)) == key


@pytest.mark.parametrize("key", ["", "x" * 256, "a\tb", "ключ"])
def test_another_key_is_refused_by_name(key: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        idempotency_key(RequestFactory().post("/", headers={"idempotency-key": key}))

    assert caught.value.problems[0].field == "Idempotency-Key"
