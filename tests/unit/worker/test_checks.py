import pytest
from pytest_django.fixtures import Settings

from worker.checks import check_leases, check_listening


def test_a_lease_must_last_as_long_as_a_call(settings: Settings) -> None:
    settings.LEASE_SECONDS, settings.CALL_SECONDS = 100.0, 120.0

    (error,) = check_leases()

    assert error.id == "memory.E004"
    assert "RAPPORT_LEASE_SECONDS is 100, less than the 120 seconds" in error.msg


def test_leases_as_they_are_set_up_are_in_order() -> None:
    assert check_leases() == []


def test_behind_a_pooler_a_direct_address_is_asked_for(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(settings.DATABASES["default"]["OPTIONS"], "prepare_threshold")

    (warning,) = check_listening()
    assert warning.id == "memory.W002"
    assert "DATABASE_DIRECT_URL" in (warning.hint or "")

    settings.DATABASE_DIRECT_URL = "postgresql://rapport@localhost/rapport"
    assert check_listening() == []


def test_without_a_pooler_none_is() -> None:
    assert check_listening() == []
