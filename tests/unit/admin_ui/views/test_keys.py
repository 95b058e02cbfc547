import re

import pytest
from django.test import Client

from relationships.models import ApiKey, Project
from relationships.services.api_keys import change_rate_limits
from tests.fixtures.api import TESTER
from web.secrets import secret_hash

KEYS = "/admin-ui/keys/"


def test_a_key_is_shown_once_and_kept_as_a_hash(owner: Client, project: Project) -> None:
    shown = owner.post(KEYS, {"name": "Our app", "scope": "write"}).content.decode()

    match = re.search(r'id="key" tabindex="0">([^<]+)<', shown)
    assert match is not None
    row = ApiKey.objects.get(project=project)
    assert bytes(row.key_hash) == secret_hash(match[1])
    assert match[1] not in owner.get(KEYS).content.decode()


@pytest.mark.parametrize("sent", [{"name": "", "scope": "write"}, {"name": "x", "scope": "all"}])
def test_a_key_that_can_not_be_made_is_refused_in_words(owner: Client, sent: dict[str, str]) -> None:
    answer = owner.post(KEYS, sent)

    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()
    assert not ApiKey.objects.exists()


def test_a_key_gets_limits_of_its_own_and_the_usual_ones_back(owner: Client) -> None:
    owner.post(KEYS, {"name": "Our app", "scope": "read"})
    limits = f"{KEYS}{ApiKey.objects.get().id}/limits/"

    owner.post(limits, {"requests": "90/minute", "turns": "", "searches": "2/second"})
    assert ApiKey.objects.get().rate_limits == {"requests": "90/minute", "searches": "2/second"}
    shown = owner.get(KEYS).content.decode()
    assert "requests 90/minute" in shown and 'placeholder="6000/minute"' in shown

    owner.post(limits, {"requests": ""})
    assert ApiKey.objects.get().rate_limits == {}
    assert "default" in owner.get(KEYS).content.decode()


@pytest.mark.parametrize("written", ["lots", "9000000/second"])
def test_a_limit_that_can_not_be_given_is_refused_in_words(owner: Client, written: str) -> None:
    owner.post(KEYS, {"name": "Our app", "scope": "read"})

    shown = owner.post(
        f"{KEYS}{ApiKey.objects.get().id}/limits/", {"turns": written}, follow=True
    ).content.decode()

    assert "rate_limits.turns" in shown
    assert ApiKey.objects.get().rate_limits == {}


def test_a_limit_above_the_usual_ones_stays_when_another_is_changed(owner: Client, project: Project) -> None:
    """The form sends all four; whoever runs the installation gave one that an owner may not give."""
    owner.post(KEYS, {"name": "Our app", "scope": "read"})
    key = ApiKey.objects.get()
    raised = {"requests": "300000/minute"}
    change_rate_limits(project_id=project.id, key_id=key.id, changes=raised, by=TESTER, may_raise=True)

    owner.post(f"{KEYS}{key.id}/limits/", {**raised, "previews": "10/hour"})

    assert ApiKey.objects.get().rate_limits == {**raised, "previews": "10/hour"}
