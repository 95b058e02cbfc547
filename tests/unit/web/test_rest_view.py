from typing import Any

import pytest
from django.test import RequestFactory
from rest_framework.request import Request

from web.errors import InvalidInput, TooMuch
from web.fields import Body, PageQuery
from web.operations import operation, operation_of
from web.rest_view import RestView


class Note(Body):
    text: str = "nothing"


class Filters(PageQuery):
    tag: list[str] = []
    type: str | None = None


def view_of(request: Any) -> RestView:
    view = RestView()
    view.request = Request(request)
    return view


def test_an_optional_body_may_be_empty() -> None:
    view = view_of(RequestFactory().generic("POST", "/", b""))

    assert view.body(Note, optional=True).text == "nothing"


def test_an_optional_body_that_is_there_counts() -> None:
    view = view_of(RequestFactory().post("/", {"text": "hello"}, content_type="application/json"))

    assert view.body(Note, optional=True).text == "hello"


def test_a_view_may_take_longer_bodies() -> None:
    class Long(RestView):
        def max_body_bytes(self) -> int:
            return 20

    view = Long()
    view.request = Request(
        RequestFactory().generic("POST", "/", b'{"text": "12345678901"}', "application/json")
    )

    with pytest.raises(TooMuch) as caught:
        view.json()
    assert caught.value.extra == {"limit": 20}


def test_a_parameter_may_stand_several_times_where_a_list_is_taken() -> None:
    view = view_of(RequestFactory().get("/?tag=a&tag=b&limit=7"))

    query = view.query(Filters)
    assert (query.tag, query.limit, query.type) == (["a", "b"], 7, None)


def test_anywhere_else_it_stands_once() -> None:
    with pytest.raises(InvalidInput, match="give it once"):
        view_of(RequestFactory().get("/?type=a&type=b")).query(Filters)


def test_an_unknown_parameter_is_answered_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="known: limit, cursor, tag, type"):
        view_of(RequestFactory().get("/?kind=a")).query(Filters)


def test_a_declaration_is_found_by_method_and_head_is_get() -> None:
    class Notes(RestView):
        @operation("notes_list", "List notes", answers={200: Note})
        def get(self, request: Request) -> None:
            """Nothing to do."""

    found = operation_of(Notes(), "HEAD")
    assert found is not None
    assert found.id == "notes_list"
    assert operation_of(Notes(), "POST") is None
