from types import SimpleNamespace
from uuid import UUID

import pytest
from django.test import RequestFactory
from rest_framework.request import Request

from web.actor import Actor
from web.authentication import Credentials, HasScope
from web.errors import NotAllowed, NotFound

ME, OTHER = UUID(int=1), UUID(int=2)


def ask(
    method: str = "GET",
    *,
    held: str = "read",
    token: UUID | None = None,
    scopes: dict[str, str] | None = None,
    opened: bool | tuple[str, ...] = False,
    relationship_id: UUID | None = None,
) -> bool:
    request = Request(RequestFactory().generic(method, "/"))
    request.auth = Credentials(
        UUID(int=9), frozenset([held]), Actor.policy("x"), UUID(int=8), relationship_id=token
    )
    view = SimpleNamespace(
        scopes=scopes or {},
        open_to_tokens=opened,
        request=request,
        kwargs={"relationship_id": relationship_id} if relationship_id else {},
    )
    return HasScope().has_permission(request, view)


@pytest.mark.parametrize(
    ("method", "held", "fine"),
    [
        ("GET", "read", True),
        ("HEAD", "read", True),
        ("POST", "read", False),
        ("DELETE", "read", False),
        ("PROPFIND", "read", False),
        ("POST", "write", True),
        ("GET", "write", True),
        ("DELETE", "admin", True),
    ],
)
def test_reading_needs_read_and_anything_else_write(method: str, held: str, fine: bool) -> None:
    if fine:
        assert ask(method, held=held)
    else:
        with pytest.raises(NotAllowed):
            ask(method, held=held)


def test_a_view_may_ask_for_more_or_less() -> None:
    assert ask("POST", held="read", scopes={"POST": "read"})
    with pytest.raises(NotAllowed, match="admin"):
        ask("GET", held="write", scopes={"GET": "admin"})


def test_a_token_enters_where_it_is_let_in_and_only_its_own_relationship() -> None:
    assert ask(token=ME, opened=True, relationship_id=ME)
    with pytest.raises(NotAllowed):
        ask(token=ME, relationship_id=ME)
    with pytest.raises(NotFound):
        ask(token=ME, opened=True, relationship_id=OTHER)
    with pytest.raises(NotFound):
        ask(token=ME, opened=True)


def test_a_view_may_let_tokens_in_for_some_methods() -> None:
    assert ask("GET", held="write", token=ME, opened=("GET",), relationship_id=ME)
    with pytest.raises(NotAllowed):
        ask("PATCH", held="write", token=ME, opened=("GET",), relationship_id=ME)


def test_a_request_without_credentials_may_nothing() -> None:
    request = Request(RequestFactory().get("/"))
    request.auth = None

    assert not HasScope().has_permission(request, SimpleNamespace())
