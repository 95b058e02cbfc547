from django.conf import LazySettings
from django.test import Client

from relationships.models import Operator


def test_an_operator_signs_in_with_an_email_address_and_out_again(client: Client, db: None) -> None:
    Operator.objects.create_superuser("ana@example.org", "a long pass phrase")
    sent = {"username": "ana@example.org", "password": "a long pass phrase", "next": "/admin-ui/turns/"}

    assert client.post("/admin-ui/sign-in/", sent, HTTP_HOST="localhost")["Location"] == "/admin-ui/turns/"
    assert client.post("/admin-ui/sign-out/", HTTP_HOST="localhost")["Location"] == "/admin-ui/sign-in/"
    assert client.get("/admin-ui/turns/", HTTP_HOST="localhost").status_code == 302


def test_nobody_is_led_to_another_site(client: Client, db: None) -> None:
    Operator.objects.create_superuser("ana@example.org", "a long pass phrase")
    sent = {
        "username": "ana@example.org",
        "password": "a long pass phrase",
        "next": "https://elsewhere.example/",
    }

    assert client.post("/admin-ui/sign-in/", sent, HTTP_HOST="localhost")["Location"] == "/admin-ui/"


def test_a_sign_in_ends_by_itself(client: Client, db: None, settings: LazySettings) -> None:
    Operator.objects.create_superuser("ana@example.org", "a long pass phrase")
    sent = {"username": "ana@example.org", "password": "a long pass phrase"}

    cookie = client.post("/admin-ui/sign-in/", sent, HTTP_HOST="localhost").cookies["sessionid"]

    assert cookie["max-age"] == settings.SESSION_COOKIE_AGE == 12 * 3600
    assert cookie["httponly"]
