"""A question about a past time is shown what was remembered then, too, if that has been replaced since."""

from datetime import UTC, datetime
from typing import Any

import pytest

from memory.models import EntryState, ScratchpadEntry
from relationships.models import Companion, Relationship
from tests.fixtures.api import Api
from tests.wire import statements_sent

HEADING = "Remembered before, and replaced since:"


def replaced(api: Api, path: str, content: str, *, told: datetime, until: datetime, **values: Any) -> str:
    """Add an entry, which was then replaced."""
    entry = {"content": content, "type": "identity", "effective_at": told.isoformat(), **values}
    made: str = api.post(f"{path}/entries", entry).body["id"]
    ScratchpadEntry.objects.filter(id=made).update(state=EntryState.SUPERSEDED, valid_to=until)
    return made


@pytest.fixture
def at(api: Api, relationship: Relationship) -> str:
    path = f"/relationships/{relationship.id}"
    replaced(
        api,
        path,
        "Lives in Pune",
        told=datetime(2023, 2, 1, tzinfo=UTC),
        until=datetime(2024, 6, 1, tzinfo=UTC),
    )
    replaced(
        api,
        path,
        "Lives in Bangalore",
        told=datetime(2024, 6, 1, tzinfo=UTC),
        until=datetime(2025, 3, 2, tzinfo=UTC),
    )
    api.post(f"{path}/entries", {"content": "Lives in Lisbon", "type": "identity"})
    return path


def system(api: Api, path: str, message: str) -> str:
    told: str = api.post(f"{path}/context", {"message": message}).body["system"]
    return told


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("Where did I live in October 2024?", ["Bangalore"]),
        ("Where did I live in May 2024?", ["Pune", "Bangalore"]),  # soon told
        ("Where did I live in 2023?", ["Pune"]),
        ("¿Dónde vivía en octubre de 2024?", ["Bangalore"]),
        ("Where did I live in October 2025?", []),
        ("Where do I live?", []),
        ("I moved in October 2024", []),
        ("Where will I live in October 2099?", []),
    ],
)
def test_a_past_time_shows_what_held_then(api: Api, at: str, message: str, shown: list[str]) -> None:
    told = system(api, at, message)

    assert "- Lives in Lisbon" in told
    before, heading, earlier = told.partition(HEADING)
    assert bool(heading) == bool(shown) and not any(city in before for city in ("Pune", "Bangalore"))
    assert [city for city in ("Pune", "Bangalore") if city in earlier] == shown


def test_it_says_until_when(api: Api, at: str) -> None:
    assert f"{HEADING}\n- Lives in Bangalore (told 2024-06-01; until 2025-03-02)\n" in system(
        api, at, "Where did I live in October 2024?"
    )


def test_a_plan_that_was_replaced_needs_no_outcome(api: Api, at: str) -> None:
    plan = {"content": "Goes to Pune", "type": "event", "happens_at": "2024-11-09"}
    api.post(f"{at}/entries", {**plan, "effective_at": "2024-10-01T09:00:00Z", "content": "Goes to Goa"})
    told, until = datetime(2024, 10, 1, tzinfo=UTC), datetime(2024, 10, 20, tzinfo=UTC)
    replaced(api, at, told=told, until=until, **plan)

    shown = system(api, at, "Where did I plan to go in October 2024?")

    assert "- Goes to Pune (2024-11-09; told 2024-10-01; until 2024-10-20)\n" in shown
    assert "- Goes to Goa (2024-11-09; date passed, outcome not told)\n" in shown


def test_it_comes_before_the_list_if_not_all_fits_and_explain_says_why(api: Api, at: str) -> None:
    for number in range(60):
        api.post(
            f"{at}/entries", {"content": f"Likes dish number {number} more than the others", "type": "other"}
        )
    asked = {
        "message": "Where did I live in October 2024?",
        "explain": True,
        "config": {"context": {"budget": 300}},
    }

    answer = api.post(f"{at}/context", asked).body

    [layer] = [layer for layer in answer["layers"] if layer["name"] == "memory"]
    assert "Lives in Bangalore" in answer["system"] and layer["left_out"]["count"] > 0, layer
    assert "replaced since the time that the message asks about" in layer["reasons"].values()


def test_what_the_person_had_forgotten_is_not_shown(api: Api, at: str, companion: Companion) -> None:
    companion.config = {"ingestion": {"provider": "offline"}}
    companion.save()
    [gone] = api.post(f"{at}/forget", {"what": "that I lived in Bangalore"}).body["items"]
    assert (gone["kind"], gone["action"]) == ("entry", "hide")

    assert "Bangalore" not in system(api, at, "Where did I live in October 2024?")


def test_only_a_past_time_costs_more_statements(api: Api, at: str) -> None:
    counts = []
    for when in ("now", "in October 2099", "in October 2024"):
        message = f"Do I live here {when}?"
        system(api, at, message)
        with statements_sent() as sent:
            system(api, at, message)
        counts.append(len(sent))

    assert counts == [counts[0], counts[0], counts[0] + 2]
