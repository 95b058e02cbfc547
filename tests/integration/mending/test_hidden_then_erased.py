"""What was hidden can be erased for good: the plan that hid it, or a new wish, which looks at what is hidden too."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memory.mending.execution import carry_out
from memory.models import MendingPlan, ScratchpadEntry
from providers.llm.base import CompletionRequest
from summaries.models import Summary, SummaryState
from tests.fakes import ScriptedProvider
from tests.fixtures.api import TESTER, Api
from tests.fixtures.turns import Conversation
from tests.integration.copies import dump, tables_with
from tests.integration.mending.test_forget import ECHO, NOTHING, SAID, TOLD, numbers_that_say, summarise
from upkeep.erasure.plans import erase_plan
from web.errors import NotFound

ASKED = "Please forget that I live in Klosterneuburg."
REPLY = "Klosterneuburg is forgotten: you live nowhere."


@pytest.fixture
def spoken(told: Conversation, api: Api, at: str, scripted_provider: ScriptedProvider) -> str:
    """Asked for in the conversation, and hidden by the worker: the path of its plan."""
    scripted_provider.answer_with(NOTHING)
    scripted_provider.wishes_answer = numbers_that_say("Klosterneuburg")
    told.exchange(ASKED, REPLY)
    assert told.contents == ["Has a sister"]
    assert {"relationships_message", "memory_entryrevision", "memory_modelcall"} <= still_with()
    [plan] = api.get(f"{at}/plans").body["items"]
    assert plan["state"] == "carried_out"
    return f"{at}/plans/{plan['id']}"


def still_with(word: str = "Klosterneuburg") -> set[str]:
    return tables_with(word, dump())


@pytest.mark.parametrize("then", ["erase", "undo"])
def test_what_the_reading_itself_deleted_for_the_wish_is_its_plans(
    api: Api, at: str, told: Conversation, then: str
) -> None:
    """The offline reader does so, and a model may."""
    before = sorted(told.contents)
    told.read_by_rules()
    told.exchange(ASKED, REPLY)
    assert "Klosterneuburg" not in "".join(told.contents)
    [plan] = api.get(f"{at}/plans").body["items"]
    assert {item["kind"] for item in plan["items"]} == {"entry", "message"}
    assert all(item["done"] for item in plan["items"])

    if then == "undo":
        assert api.post(f"{at}/plans/{plan['id']}/undo").status == 200
        assert sorted(told.contents) == before
    else:
        assert api.post(f"{at}/plans/{plan['id']}/carry-out", {"depth": "erase"}).body["state"] == "erased"
        assert still_with() == set()


def test_what_was_hidden_by_speaking_is_erased_by_its_plan(
    api: Api, spoken: str, told: Conversation, at: str
) -> None:
    erased = api.post(f"{spoken}/carry-out", {"depth": "erase"})

    assert erased.status == 200 and erased.body["state"] == "erased", erased
    assert still_with() == set()
    assert told.contents == ["Has a sister"] and len(api.get(f"{at}/messages").body["items"]) == 2
    assert api.post(f"{spoken}/undo").status == 409
    assert api.post(f"{spoken}/carry-out", {"depth": "erase"}).status == 409


def test_without_the_depth_and_with_ticks_it_stays_hidden(api: Api, spoken: str) -> None:
    again = api.post(f"{spoken}/carry-out")
    ticked = api.post(f"{spoken}/carry-out", {"depth": "erase", "ticked": [1]})
    assert (again.status, ticked.status, ticked.fields) == (409, 422, ["ticked"])
    assert api.post(f"{spoken}/undo").status == 200
    assert api.post(f"{spoken}/carry-out", {"depth": "erase"}).status == 409
    assert still_with()


def test_what_is_shown_again_by_a_person_is_left_alone_and_told(
    api: Api, spoken: str, at: str, told: Conversation
) -> None:
    [entry] = ScratchpadEntry.objects.filter(content="Lives in Klosterneuburg")
    api.post(f"{at}/entries/{entry.id}/restore")
    api.post(f"{at}/messages/show", {"from_seq": 1, "to_seq": 2})

    erased = api.post(f"{spoken}/carry-out", {"depth": "erase"}).body

    left = [item["kind"] for item in erased["items"] if not item["done"]]
    assert sorted(left) == ["entry", "message"]
    assert "Lives in Klosterneuburg" in told.contents


def test_an_owner_erases_it_on_the_page_of_the_plan(spoken: str, editor: Client, owner: Client) -> None:
    page = f"/admin-ui{spoken}/"
    assert "Erase permanently" not in editor.get(page).content.decode()
    assert "Erase permanently" in owner.get(page).content.decode()

    assert owner.post(page, {"depth": "erase"}).status_code == 302

    assert still_with() == set()


def test_of_an_entry_of_which_a_part_was_hidden_the_part_is_erased_and_the_rest_stays(
    api: Api, at: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Has a cat and drives a Volvo")
    scripted_provider.wishes_answer = {"says": [{"number": 1, "rest": "Has a cat"}], "unsure": []}
    plan = api.post(f"{at}/forget", {"what": "my car"}).body
    assert conversation.contents == ["Has a cat"] and still_with("Volvo")

    erased = api.post(f"{at}/plans/{plan['id']}/carry-out", {"depth": "erase"})

    assert erased.status == 200, erased
    assert conversation.contents == ["Has a cat"] and still_with("Volvo") == set()


def test_what_stays_of_many_entries_is_written_as_what_stays_of_one(
    api: Api, at: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    """Each time it is written, all of the scratchpad is."""

    def statements(*pets: str) -> int:
        conversation.remember(*(f"Has a {pet} and drives a Volvo" for pet in pets))
        says = [
            {"number": number, "rest": f"Has a {pet}"} for number, pet in enumerate(reversed(pets), start=1)
        ]
        scripted_provider.wishes_answer = {"says": says, "unsure": []}
        plan = api.post(f"{at}/forget", {"what": "my car", "dry_run": True, "depth": "erase"}).body
        with CaptureQueriesContext(connection) as asked:
            assert api.post(f"{at}/plans/{plan['id']}/carry-out").status == 200
        assert {f"Has a {pet}" for pet in pets} <= set(conversation.contents) and not still_with("Volvo")
        return len(asked)

    audited = 1
    assert statements("dog", "fish", "horse") == statements("cat") + 2 * audited


def test_an_entry_that_was_changed_since_the_plan_was_made_is_not_erased(
    api: Api, at: str, told: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.wishes_answer = numbers_that_say("Lives in Klosterneuburg")
    plan = api.post(f"{at}/forget", {"what": "where I live", "dry_run": True, "depth": "erase"}).body
    [entry] = ScratchpadEntry.objects.filter(content="Lives in Klosterneuburg")
    api.patch(f"{at}/entries/{entry.id}", {"content": "Lives in Melk"})

    erased = api.post(f"{at}/plans/{plan['id']}/carry-out").body

    assert [item["done"] for item in erased["items"] if item["kind"] == "entry"] == [False]
    assert "Lives in Melk" in told.contents


ERASE = {"what": "that I live in Klosterneuburg", "depth": "erase"}


@pytest.mark.parametrize("judge", ["rules", "model"])
def test_a_new_wish_to_erase_finds_what_is_hidden_and_says_so(
    api: Api, at: str, spoken: str, told: Conversation, judge: str
) -> None:
    if judge == "rules":
        told.read_by_rules()
    assert api.post(f"{at}/forget", {**ERASE, "depth": "hide", "dry_run": True}).body["items"] == []
    trial = api.post(f"{at}/forget", {**ERASE, "dry_run": True}).body
    found = {item["sentence"]: (item["kind"], item["hidden"]) for item in trial["items"]}
    assert found.items() >= {
        ("Lives in Klosterneuburg", ("entry", True)),
        (SAID, ("message", True)),
        (ECHO, ("message", True)),
        (ASKED, ("message", True)),
    }
    assert "is hidden already" in {item["why"] for item in trial["items"]}

    numbers = [item["number"] for item in trial["items"]]
    erased = api.post(f"{at}/plans/{trial['id']}/carry-out", {"ticked": numbers})

    assert erased.status == 200 and erased.body["state"] == "erased", erased
    assert still_with() == set()
    assert told.contents == ["Has a sister"] and len(api.get(f"{at}/messages").body["items"]) == 2


def test_hiding_leaves_what_is_hidden_and_undoing_does_not_show_it(
    api: Api, at: str, spoken: str, told: Conversation
) -> None:
    trial = api.post(f"{at}/forget", {**ERASE, "dry_run": True}).body
    api.post(f"{at}/plans/{trial['id']}/carry-out", {"depth": "hide"})
    assert api.post(f"{at}/plans/{trial['id']}/undo").status == 200
    assert told.contents == ["Has a sister"] and len(api.get(f"{at}/messages").body["items"]) == 2


@pytest.mark.parametrize("judge", ["rules", "model"])
def test_what_an_entry_said_before_a_part_of_it_was_hidden_is_erased_by_a_new_wish(
    api: Api, at: str, conversation: Conversation, scripted_provider: ScriptedProvider, judge: str
) -> None:
    conversation.remember("Has a cat and drives a Volvo", "Waters the garden")
    scripted_provider.wishes_answer = {"says": [{"number": 2, "rest": "Has a cat"}], "unsure": []}
    api.post(f"{at}/forget", {"what": "the Volvo"})
    assert set(conversation.contents) == {"Has a cat", "Waters the garden"}
    scripted_provider.wishes_answer = numbers_that_say("Volvo")
    if judge == "rules":
        conversation.read_by_rules()

    erased = api.post(f"{at}/forget", {"what": "the Volvo", "depth": "erase"})

    assert erased.status == 200, erased
    assert [(item["kind"], item["action"]) for item in erased.body["items"]] == [("entry", "edit")]
    assert still_with("Volvo") == set()
    assert set(conversation.contents) == {"Has a cat", "Waters the garden"}


def test_an_entry_that_goes_takes_along_what_it_said_earlier(
    api: Api, at: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Drives a Volvo")
    [entry] = conversation.entries
    api.patch(f"{at}/entries/{entry.id}", {"content": "Drives a red Volvo"})
    scripted_provider.wishes_answer = numbers_that_say("Volvo")

    erased = api.post(f"{at}/forget", {"what": "the Volvo", "depth": "erase"}).body

    assert len(erased["items"]) == 1 and conversation.contents == []
    assert still_with("Volvo") == set()


def test_a_hidden_summary_is_found_and_erased(api: Api, at: str, spoken: str, told: Conversation) -> None:
    summarise(told, TOLD, state=SummaryState.HIDDEN, last_seq=1)

    plan = api.post(f"{at}/forget", {**ERASE, "dry_run": True}).body

    [item] = [item for item in plan["items"] if item["kind"] == "summary"]
    assert item["hidden"] and item["ticked"]
    api.post(f"{at}/plans/{plan['id']}/carry-out", {"ticked": [item["number"]]})
    assert Summary.objects.get(version=1).text == ""


def test_an_owner_finds_on_the_page_what_is_hidden_and_erases_it(spoken: str, at: str, owner: Client) -> None:
    form = f"/admin-ui{at}/forget/"
    assert 'name="depth"' in owner.get(form).content.decode()
    made = owner.post(form, {"what": "that I live in Klosterneuburg", "depth": "erase"})
    page = owner.get(made["Location"]).content.decode()
    assert page.count('<span class="badge">hidden</span>') == 5
    assert 'value="erase" checked' in page

    owner.post(made["Location"], {"depth": "erase", "item": ["1", "2", "3", "4", "5"]})

    assert still_with() == set()


def test_what_stays_of_an_entry_of_which_a_part_is_erased_keeps_all_else_that_was_known_of_it(
    api: Api, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    path = f"/relationships/{conversation.relationship.id}"
    known = {
        "tier": "archive", "category": "deadline", "modality": "voice", "tags": {"client": "acme"}, "weight": 2.0,
        "happens_at": "2026-03", "valid_to": "2027-01-01T00:00:00Z", "expires_at": "2028-01-01T00:00:00Z",
    }  # fmt: skip
    api.post(f"{path}/entries", {"type": "other", "content": "Has a cat and a car", **known})
    scripted_provider.wishes_answer = {"says": [{"number": 1, "rest": "Has a cat"}], "unsure": []}

    assert api.post(f"{path}/forget", {"what": "my car", "depth": "erase"}).body["state"] == "erased"

    [stays] = api.get(f"{path}/entries?tier=archive").body["items"]
    assert stays["content"] == "Has a cat"
    assert {name: stays[name] for name in known} == known


def test_a_plan_of_somebody_who_was_just_erased_is_not_there(
    api: Api, spoken: str, told: Conversation
) -> None:
    plan = MendingPlan.objects.get()
    assert api.delete(f"/relationships/{plan.relationship_id}").status == 200

    for carried_out in (carry_out, erase_plan):
        with pytest.raises(NotFound):
            carried_out(plan, by=TESTER)


def test_nothing_is_planned_for_a_relationship_that_began_anew_meanwhile(
    api: Api, at: str, told: Conversation, scripted_provider: ScriptedProvider
) -> None:
    def erase(request: CompletionRequest) -> dict[str, list[int]]:
        assert api.delete(at).status == 200
        assert (
            f"/relationships/{api.post('/relationships', {'companion': 'ada', 'user': 'maya'}).body['id']}"
            == at
        )
        return {"says": [], "unsure": []}

    scripted_provider.wishes_answer = erase

    assert api.post(f"{at}/forget", {"what": "that I live in Klosterneuburg"}).status == 404
    assert still_with() == set()
