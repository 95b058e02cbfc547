"""An export with one part bent, torn out or doubled: it is taken or refused with the field, and never breaks anything.

RAPPORT_FUZZ=long bends many more.
"""

import json
import os
from collections.abc import Iterator
from copy import deepcopy
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given
from hypothesis import settings as effort
from hypothesis import strategies as st

from memory.entries.held_deletions import confirm_deletions
from memory.ingestion.pipeline import drain_relationship
from relationships.models import Companion, Relationship, Turn
from tests.acceptance.drills.talk import scaled
from tests.fixtures.api import TESTER, Api
from tests.fixtures.turns import Conversation
from tests.integration.api.world import build_world
from upkeep.verification import verify

pytestmark = pytest.mark.drill
LONG = os.environ.get("RAPPORT_FUZZ") == "long"
ODD: list[Any] = [
    None, True, 0, -1, 1, 0.5, 1e308, 2**31, 2**63 - 1, -(2**63), "", " ", "x", "0", "\U0001f98a", "a" * 300,
    "a\nb", "2026-03-02", "9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00", "user", "active", "applied",
    [], {}, [None], [[]], {"": None}, {"id": 1}, ["x", "x"], "01890a5d-ac96-774b-bcce-b302099a8057",
]  # fmt: skip

EACH = scaled(len(ODD), 15)  # one of so many


@pytest.fixture
def document(relationship: Relationship, conversation: Conversation, api: Api) -> Any:
    """A busy relationship, exported."""
    build_world(relationship)
    for text in ("My name is Zoë and I live in Porto.", "I moved to Lisbon.", "Forget my name."):
        conversation.hear(text)
    conversation.say("I like tea.", session="web", ingestion={"trigger": {"mode": "explicit"}})
    return api.get(f"/relationships/{relationship.id}/export?calls=true").body


def parts(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every part of a document."""
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for name, below in members:
        yield (*path, name)
        yield from parts(below, (*path, name))


def bend(document: Any, data: st.DataObject) -> Any:
    bent = deepcopy(document)
    for _ in range(data.draw(st.integers(1, 2))):
        *way, last = data.draw(st.sampled_from(list(parts(bent))))
        holder = bent
        for name in way:
            holder = holder[name]
        how = data.draw(st.sampled_from(["replace", "replace", "remove", "double"]))
        if how == "replace":
            holder[last] = deepcopy(data.draw(st.sampled_from(ODD)))
        elif how == "remove":
            del holder[last]
        elif isinstance(holder, list):
            holder.append(deepcopy(holder[last]))
    return bent


@pytest.mark.django_db
@effort(
    max_examples=3000 if LONG else scaled(25, 40),
    derandomize=not LONG,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_a_bent_archive_is_taken_or_refused_and_breaks_nothing(
    data: st.DataObject, document: Any, api: Api
) -> None:
    bent = bend(document, data)
    with transaction.atomic():
        relationship_id = made(api, "noor")
        path = f"/relationships/{relationship_id}"

        answer = api.send("POST", f"{path}/import", json.dumps(bent).encode())

        assert answer.status in (200, 400, 409, 413, 422), answer
        if answer.status == 200:
            lives_on(api, path, Relationship.objects.get(id=relationship_id))
        else:
            assert not Turn.objects.for_relationship(UUID(relationship_id)).exists()
        transaction.set_rollback(True)


def made(api: Api, user: str) -> str:
    """The ID of a new relationship."""
    return str(api.post("/relationships", {"companion": "ada", "user": user}).body["id"])


def comes_back(api: Api, exported: Any, *, again: str) -> None:
    """What is exported of it can be imported into another, where nothing is found to be broken."""
    answer = api.send("POST", f"{again}/import", json.dumps(exported).encode())
    assert answer.status == 200, answer
    assert broken(again) == []


def broken(path: str) -> list[tuple[str, str]]:
    return list(verify(relationship_id=UUID(path.rpartition("/")[2])).tallies)


def fields_of(document: Any) -> list[tuple[Any, ...]]:
    """The way to one part of each kind: of the rows of a list the last that has it."""
    ways: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    for way in parts(document):
        ways[tuple("*" if isinstance(name, int) else name for name in way)] = way
    return list(ways.values())


@pytest.mark.django_db
def test_any_field_that_is_garbage_is_refused_by_its_path_or_lives_on(document: Any, api: Api) -> None:
    """Each field in turn, as garbage of each kind (of one, in a drill of two, unless RAPPORT_FUZZ=long)."""
    here, again = (f"/relationships/{made(api, user)}" for user in ("noor", "again"))
    for number, (*way, last) in enumerate(fields_of(document)):
        for odd in ODD if LONG else ODD[number % EACH :: EACH]:
            bent = deepcopy(document)
            holder = bent
            for name in way:
                holder = holder[name]
            holder[last] = deepcopy(odd)
            with transaction.atomic():
                imported(api, bent, ".".join(map(str, (*way, last))), odd, here=here, again=again)
                transaction.set_rollback(True)


def imported(api: Api, bent: Any, path: str, odd: Any, *, here: str, again: str) -> None:
    answer = api.send("POST", f"{here}/import", json.dumps(bent).encode())
    assert answer.status in (200, 413, 422), (path, odd, answer)
    if answer.status == 200:
        assert broken(here) == [], (path, odd)
        comes_back(api, api.get(f"{here}/export?calls=true").body, again=again)
    else:
        assert answer.fields, (path, odd, answer)
        assert not Turn.objects.for_relationship(UUID(here.rpartition("/")[2])).exists()


def lives_on(api: Api, path: str, relationship: Relationship) -> None:
    """What was taken can be read, shown, learnt from, exported and erased like any other."""
    Companion.objects.filter(id=relationship.companion_id).update(
        config={"ingestion": {"provider": "offline"}}
    )
    drain_relationship(relationship_id=relationship.id, worker="test")
    assert not Turn.objects.for_relationship(relationship.id).filter(error_code="internal_error").exists()
    paths = "entries?state=any history turns messages sessions profile profile/history".split()
    for below in ("", *(f"/{one}" for one in paths)):
        assert api.get(f"{path}{below}").status == 200, below
    held = api.get(f"{path}/held-deletions").body["items"]
    for waiting in (one for one in held if one["state"] == "waiting"):
        confirm_deletions(relationship_id=relationship.id, held_id=UUID(waiting["id"]), by=TESTER)
    for turn in api.get(f"{path}/turns").body["items"]:
        assert api.get(f"{path}/turns/{turn['id']}").status == 200
    assert api.post(f"{path}/context", {"message": "Hello.", "explain": True}).status == 200
    again = f"/relationships/{made(api, 'again')}"
    comes_back(api, api.get(f"{path}/export?calls=true").body, again=again)
    for entry in api.get(f"{path}/entries?state=any").body["items"][:2]:
        assert api.delete(f"{path}/entries/{entry['id']}?permanent=true").status in (200, 410)
    assert api.delete(path).status == 200
