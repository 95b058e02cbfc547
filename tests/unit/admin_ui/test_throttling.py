from datetime import timedelta
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.conf import LazySettings
from django.test import Client, RequestFactory
from django.utils import timezone

from admin_ui.throttling import client_address, time_left
from relationships.models import Operator

EMAIL, PASSWORD = "ana@example.org", "a long pass phrase"
SAID = "what is remembered"


@pytest.fixture
def ana(db: None) -> Operator:
    return Operator.objects.create_superuser(EMAIL, PASSWORD)


def try_to_sign_in(client: Client, password: str, *, email: str = EMAIL, query: str = "", **more: Any) -> Any:
    sent = {"username": email, "password": password, "unsent": SAID}
    return client.post(f"/admin-ui/sign-in/{query}", sent, HTTP_HOST="localhost", **more)


def test_after_a_handful_of_wrong_passwords_the_page_says_how_long_to_wait(
    client: Client, ana: Operator, settings: LazySettings
) -> None:
    answers = [try_to_sign_in(client, "wrong") for _ in range(settings.AXES_FAILURE_LIMIT)]

    assert [answer.status_code for answer in answers] == [200, 200, 200, 200, 429]
    assert "Try again in 5 minutes." in answers[-1].content.decode()
    assert 0 < int(answers[-1]["Retry-After"]) <= 300
    assert "Content-Security-Policy" in answers[-1]


def test_the_right_password_waits_too_and_the_wait_does_not_grow(
    client: Client, ana: Operator, settings: LazySettings
) -> None:
    for _ in range(settings.AXES_FAILURE_LIMIT):
        try_to_sign_in(client, "wrong")
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=3, seconds=30))

    refused = try_to_sign_in(client, PASSWORD)

    assert refused.status_code == 429
    assert "in 2 minutes" in refused.content.decode()

    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=6))
    assert try_to_sign_in(client, PASSWORD).status_code == 302


def test_another_address_is_not_kept_waiting(client: Client, ana: Operator, settings: LazySettings) -> None:
    for _ in range(settings.AXES_FAILURE_LIMIT):
        try_to_sign_in(client, "wrong")

    assert try_to_sign_in(client, PASSWORD, REMOTE_ADDR="198.51.100.7").status_code == 302


def test_one_password_for_many_accounts_makes_the_address_wait(
    client: Client, ana: Operator, settings: LazySettings
) -> None:
    settings.AXES_FAILURE_LIMIT = 2
    there = {"REMOTE_ADDR": "9.9.9.9"}
    answers = [
        try_to_sign_in(client, "wrong", email=f"{number}@example.org", **there) for number in range(20)
    ]

    refused = try_to_sign_in(client, PASSWORD, **there)

    assert {answer.status_code for answer in answers} == {200}
    assert refused.status_code == 429 and "Try again in 5 minutes." in refused.content.decode()
    assert try_to_sign_in(client, PASSWORD, REMOTE_ADDR="198.51.100.7").status_code == 302
    client.logout()
    AccessAttempt.objects.update(attempt_time=timezone.now() - timedelta(minutes=6))
    assert try_to_sign_in(client, PASSWORD, **there).status_code == 302


def test_an_address_that_may_be_a_proxys_does_not_keep_everybody_waiting(
    client: Client, ana: Operator, settings: LazySettings
) -> None:
    settings.AXES_FAILURE_LIMIT = 2
    for number in range(20):
        try_to_sign_in(client, "wrong", email=f"{number}@example.org", REMOTE_ADDR="172.17.0.1")

    assert try_to_sign_in(client, PASSWORD, REMOTE_ADDR="172.17.0.1").status_code == 302


def test_signing_in_forgets_the_wrong_passwords_before_it(
    client: Client, ana: Operator, settings: LazySettings
) -> None:
    for _ in range(settings.AXES_FAILURE_LIMIT - 1):
        try_to_sign_in(client, "wrong")
    assert try_to_sign_in(client, PASSWORD).status_code == 302

    assert AccessAttempt.objects.count() == 0
    assert time_left(EMAIL, "127.0.0.1") == timedelta()


def test_nothing_of_an_unsent_form_is_kept_with_a_wrong_password(client: Client, ana: Operator) -> None:
    for _ in range(2):
        try_to_sign_in(client, "wrong", query=f"?next=/admin-ui/turns/?text={SAID}")

    attempt = AccessAttempt.objects.get()
    assert attempt.failures_since_start == 2
    assert SAID not in attempt.post_data + attempt.get_data


@pytest.mark.parametrize(
    ("proxies", "told", "address"),
    [
        (0, {}, "192.0.2.1"),
        (0, {"HTTP_X_FORWARDED_FOR": "198.51.100.7"}, "192.0.2.1"),
        (1, {"HTTP_X_FORWARDED_FOR": "203.0.113.9, 198.51.100.7"}, "198.51.100.7"),
        (2, {"HTTP_X_FORWARDED_FOR": "203.0.113.9, 198.51.100.7"}, "203.0.113.9"),
        (2, {"HTTP_X_FORWARDED_FOR": "198.51.100.7"}, "192.0.2.1"),
        (1, {"HTTP_X_FORWARDED_FOR": "no address"}, None),
        (0, {"REMOTE_ADDR": ""}, None),
        (0, {"REMOTE_ADDR": "2001:db8::1:2:3:4"}, "2001:db8::"),  # all of a network is one
    ],
)
def test_only_our_own_proxies_are_believed(
    proxies: int, told: dict[str, Any], address: str | None, settings: LazySettings
) -> None:
    settings.PROXIES = proxies

    assert client_address(RequestFactory().post("/", **{"REMOTE_ADDR": "192.0.2.1", **told})) == address
