"""What holds of every page there is: each address of admin_ui.urls is walked, so that a new one is walked too."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import pytest
from django.apps import apps
from django.db import transaction
from django.template.loader import render_to_string
from django.test import Client
from django.urls import URLPattern, reverse
from pytest_django import DjangoAssertNumQueries
from pytest_django.plugin import DjangoDbBlocker

from admin_ui.access import OperatorView
from admin_ui.urls import urlpatterns
from relationships.models import Companion, Membership, Operator, Project, Role
from tests.fixtures.markup import squeezed
from tests.fixtures.operators import Browser, browser_of
from tests.fixtures.people import meet, meet_elsewhere
from tests.fixtures.turns import Conversation
from tests.guards.sources import APPS
from tests.unit.admin_ui.hostile_project import SCRIPT, HostileProject, hostile_project

MOST_STATEMENTS = 12
PATTERNS: dict[str, URLPattern] = {str(pattern.name): pattern for pattern in urlpatterns}
# The whole of what they answer is a file, which a browser saves and does not show.
FILES = {"audit_export", "relationship_export"}
# Open to who is signed in to nothing, or for any role: they change the operator's own browser or account alone.
ONES_OWN = {"sign_in", "sign_out", "choose_project", "theme", "invitation"}
# What only an owner changes; anything else is an editor's.
OF_OWNERS = {
    *(
        "key_limits",
        "key_revoke",
        "keys",
        "operator_role",
        "operators",
        "overview",
        "project",
        "relationship_data",
    ),
    *("relationship_erase_entry", "relationship_redact", "relationship_revoke_token", "relationship_tokens"),
}
QUERIES = {
    "companion_prompt": ["version=1", "relationship={relationship_id}"],
    "companion_behaviours": ["relationship={relationship_id}", "name=greet"],
    "companion_documents": ["question=stove"],
    "relationship": ["order=type&state=any", "text=script&about=Ana"],
    "relationship_commit": ["base=main"],
    "relationship_conversation": ["from=0", "before=9", "after=0", "at=2020-01-01", "session=x", "q=script"],
    "relationship_near": ["message=What+was+the+stove+again"],
    "relationship_preview": ["message=Hello"],
    "relationship_time": ["step=0", "by=known"],
    "relationships": ["text=alert", "waits=1", "person=alert"],
    "turns": ["state=pending", "reason=alert", "order=-cost"],
}


def view_of(name: str) -> Any:
    return PATTERNS[name].callback.view_class  # type: ignore[attr-defined]


def answers(name: str, method: str) -> bool:
    return method in view_of(name).http_method_names and hasattr(view_of(name), method)


def needed_to_write(name: str) -> Role:
    needed: Role = view_of(name).needs_to_write
    return needed


def refused_to(role: Role) -> list[str]:
    """The addresses whose POST is for a higher role."""
    order = [Role.VIEWER, Role.EDITOR, Role.OWNER]
    above = order[order.index(role) + 1 :]
    return [name for name in WRITTEN if name not in ONES_OWN and needed_to_write(name) in above]


def row_counts() -> dict[str, int]:
    ours = [model for model in apps.get_models() if model._meta.app_label in APPS]
    return {model.__name__: model._base_manager.count() for model in ours}


def rows_of(hostile: HostileProject) -> dict[str, list[tuple[Any, ...]]]:
    """All rows of the project, as they are."""
    ours = [model for model in apps.get_models() if "project" in {field.name for field in model._meta.fields}]
    of_project = {"project_id": hostile.owned["project_id"]}
    return {
        model.__name__: sorted(model._base_manager.filter(**of_project).values_list(), key=repr)
        for model in ours
    }


# Whose pages need no membership have tests of their own.
READ = sorted(name for name in PATTERNS if answers(name, "get") and name not in ("sign_in", "invitation"))
WRITTEN = sorted(name for name in PATTERNS if answers(name, "post") and name != "invitation")


@pytest.fixture(scope="module")
def made(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[HostileProject]:
    """The same for all tests of this file, each of which begins with it as it was made."""
    with django_db_blocker.unblock(), transaction.atomic():
        project = Project.objects.create(name="Test project")
        companion = Companion.objects.create(project=project, slug="ada", name="Ada")
        yield hostile_project(Conversation(meet(companion)))
        transaction.set_rollback(True)


@pytest.fixture
def db(made: HostileProject) -> Iterator[None]:
    """Replaces pytest-django's fixture, which would close the connection with that transaction."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def hostile(made: HostileProject, db: None) -> HostileProject:
    return made


@pytest.fixture
def project(hostile: HostileProject) -> Project:
    return Project.objects.get(id=hostile.owned["project_id"])


def address(name: str, hostile: HostileProject) -> str:
    wanted = PATTERNS[name].pattern.converters
    return reverse(f"admin_ui:{name}", kwargs={part: hostile.ids[part] for part in wanted})


def addresses(name: str, hostile: HostileProject) -> list[str]:
    plain = address(name, hostile)
    if name == "relationship_file":
        return [f"{plain}?{urlencode({'path': 'notes.md'})}"]
    if name == "relationship_session":
        return [f"{plain}?{urlencode({'session': hostile.wild('session')})}"]
    return [plain, *(f"{plain}?{query.format(**hostile.ids)}" for query in QUERIES.get(name, []))]


def shown(answer: Any) -> str:
    body: bytes = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return body.decode()


PAGES = sorted(set(READ) - FILES)


