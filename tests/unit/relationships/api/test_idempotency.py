import pytest
from django.test import RequestFactory

from relationships.api.idempotency import idempotency_key, request_fingerprint
from relationships.errors import InvalidInput


@pytest.mark.parametrize("key", ["a", "turn 7 / attempt 1", "x" * 255])
def test_a_printable_key_is_taken(key: str) -> None:
    assert idempotency_key(RequestFactory().post("/", headers={"idempotency-key": key})) == key


def test_no_header_is_no_key() -> None:
    assert idempotency_key(RequestFactory().post("/")) is None


@pytest.mark.parametrize("key", ["", "x" * 256, "a\tb", "ключ"])
def test_another_key_is_refused_by_name(key: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        idempotency_key(RequestFactory().post("/", headers={"idempotency-key": key}))

    assert caught.value.problems[0].field == "Idempotency-Key"


def test_another_body_has_another_fingerprint() -> None:
    assert request_fingerprint(b'{"a":1}') == request_fingerprint(b'{"a":1}')
    assert request_fingerprint(b'{"a":1}') != request_fingerprint(b'{"a": 1}')
