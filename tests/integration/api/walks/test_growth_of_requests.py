"""Every route is sent the nastiest bodies it lawfully can be: what they cost grows as they do, and answers stay small.

Work is the CPU time of the thread that answers (tests/growth.py); the database's is not in it. Each route gets bodies as
large as it takes, of some shapes here and of all with RAPPORT_DRILLS=long: what is answered in QUICK seconds is quick
enough, whatever it grows with, as nothing larger is taken. An archive has nearly two thousand parts: each is made a
megabyte long, and a few as long as an archive may be.
"""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import orjson
import pytest
from django.conf import settings
from django.db import transaction
from pytest_django.fixtures import Settings

from tests.acceptance.drills.talk import LONG
from tests.fixtures.api import Api, ApiAnswer
from tests.fixtures.documents import multipart
from tests.growth import MOST, TIMES, growth, seconds
from tests.guards.routes import Route, routes
from tests.integration.api.walks.lawful import TEXTS, Made, body_of, inflations, numbered
from tests.integration.api.world import World
from web.uploads import MULTIPART

pytestmark = pytest.mark.drill
QUICK = 1.0  # seconds
# Seconds, for what grows in proportion, on a machine that others use; of an archive for each four megabytes: it has
# threads of its own.
SLOWEST = 4.0
SOME = 10  # parts of a body; of one with more the suite blows up so many, others than of the route before
AT_ONCE = 100  # parts in one test
LONGEST_ANSWER = 20_000  # bytes of a refusal
TAKES_ANYTHING = "/profile"  # and is therefore sent every shape
Shape = Callable[[int], bytes]


def members(size: int, value: str = "1") -> str:
    return numbered(size, f'"n#":{value}')


