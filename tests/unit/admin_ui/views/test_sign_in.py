import re
from html import unescape

from django.conf import LazySettings
from django.test import Client

from relationships.models import Operator, Profile, Relationship

SIGN_IN = "/admin-ui/sign-in/"


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


def test_a_form_that_was_sent_after_the_session_ended_is_offered_again(
    owner: Client, client: Client, relationship: Relationship
) -> None:
    """Whatever it says, past a wrong password, and to who signed in meanwhile in another tab."""
    page = f"/admin-ui/relationships/{relationship.id}/profile/"
    said = {"document": '\n{"likes": "<b>tea</b> \u0634\u0627\u064a"}', "version": "0"}
    shown = client.post(page, said, HTTP_HOST="localhost", headers={"Referer": f"http://localhost{page}"})
    assert shown.status_code == 401 and not Profile.objects.exists()
    unsent = re.search(r'name="unsent" value="([^"]+)"', shown.content.decode())
    assert unsent is not None
    sent = {"username": "owner@example.org", "password": "wrong", "next": page, "unsent": unsent[1]}

    assert unsent[1] in client.post(SIGN_IN, sent, HTTP_HOST="localhost").content.decode()
    sent["password"] = "a long pass phrase"
    for browser in (client, owner):
        offered = browser.post(SIGN_IN, sent, HTTP_HOST="localhost").content.decode()
        assert f'action="{page}"' in offered and f'href="{page}">Discard' in offered
        fields = re.findall(r'<textarea name="(\w+)"[^>]*>\n([^<]*)</textarea>', offered)
        assert {name: unescape(value) for name, value in fields} == said
    client.post(page, said, HTTP_HOST="localhost")
    assert Profile.objects.get().data == {"likes": "<b>tea</b> \u0634\u0627\u064a"}


def test_what_no_sign_in_page_has_carried_is_not_offered(owner: Client) -> None:
    assert owner.post(SIGN_IN, {"unsent": "made:up"}).status_code == 302


def test_a_form_in_another_encoding_is_refused(db: None) -> None:
    browser = Client(enforce_csrf_checks=True, HTTP_HOST="localhost")
    browser.get(SIGN_IN)  # for the cookie, without which nobody reads the form

    refused = browser.post(SIGN_IN, "a=b", "application/x-www-form-urlencoded; charset=utf-7")

    assert refused.status_code == 400
    assert "read this request" in refused.content.decode()
