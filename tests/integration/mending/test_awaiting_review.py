"""A wish of which nothing is sure, or by which too much would go, waits for a person: nothing of it is lost or hidden."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from context.layers.memory import UNCLEAR
from memory.mending.plans import drop_old_plans
from memory.models import MendingPlan
from relationships.models import Turn
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.markup import squeezed
from tests.fixtures.turns import Conversation, add, answer, delete
from tests.integration.mending.test_forget import numbers_that_say

PETS = ["Has a cat", "Has a dog"]


def about(said: str, word: str) -> Callable[[Any], dict[str, list[int]]]:
    """An answer that lists what has the word as `says` or as `unsure`."""

    def reply(request: Any) -> dict[str, list[int]]:
        lines = [line for line in request.prompt.splitlines() if line.startswith("[") and word in line]
        return {"says": [], "unsure": [], said: [int(line[1 : line.index("]")]) for line in lines]}

    return reply


def asked(conversation: Conversation, provider: ScriptedProvider, verb: str = "forget", **more: str) -> Turn:
    wish = {"kind": verb, "what": "the pet", "messages": [1], **more}
    provider.answer_with({"operations": [], "wishes": [wish]})
    return conversation.exchange("Could you lose the pet?", "Your pet, the cat?")


@pytest.fixture
def unclear(conversation: Conversation, scripted_provider: ScriptedProvider) -> Turn:
    conversation.remember("Lives in Melk", *PETS)
    scripted_provider.wishes_answer = about("unsure", "Has a")
    return asked(conversation, scripted_provider)


def waiting(api: Api, at: str) -> list[dict[str, Any]]:
    MendingPlan.objects.update(recorded_at=timezone.now() - timedelta(days=2))
    drop_old_plans(timezone.now())
    found: list[dict[str, Any]] = api.get(f"{at}/plans?awaiting_review=true").body["items"]
    return found


def number_of(plan: dict[str, Any], sentence: str) -> int:
    return next(int(item["number"]) for item in plan["items"] if item["sentence"] == sentence)


def test_an_unclear_wish_is_seen_and_waits_until_a_person_chooses(
    api: Api, at: str, unclear: Turn, conversation: Conversation, viewer: Client
) -> None:
    context = api.post(f"{at}/context", {"message": "Hello"})
    assert UNCLEAR in context.raw.decode()
    seen = {
        f"/admin-ui{at}/": "awaiting review",
        f"/admin-ui{at}/conversation/": "Review what was asked for",
        "/admin-ui/relationships/?waits=1": str(conversation.relationship.id),
        "/admin-ui/": "<span>Awaiting review</span><strong>1</strong>",
    }
    assert [word for page, word in seen.items() if word not in squeezed(viewer.get(page))] == []

    [plan] = waiting(api, at)

    assert api.get(f"{at}/turns/{unclear.id}").body["plans_awaiting_review"] == [plan["id"]]
    assert [item["sentence"] for item in plan["items"] if item["asks"]] == [
        "Could you lose the pet?",
        "Your pet, the cat?",
    ]
    assert set(conversation.contents) == {"Lives in Melk", *PETS}
    nothing = api.post(f"{at}/plans/{plan['id']}/carry-out")
    assert (nothing.status, nothing.fields) == (422, ["ticked"])
    done = api.post(f"{at}/plans/{plan['id']}/carry-out", {"ticked": [number_of(plan, "Has a cat")]})
    assert done.status == 200, done
    assert set(conversation.contents) == {"Lives in Melk", "Has a dog"}
    assert api.get(f"{at}/messages").body["items"] == []  # what asked, and the reply that repeats it
    assert waiting(api, at) == [] and UNCLEAR not in api.post(f"{at}/context", {}).raw.decode()
    assert api.post(f"{at}/plans/{plan['id']}/carry-out").status == 409

    api.post(f"{at}/plans/{plan['id']}/undo")
    assert set(conversation.contents) == {"Lives in Melk", *PETS}
    assert len(api.get(f"{at}/messages").body["items"]) == 2


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("Please forget everything about Ralf.", ["Leo is Ralf's son"]),
        ("forget ralf ever existed lol", ["Leo is Ralf's son"]),
        ("Please forget that Ralf lives in Graz.", []),
        ("さっきも言いましたが、佐々木さんのことは全部忘れてください。", ["佐々木はLeoの父"]),
    ],
    ids=["a name", "a name in small letters", "a statement", "a name with a title"],
)
def test_what_has_the_name_to_be_forgotten_waits_if_the_model_leaves_it_out(
    api: Api,
    at: str,
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    said: str,
    left: list[str],
) -> None:
    goes, stays = (
        ("Ralf lives in Graz", "Leo is Ralf's son")
        if "ralf" in said.lower()
        else ("佐々木さんはGrazの人", "佐々木はLeoの父")
    )
    conversation.remember("Lives in Melk", stays)
    conversation.remember(goes, subject=goes[:4])
    scripted_provider.wishes_answer = about("says", "Graz")
    scripted_provider.otherwise = {"operations": []}

    conversation.hear(said)

    assert set(conversation.contents) == {"Lives in Melk", stays}
    assert [item["sentence"] for plan in waiting(api, at) for item in plan["items"]] == left


def test_what_has_one_of_the_names_and_rests_only_on_what_goes_waits_too(
    api: Api, at: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    told = ("Ralf is getting divorced", "Tanya left with the kids", "The cat is ill")
    scripted_provider.answer_with(answer(*(add(one, subject=one.split()[0]) for one in told)))
    scripted_provider.wishes_answer = about("says", "Tanya")
    scripted_provider.otherwise = answer()

    conversation.hear("ralf is getting divorced, his wife tanya left with the kids, n the cat is ill")
    conversation.remember("Ralf is the boss", subject="Ralf")
    conversation.hear("forget what i said abt ralf n tanya pls")

    assert set(conversation.contents) == {"Ralf is getting divorced", "The cat is ill", "Ralf is the boss"}
    waits = [
        item["sentence"] for plan in waiting(api, at) for item in plan["items"] if item["kind"] == "entry"
    ]
    assert waits == ["Ralf is getting divorced"]


def test_what_is_sure_goes_and_the_rest_of_the_wish_waits(
    api: Api, at: str, conversation: Conversation, scripted_provider: ScriptedProvider, viewer: Client
) -> None:
    conversation.remember("Lives in Melk", *PETS)
    scripted_provider.wishes_answer = lambda request: {
        **about("says", "a cat")(request),
        "unsure": about("unsure", "a dog")(request)["unsure"],
    }
    turn = asked(conversation, scripted_provider)

    assert UNCLEAR in api.post(f"{at}/context", {"message": "Hello"}).raw.decode()
    assert set(conversation.contents) == {"Lives in Melk", "Has a dog"}
    assert api.get(f"{at}/messages").body["items"] == []  # what asked, and the reply that repeats it
    [plan] = waiting(api, at)
    assert [item["sentence"] for item in plan["items"]] == ["Has a dog"]
    assert api.get(f"{at}/turns/{turn.id}").body["plans_awaiting_review"] == [plan["id"]]
    assert plan["id"] in viewer.get(f"/admin-ui{at}/").content.decode()

    [other] = [entry for entry in conversation.entries if entry.content == "Lives in Melk"]
    api.delete(f"{at}/entries/{other.id}?permanent=true")
    assert api.post(f"{at}/plans/{plan['id']}/carry-out", {"ticked": [1]}).status == 200
    assert "Has a dog" not in conversation.contents
    assert UNCLEAR not in api.post(f"{at}/context", {"message": "Hello"}).raw.decode()

    api.post(f"{at}/plans/{plan['id']}/undo")
    assert "Has a dog" in conversation.contents
    assert api.get(f"{at}/messages").body["items"] == []


def test_too_much_at_once_waits_and_is_carried_out_by_a_person(
    api: Api, at: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Lives in Melk", *(f"Has a fish called {name}" for name in "ABCDE"))
    scripted_provider.wishes_answer = about("says", "fish")
    asked(conversation, scripted_provider)
    [plan] = waiting(api, at)
    assert len(conversation.contents) == 6

    api.post(f"{at}/plans/{plan['id']}/carry-out")

    assert conversation.contents == ["Lives in Melk"]


@pytest.mark.parametrize("by", ["page", "api"])
def test_declined_everything_stays_and_the_plan_keeps_no_words(
    api: Api, at: str, unclear: Turn, conversation: Conversation, editor: Client, by: str
) -> None:
    [plan] = waiting(api, at)
    path = f"{at}/plans/{plan['id']}"
    if by == "page":
        editor.post(f"/admin-ui{path}/", {"decline": "1"})
    else:
        api.post(f"{path}/decline")
    read = api.get(path).body
    assert (read["state"], read["items"]) == ("declined", [])
    assert set(conversation.contents) == {"Lives in Melk", *PETS}
    assert waiting(api, at) == [] and MendingPlan.objects.get().what == ""
    assert api.post(f"{at}/plans/{plan['id']}/decline").status == 409


def test_what_is_erased_meanwhile_leaves_the_plan_and_the_rest_waits(
    api: Api, at: str, unclear: Turn, conversation: Conversation
) -> None:
    [cat] = [entry for entry in conversation.entries if entry.content == "Has a cat"]
    trial = api.post(f"{at}/forget", {"what": "the cat", "dry_run": True}).body["id"]

    api.delete(f"{at}/entries/{cat.id}?permanent=true")

    [plan] = waiting(api, at)
    assert [item["sentence"] for item in plan["items"] if item["kind"] == "entry"] == ["Has a dog"]
    assert api.get(f"{at}/plans/{trial}").status == 404


def test_an_unclear_correction_changes_what_a_person_chooses_and_deletes_nothing(
    api: Api, at: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember(*PETS)
    scripted_provider.wishes_answer = about("unsure", "Has a")
    asked(conversation, scripted_provider, "correct", to="Has a parrot")
    [plan] = waiting(api, at)
    api.post(f"{at}/plans/{plan['id']}/carry-out", {"ticked": [number_of(plan, "Has a dog")]})
    assert set(conversation.contents) == {"Has a cat", "Has a parrot"}


def test_the_reading_neither_learns_it_again_nor_takes_another_along(
    told: Conversation, scripted_provider: ScriptedProvider
) -> None:
    wish = {"kind": "forget", "what": "that I live in Klosterneuburg", "messages": [1]}
    operations = [delete(1), delete(2), add("Lives in Klosterneuburg")]
    scripted_provider.answer_with({"operations": operations, "wishes": [wish]})
    scripted_provider.wishes_answer = numbers_that_say("Klosterneuburg")
    told.exchange("Forget that I live in Klosterneuburg.", "Done.")
    assert told.contents == ["Has a sister"]
