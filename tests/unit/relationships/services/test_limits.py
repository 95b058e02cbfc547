import pytest
from pytest_django.fixtures import Settings

from relationships.services.limits import document_fault, message_fault, misplaced_role, name_fault


def test_a_message_says_something_within_its_limit(settings: Settings) -> None:
    settings.MAX_MESSAGE_BYTES = 64

    assert not message_fault("é" * 32)
    assert "longer than 64 bytes" in message_fault("é" * 33)
    assert message_fault("\n ") == "is empty"
    assert "NUL" in message_fault("a\x00b")


def test_a_document_is_measured_as_json(settings: Settings) -> None:
    settings.MAX_PROFILE_BYTES = 64

    assert not document_fault({"a": "x" * 56})
    assert document_fault({"a": "x" * 57}) == "would be 65 bytes; at most 64 are kept"


def test_a_name_is_short_and_in_one_line() -> None:
    assert not name_fault("Ana " * 50)
    assert name_fault("x" * 201) and name_fault("x" * 61, 60) and name_fault("a\nb")


@pytest.mark.parametrize(
    ("roles", "place"),
    [
        (["system", "user", "assistant", "tool", "tool"], None),
        (["system", "system", "user"], None),
        (["assistant", "user", "user"], None),
        (["user", "system"], 1),
        (["tool"], 0),
        (["user", "tool"], 1),
    ],
)
def test_a_role_stands_where_a_model_would_take_it(roles: list[str], place: int | None) -> None:
    misplaced = misplaced_role(roles)

    assert (misplaced and misplaced[0]) == place