SHAPES: dict[str, Shape] = {
    "names twice": lambda size: f"{{{members(size // 2)},{members(size // 2)}}}".encode(),
    "wide": lambda size: f"{{{members(size)}}}".encode(),
    "nulls": lambda size: f"{{{members(size, 'null')}}}".encode(),
    "long name": lambda size: b'{"%b":{%b}}' % (b"k" * (size // 2), members(size // 2).encode()),
    "deep": lambda size: b'{"a":' * 30 + b'"' + b"x" * size + b'"' + b"}" * 30,
    "too deep": lambda size: b'{"a":' * (size // 6) + b"1" + b"}" * (size // 6),
    "objects": lambda size: b'{"a":[%b]}' % b",".join([b"{}"] * (size // 3)),
    "NULs": lambda size: b'{"a":["%b"]}' % b'","'.join([b"\\u0000"] * (size // 9)),
}


@pytest.fixture(autouse=True)
def nobody_waits(settings: Settings) -> None:
    settings.MAX_WAIT_SECONDS = 0


def sent(api: Api, method: str, address: str, body: bytes, content_type: str) -> ApiAnswer:
    """Each request meets the same world."""
    with transaction.atomic():
        answer = api.send(method, address, body, content_type)
        transaction.set_rollback(True)
    assert answer.status < 500
    assert answer.status < 400 or len(answer.raw) < LONGEST_ANSWER
    return answer


def named(route: Route) -> str:
    return f"{route.method} {route.path}"


WITH_BODY = [route for route in routes() if route.method in ("POST", "PUT", "PATCH")]
WITH_LAWFUL = [route for route in WITH_BODY if body_of(route.method, route.path)]
WITH_NONE = [route for route in routes() if route.method in ("GET", "DELETE")]


def parts_of(place: int) -> list[tuple[str, Made]]:
    """Of the route's body, each with how to make it long."""
    body = body_of(WITH_LAWFUL[place].method, WITH_LAWFUL[place].path)
    assert body is not None
    parts = list(inflations(*body))
    step = 1 if LONG else 1 + len(parts) // SOME
    return parts[place % step :: step]


LAWFUL = [
    (place, first) for place in range(len(WITH_LAWFUL)) for first in range(0, len(parts_of(place)), AT_ONCE)
]


def hold(
    api: Api, world: World, route: Route, name: str, shape: Shape, *, longest: int = settings.MAX_BODY_BYTES
) -> None:
    """To its size, and to what a thread has time for."""
    address, most = world.address(route.path), SLOWEST * max(1.0, longest / (4 * settings.MAX_BODY_BYTES))
    longest -= 200

    def send(body: bytes) -> None:
        sent(api, route.method, address, body, "application/json")

    if ratio := growth(send, lambda size: shape(size)[:longest], size=longest // TIMES, fast=QUICK):
        assert ratio < MOST, name
        assert min(seconds(send, shape(longest)[:longest]) for _ in range(2)) < most, name


@pytest.mark.parametrize("place", range(len(WITH_BODY)), ids=lambda place: named(WITH_BODY[place]))
def test_a_body_of_any_shape_costs_no_more_than_it_is_long(api: Api, world: World, place: int) -> None:
    names, route = list(SHAPES), WITH_BODY[place]
    some = (names[place % len(names)], names[(place + 3) % len(names)])
    for name in names if LONG or route.path.endswith(TAKES_ANYTHING) else some:
        hold(api, world, route, name, SHAPES[name])


@pytest.mark.parametrize(
    ("place", "first"), LAWFUL, ids=[f"{named(WITH_LAWFUL[place])} {first}" for place, first in LAWFUL]
)
def test_the_longest_lawful_body_costs_no_more_than_it_is_long(
    api: Api, world: World, place: int, first: int
) -> None:
    for name, made in parts_of(place)[first : first + AT_ONCE]:
        hold(api, world, WITH_LAWFUL[place], name, partial(_fitting, made))


@pytest.mark.skipif(not LONG, reason="with RAPPORT_DRILLS=long: a quarter of a minute each")
@pytest.mark.parametrize("number", range(SOME))
def test_the_longest_lawful_archive_costs_no_more_than_it_is_long(
    api: Api, world: World, number: int
) -> None:
    place = next(place for place, route in enumerate(WITH_LAWFUL) if route.path.endswith("/import"))
    parts = parts_of(place)
    name, made = parts[number * len(parts) // SOME]
    shape = partial(_fitting, made)
    hold(api, world, WITH_LAWFUL[place], name, shape, longest=settings.MAX_IMPORT_BYTES)


def _fitting(made: Made, size: int) -> bytes:
    """As JSON no longer than `size`: its quotes and escapes come on top of what it was made of."""
    raw = orjson.dumps(made(size))
    return raw if len(raw) <= size else orjson.dumps(made(int(size * size / len(raw) * 0.97) - 100))


def many_wrong(member: str, each: bytes) -> Shape:
    return lambda size: (
        b'{"format":"rapport.relationship","version":1,"%b":[%b]}'
        % (
            member.encode(),
            b",".join([each] * (size // (len(each) + 1))),
        )
    )


@pytest.mark.parametrize("member", ["turns", "entries", "revisions", "model_calls", "sessions"])
def test_an_archive_of_wrong_rows_is_refused_by_the_first_few(api: Api, world: World, member: str) -> None:
    answer = sent(
        api,
        "POST",
        world.address("/relationships/{relationship_id}/import"),
        many_wrong(member, b"{}")(16_000),
        "application/json",
    )

    assert answer.status == 422
    assert 1 <= len(answer.fields) <= 20
    assert all(field.startswith(f"{member}.") for field in answer.fields)


def of_text(**body: Any) -> Callable[[str], bytes]:
    """`body` with the text in the place of `...`, wherever that stands."""
    return lambda text: json.dumps(body).replace('"..."', json.dumps(text)).encode()


QUERY, MESSAGE = 2000, 16_000  # characters: a quarter of what is taken
SPOKEN: list[tuple[str, str, int, Callable[[str], bytes]]] = [
    ("POST", "/turns", MESSAGE, of_text(messages=[{"role": "user", "content": "..."}])),
    ("POST", "/context", MESSAGE, of_text(message="...", explain=True)),
    ("POST", "/entries/search", QUERY, of_text(query="...", explain=True)),
    ("POST", "/messages/search", QUERY, of_text(query="...", explain=True)),
    ("PUT", "/profile", MESSAGE, of_text(note="...", more={"...": ["..."]})),
    ("PATCH", "/sessions/web", MESSAGE, of_text(note="...")),
]


@pytest.mark.parametrize(
    ("method", "path", "size", "body"), SPOKEN, ids=lambda value: value if isinstance(value, str) else ""
)
def test_a_text_of_any_sort_costs_as_much_as_it_is_long(
    api: Api, world: World, method: str, path: str, size: int, body: Callable[[str], bytes]
) -> None:
    address = world.address("/relationships/{relationship_id}" + path)

    for name, text in TEXTS.items():
        ratio = growth(
            lambda raw: sent(api, method, address, raw, "application/json"),
            lambda length, text=text: body(text(length)),  # type: ignore[misc]
            size=size,
        )
        assert ratio < MOST, name


@pytest.mark.parametrize("route", WITH_NONE, ids=lambda route: f"{route.method} {route.path}")
def test_a_query_of_any_shape_is_answered_shortly(api: Api, world: World, route: Route) -> None:
    address = world.address(route.path)

    for query in (
        "&".join(f"n{number}=1" for number in range(900)),
        "limit=" + "9" * 50_000,
        "cursor=" + "W" * 50_000,
        "text=" + "%25" * 20_000,
        "tag=" + "&tag=".join(["a=b"] * 900),
    ):
        answer = api.send(route.method, f"{address}?{query}", None)
        assert answer.status in (200, 204, 422), answer
        assert answer.status < 400 or len(answer.raw) < LONGEST_ANSWER


def test_a_form_of_many_parts_is_refused_shortly(api: Api, world: World) -> None:
    address = world.address("/companions/{companion_id}/documents")
    parts, content_type = multipart(**{f"n{number}": "x" for number in range(300)}, file=("a.txt", b"Words."))
    assert content_type.startswith(MULTIPART)

    assert sent(api, "POST", address, parts, content_type).status in (400, 413, 422)
