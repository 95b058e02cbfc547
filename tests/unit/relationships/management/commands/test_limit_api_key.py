from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from pytest_django.fixtures import Settings

from config.rates import Rate
from relationships.models import ApiKey, AuditEvent


def limit(key: str, *limits: str) -> list[str]:
    out = StringIO()
    call_command("limit_api_key", key, *limits, stdout=out)
    return out.getvalue().splitlines()


def test_who_runs_the_installation_gives_a_key_more_than_others_have(
    api_key: str, settings: Settings
) -> None:
    settings.KEY_RATES = dict.fromkeys(("requests", "turns", "previews", "searches"), Rate(5, 60))
    usual = ["requests: 5/minute", "turns: 5/minute", "previews: 5/minute", "searches: 5/minute"]

    assert limit(api_key[:11]) == usual
    assert limit(api_key[:11], "turns=900/second", "previews=off")[1:3] == [
        "turns: 900/second (its own)",
        "previews: off (its own)",
    ]
    assert ApiKey.objects.get().rate_limits == {"turns": "900/second", "previews": "off"}
    assert limit(str(ApiKey.objects.get().id), "turns=default", "previews=default") == usual
    assert AuditEvent.objects.filter(action="api_key.changed", actor_kind="policy").count() == 2


@pytest.mark.parametrize("written", ["turns", "turns=", "turns=many", "dreams=1/day"])
def test_what_is_no_limit_is_refused_with_the_way_out(api_key: str, written: str) -> None:
    with pytest.raises(CommandError, match=r"600/minute|known: requests, turns"):
        limit(api_key[:11], written)

    assert ApiKey.objects.get().rate_limits == {}


@pytest.mark.django_db
def test_a_key_that_is_not_there_is_named() -> None:
    with pytest.raises(CommandError, match="rk_00000000"):
        limit("rk_00000000")
