import pytest
from pytest_django.fixtures import Settings

from memory.entries.limits import (
    MAX_CALL_BYTES,
    call_text,
    call_text_fault,
    entry_fault,
    operation_fault,
    refuse_beyond_limits,
)
from web.errors import InvalidInput


def test_a_limit_is_one_of_bytes_and_what_is_as_long_passes(settings: Settings) -> None:
    settings.MAX_ENTRY_BYTES = 64

    assert not entry_fault("é" * 32)
    assert entry_fault("é" * 32 + "x") == "is longer than 64 bytes; an entry is one short statement"
    assert entry_fault(" \n") == "is empty"


def test_every_field_that_is_beyond_a_limit_is_named() -> None:
    with pytest.raises(InvalidInput) as refused:
        refuse_beyond_limits({"content": "", "weight": 101, "key": None, "pinned": True})

    assert [problem.field for problem in refused.value.problems] == ["content", "weight"]


def test_what_no_model_takes_is_cut_and_says_so() -> None:
    whole = "é" * (MAX_CALL_BYTES // 2)
    assert call_text(whole) is whole

    cut = call_text(f"{whole}x")

    assert not call_text_fault(cut)
    assert cut.endswith(f"[cut: it had {MAX_CALL_BYTES + 1} bytes]") and cut.startswith("ééé")


def test_an_operation_may_be_as_long_as_several_entries(settings: Settings) -> None:
    assert not operation_fault({"content": "x" * 4 * settings.MAX_ENTRY_BYTES})
    assert operation_fault({"content": "x" * 100_000})
