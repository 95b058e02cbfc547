"""What holds of every page there is: each address of admin_ui.urls is walked, so that a new one is walked too."""

import re
from typing import Any
from urllib.parse import urlencode

import pytest
from django.template.loader import render_to_string
from django.test import Client
from django.urls import URLPattern, reverse
from pytest_django import DjangoAssertNumQueries

from admin_ui.access import OperatorView
from admin_ui.urls import urlpatterns
from relationships.models import Role
from tests.fixtures.operators import Browser
from tests.fixtures.turns import Conversation
from tests.unit.admin_ui.full_house import SCRIPT, FullHouse, furnish

MOST_STATEMENTS = 12
PATTERNS: dict[str, URLPattern] = {str(pattern.name): pattern for pattern in urlpatterns}
# The whole of what they answer is a file, which a browser saves and does not show.
FILES = {"audit_export", "relationship_export"}
# Open to who is signed in to nothing, or for any role: they change the operator's own browser alone.
ONES_OWN = {"sign_in", "sign_out", "choose_project", "theme"}
QUERIES = {
    "companion_prompt": ["version=1", "relationship={relationship_id}"],
    "companion_documents": ["question=stove"],
    "relationship": ["order=type&state=any", "text=script"],
    "relationship_preview": ["message=Hello"],
    "relationship_time": ["step=0", "by=known"],
    "relationships": ["text=alert", "waits=1", "person=alert"],
    "turns": ["state=pending", "reason=alert"],
}


def answers(name: str, method: str) -> bool:
    view = PATTERNS[name].callback.view_class  # type: ignore[attr-defined]
    return method in view.http_method_names and hasattr(view, method)


READ = sorted(name for name in PATTERNS if answers(name, "get") and name != "sign_in")
WRITTEN = sorted(name for name in PATTERNS if answers(name, "post"))


@pytest.fixture
def house(conversation: Conversation) -> FullHouse:
    return furnish(conversation)


@pytest.fixture
def owner(signed_in: Browser) -> Client:
    return signed_in(Role.OWNER)


def address(name: str, house: FullHouse) -> str:
    wanted = PATTERNS[name].pattern.converters
    return reverse(f"admin_ui:{name}", kwargs={part: house.ids[part] for part in wanted})


def addresses(name: str, house: FullHouse) -> list[str]:
    plain = address(name, house)
    if name == "relationship_session":
        return [f"{plain}?{urlencode({'session': house.wild('session')})}"]
    return [plain, *(f"{plain}?{query.format(**house.ids)}" for query in QUERIES.get(name, []))]


def shown(answer: Any) -> str:
    body: bytes = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return body.decode()


@pytest.mark.parametrize("name", sorted(set(READ) - FILES))
def test_every_page_opens_in_a_dozen_statements(
    name: str, owner: Client, house: FullHouse, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for wanted in addresses(name, house):
        with django_assert_max_num_queries(MOST_STATEMENTS):
            answer = owner.get(wanted)
            assert answer.status_code == 200
            assert shown(answer)


def test_what_anybody_typed_is_shown_somewhere_and_run_nowhere(owner: Client, house: FullHouse) -> None:
    seen: set[str] = set()
    for name in [name for name in READ if name not in FILES]:
        for wanted in addresses(name, house):
            page = shown(owner.get(wanted))
            assert SCRIPT not in page, f"{wanted} would run what somebody typed"
            assert "{{ 7|add:1 }}" in page or "{{ 7" not in page
            seen |= set(re.findall(r"&lt;script&gt;alert\(&#x27;(\w+)&#x27;\)", page))

    assert house.typed - seen == set()


@pytest.mark.parametrize("name", sorted(set(WRITTEN) - ONES_OWN))
def test_a_viewers_request_to_change_anything_is_refused(name: str, viewer: Client, house: FullHouse) -> None:
    answer = viewer.post(address(name, house), {"do": "delete", "decision": "confirm"})

    assert answer.status_code == 403
    assert "Your role here is viewer" in answer.content.decode()


@pytest.mark.parametrize("name", WRITTEN)
def test_a_request_without_its_csrf_token_is_refused(name: str, owner: Client, house: FullHouse) -> None:
    owner.handler.enforce_csrf_checks = True

    answer = owner.post(address(name, house), {"do": "delete"})

    assert answer.status_code == 403
    assert "open the page anew" in answer.content.decode()


@pytest.mark.parametrize("name", sorted(set(READ) - FILES))
def test_every_form_that_writes_carries_its_token(name: str, owner: Client, house: FullHouse) -> None:
    for wanted in addresses(name, house):
        forms = re.findall(r"<form[^>]*method=\"post\".*?</form>", shown(owner.get(wanted)), re.DOTALL)
        assert all("csrfmiddlewaretoken" in form for form in forms)


@pytest.mark.parametrize("name", sorted(set(PATTERNS) - {"sign_in"}))
def test_who_is_not_signed_in_sees_and_changes_nothing(name: str, client: Client, house: FullHouse) -> None:
    for method in ("get", "post"):
        answer = getattr(client, method)(address(name, house), HTTP_HOST="localhost")
        assert answer.status_code in (302, 405)
        assert SCRIPT not in answer.content.decode()


@pytest.mark.parametrize("name", sorted(set(PATTERNS) - ONES_OWN))
def test_a_method_that_a_page_does_not_know_is_refused(name: str, owner: Client, house: FullHouse) -> None:
    assert issubclass(PATTERNS[name].callback.view_class, OperatorView)  # type: ignore[attr-defined]

    assert owner.delete(address(name, house)).status_code == 405
    assert owner.head(addresses(name, house)[0]).status_code == (200 if name in READ else 405)
    if name not in WRITTEN:
        assert owner.post(address(name, house)).status_code == 405


def test_an_address_that_leads_nowhere_is_a_page_that_says_so(owner: Client) -> None:
    answer = owner.get("/admin-ui/nowhere/")

    assert answer.status_code == 404
    assert "There is nothing at this address." in answer.content.decode()
    assert "style.css" in answer.content.decode()


@pytest.mark.parametrize("status", [400, 403, 500])
def test_the_page_of_a_crash_needs_nothing_but_itself(status: int) -> None:
    shown = render_to_string(f"{status}.html")

    assert "To the overview" in shown
    assert "csrf" not in shown