def test_every_page_opens_in_few_statements_and_runs_nothing_that_anybody_typed(
    owner: Client, hostile: HostileProject, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    """Each text is shown somewhere, and each form carries its token."""
    seen: set[str] = set()
    for name in PAGES:
        for wanted in addresses(name, hostile):
            with django_assert_max_num_queries(MOST_STATEMENTS, info=wanted):
                answer = owner.get(wanted)
            page = shown(answer)
            assert (answer.status_code, bool(page)) == (200, True), wanted
            forms = re.findall(r"<form[^>]*method=\"post\".*?</form>", page, re.DOTALL)
            assert all("csrfmiddlewaretoken" in form for form in forms), wanted
            assert SCRIPT not in page, f"{wanted} would run what somebody typed"
            assert "{{ 7|add:1 }}" in page or "{{ 7" not in page
            seen |= set(re.findall(r"&lt;script&gt;alert\(&#x27;(\w+)&#x27;\)", page))

    assert hostile.typed - seen == set()


@pytest.mark.parametrize("role", [Role.VIEWER, Role.EDITOR])
def test_a_role_below_the_one_that_is_needed_changes_nothing(
    role: Role, signed_in: Browser, hostile: HostileProject
) -> None:
    client, before = signed_in(role), row_counts()
    refused = refused_to(role)

    for name in refused:
        answer = client.post(address(name, hostile), {"do": "delete", "decision": "confirm", "role": "none"})
        assert answer.status_code == 403, name
        assert f"Your role in this project is {role}; this requires " in answer.content.decode()
    assert row_counts() == before
    assert set(refused) == (OF_OWNERS if role == Role.EDITOR else set(WRITTEN) - ONES_OWN)


@pytest.mark.parametrize("parts", ["all", "the last"])
def test_an_owner_of_another_project_sees_and_changes_nothing(parts: str, hostile: HostileProject) -> None:
    """By addresses whose IDs are all of this project, and by those of their own relationship and companion with the
    last ID of this one's.
    """
    theirs = meet_elsewhere()
    stranger = Operator.objects.create_user("stranger@example.org", "a long pass phrase")
    Membership.objects.create(operator=stranger, project=theirs.project, role=Role.OWNER)
    client, before = browser_of(stranger), rows_of(hostile)
    if parts == "the last":
        own = {"relationship_id": theirs.id, "companion_id": theirs.companion_id}
        hostile = replace(hostile, ids=hostile.ids | own)
    sent = {
        "do": "delete",
        "role": "none",
        "verb": "erase",
        "entry": hostile.ids["entry_id"],
        "path": "notes.md",
    }

    for name in sorted(set(PATTERNS) - ONES_OWN):
        for wanted in addresses(name, hostile) if name in READ else ():
            assert "&lt;script&gt;alert" not in shown(client.get(wanted)), wanted
        if name in WRITTEN:
            assert "&lt;script&gt;alert" not in shown(client.post(address(name, hostile), sent)), name
    assert rows_of(hostile) == before


@pytest.mark.parametrize("role", [Role.VIEWER, Role.EDITOR])
def test_a_page_offers_a_role_only_what_it_may_do(
    role: Role, signed_in: Browser, hostile: HostileProject
) -> None:
    client = signed_in(role)
    refused = {address(name, hostile) for name in refused_to(role)}
    for name in PAGES:
        for wanted in addresses(name, hostile):
            page = client.get(wanted)
            if page.status_code == 403:
                continue
            for opening, inside in re.findall(
                r"(<form[^>]*method=\"post\"[^>]*>)(.*?)</form>", shown(page), re.DOTALL
            ):
                action = re.search(r'action="([^"?]*)', opening)
                leads_to = action[1] if action else wanted.partition("?")[0]
                assert "<button" not in inside or leads_to not in refused, f"{wanted} offers {leads_to}"


def test_a_request_without_its_csrf_token_is_refused(owner: Client, hostile: HostileProject) -> None:
    owner.handler.enforce_csrf_checks = True
    for name in WRITTEN:
        answer = owner.post(address(name, hostile), {"do": "delete"})
        assert answer.status_code == 403, name
        assert "reload the page" in squeezed(answer)


def test_who_is_not_signed_in_sees_and_changes_nothing(client: Client, hostile: HostileProject) -> None:
    before = row_counts()
    for name in sorted(set(PATTERNS) - {"sign_in", "invitation"}):
        for method in ("get", "post"):
            answer = getattr(client, method)(address(name, hostile), HTTP_HOST="localhost")
            assert answer.status_code in (302, 405), name
            assert SCRIPT not in answer.content.decode()
    assert row_counts() == before


def test_a_method_that_a_page_does_not_know_is_refused(owner: Client, hostile: HostileProject) -> None:
    for name in sorted(set(PATTERNS) - ONES_OWN):
        assert issubclass(view_of(name), OperatorView)
        assert owner.delete(address(name, hostile)).status_code == 405, name
        assert owner.head(addresses(name, hostile)[0]).status_code == (200 if name in READ else 405), name
        if name not in WRITTEN:
            assert owner.post(address(name, hostile)).status_code == 405, name


def test_an_address_that_leads_nowhere_is_a_page_that_says_so(owner: Client) -> None:
    answer = owner.get("/admin-ui/nowhere/")

    assert answer.status_code == 404
    assert "There is no page at this address." in answer.content.decode()
    assert "style.css" in answer.content.decode()


@pytest.mark.parametrize("status", [400, 403, 500])
def test_the_page_of_a_crash_needs_nothing_but_itself(status: int) -> None:
    shown = render_to_string(f"{status}.html")

    assert "Back to the overview" in shown
    assert "csrf" not in shown
