"""A wish to forget reaches entries, parts of them, messages of both sides; hidden it can be undone, erased it is gone."""

from collections.abc import Iterator
from typing import Any

import pytest

from memory.models import MendingPlan, ModelCall
from providers.llm.base import CompletionRequest
from relationships.models import Message, Turn
from summaries.models import Summary, SummaryState
from summaries.snapshot import rebuild_summary
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.people import meet
from tests.fixtures.turns import Conversation, add, answer
from tests.integration.copies import dump, tables_with
from tests.integration.mending.entry_lists import lists_of_entries

NOTHING: dict[str, list[object]] = {"operations": []}
SAID = "I live in Klosterneuburg."
ECHO = "Since you live in Klosterneuburg, the abbey is around the corner."
OTHER = "And how is your sister?"
TOLD = "They talked. The person lives in Klosterneuburg."


def summarise(conversation: Conversation, text: str, **values: Any) -> Summary:
    pair = conversation.relationship
    seqs = sorted(Message.objects.for_relationship(pair.id).values_list("seq", flat=True))
    place = {"messages": 2, "first_seq": seqs[0], "last_seq": seqs[-1], "state": SummaryState.READY, **values}
    summary = Summary(relationship=pair, project_id=pair.project_id, text=text, actor_kind="policy", **place)
    summary.save(force_insert=True)
    rebuild_summary(relationship_id=pair.id, project_id=pair.project_id)
    return summary


def shown(api: Api, at: str, conversation: Conversation, provider: ScriptedProvider) -> Iterator[str]:
    """The next question to the ingestion's model, a context, the lists, both searches, summaries, traces."""
    provider.answer_with(NOTHING)
    conversation.exchange("I am tired this evening.")
    yield provider.requests[-1].prompt
    yield api.post(f"{at}/context", {"message": "Where do I live?"}).raw.decode()
    yield api.post(f"{at}/context", {"message": "Hello", "session": "another"}).raw.decode()
    yield api.post(f"{at}/messages/search", {"query": "Klosterneuburg"}).raw.decode()
    yield api.post(f"{at}/entries/search", {"query": "Klosterneuburg"}).raw.decode()
    yield api.get(f"{at}/messages").raw.decode()
    yield from (api.get(f"{at}/{path}").raw.decode() for path in lists_of_entries())
    yield api.get(f"{at}/history").raw.decode()
    yield api.get(f"{at}/summaries").raw.decode()
    yield from (api.get(f"{at}/turns/{turn.id}").raw.decode() for turn in Turn.objects.all())
    yield api.get(f"{at}/export?calls=true").raw.decode()


def number_of(text: str, prompt: str) -> int:
    [line] = [line for line in prompt.splitlines() if line.startswith("[") and line.endswith(text)]
    return int(line[1 : line.index("]")])


def numbers_that_say(*words: str):  # type: ignore[no-untyped-def]
    """An answer of a model that reads the numbers off the question."""

    def reply(request):  # type: ignore[no-untyped-def]
        lines = [line for line in request.prompt.splitlines() if line.startswith("[")]
        says = [line for line in lines if any(word in line for word in words)]
        return {"says": [{"number": int(line[1 : line.index("]")])} for line in says], "unsure": []}

    return reply


def test_hidden_it_is_nowhere_and_can_be_brought_back(
    api: Api, at: str, told: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.wishes_answer = numbers_that_say("Klosterneuburg")
    summarise(told, TOLD)
    assert TOLD in api.post(f"{at}/context", {"message": "Hello"}).raw.decode()
    plan = api.post(f"{at}/forget", {"what": "that I live in Klosterneuburg"})

    assert plan.status == 200, plan
    assert plan.body["state"] == "carried_out"
    assert sorted(item["kind"] for item in plan.body["items"]) == ["entry", "message", "message", "summary"]
    text = "\n".join(shown(api, at, told, scripted_provider))
    assert "klosterneuburg" not in text.casefold()
    assert OTHER in text
    assert told.contents == ["Has a sister"]
    assert "Klosterneuburg" not in str(MendingPlan.objects.values_list("items", "what"))

    undone = api.post(f"{at}/plans/{plan.body['id']}/undo")

    assert undone.status == 200 and undone.body["state"] == "undone"
    assert set(told.contents) == {"Has a sister", "Lives in Klosterneuburg"}
    found = api.post(f"{at}/messages/search", {"query": "Klosterneuburg"}).raw.decode()
    assert SAID in found and ECHO in found


def test_erased_it_is_in_no_table(
    api: Api, at: str, told: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.wishes_answer = numbers_that_say("Klosterneuburg")
    assert "memory_modelcall" in tables_with("Klosterneuburg", dump())

    plan = api.post(f"{at}/forget", {"what": "that I live in Klosterneuburg", "depth": "erase"})

    assert plan.status == 200, plan
    assert plan.body["state"] == "erased"
    assert tables_with("Klosterneuburg", dump()) == set()
    assert told.contents == ["Has a sister"]
    assert api.post(f"{at}/plans/{plan.body['id']}/undo").status == 409


def test_what_is_erased_while_the_model_judges_is_quoted_neither_by_the_plan_nor_by_its_question(
    api: Api, at: str, told: Conversation, scripted_provider: ScriptedProvider
) -> None:
    entry = next(one for one in told.entries if "Klosterneuburg" in one.content)
    judged = numbers_that_say("Klosterneuburg")

    def erase(request: CompletionRequest) -> Any:
        assert "Klosterneuburg" in request.prompt
        assert api.delete(f"{at}/entries/{entry.id}?permanent=true").status == 200
        return judged(request)

    scripted_provider.wishes_answer = erase
    plan = api.post(f"{at}/forget", {"what": "the place that I live in", "dry_run": True})

    assert plan.status == 200, plan
    assert tables_with("Klosterneuburg", dump()) == set()


def test_a_dry_run_changes_nothing_and_is_carried_out_with_other_ticks(
    api: Api, at: str, told: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.wishes_answer = numbers_that_say("Klosterneuburg")
    plan = api.post(f"{at}/forget", {"what": "that I live in Klosterneuburg", "dry_run": True}).body
    assert plan["state"] == "proposed" and "Lives in Klosterneuburg" in told.contents
    [number] = [item["number"] for item in plan["items"] if item["kind"] == "entry"]

    done = api.post(f"{at}/plans/{plan['id']}/carry-out", {"ticked": [number]})

    assert done.status == 200, done
    assert [item["kind"] for item in done.body["items"]] == ["entry"]
    assert told.contents == ["Has a sister"]
    assert SAID in api.get(f"{at}/messages").raw.decode()
    assert api.post(f"{at}/plans/{plan['id']}/carry-out", {"ticked": [number]}).status == 409


def test_the_question_is_kept_as_a_model_call(
    api: Api, at: str, told: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.wishes_answer = {"says": [], "unsure": [1, 999]}
    plan = api.post(f"{at}/forget", {"what": "that I live in Klosterneuburg"}).body
    assert plan["state"] == "proposed" and plan["judged_by"] == "scripted-1"
    call = ModelCall.objects.get(purpose="forget")
    assert "that I live in Klosterneuburg" in call.prompt and len(call.shown_message_ids) == 4


def test_a_part_goes_and_the_rest_stays(
    api: Api, at: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    conversation.remember("Has a cat and drives a Volvo")
    scripted_provider.wishes_answer = {"says": [{"number": 1, "rest": "Has a cat"}], "unsure": []}

    erased = api.post(f"{at}/forget", {"what": "my car", "depth": "erase"})

    assert erased.status == 200, erased
    assert conversation.contents == ["Has a cat"]
    assert tables_with("Volvo", dump()) == set()


def test_spoken_it_reaches_messages_and_echoes_and_the_words_that_asked(
    api: Api, at: str, told: Conversation, scripted_provider: ScriptedProvider
) -> None:
    summarise(told, TOLD)
    scripted_provider.answer_with(NOTHING)
    scripted_provider.wishes_answer = numbers_that_say("Klosterneuburg")
    told.exchange(
        "Please forget that I live in Klosterneuburg.", "Klosterneuburg is forgotten: you live nowhere."
    )

    text = "\n".join(shown(api, at, told, scripted_provider))

    assert "klosterneuburg" not in text.casefold()
    assert OTHER in text
    assert told.contents == ["Has a sister"]
    assert Message.objects.filter(hidden_at=None).count() == 3


def test_told_again_it_is_remembered_again(
    api: Api, at: str, told: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(NOTHING)
    scripted_provider.wishes_answer = numbers_that_say("Klosterneuburg")
    told.exchange("Please forget that I live in Klosterneuburg.", "Done.")
    scripted_provider.answer_with(answer(add("Lives in Klosterneuburg")))
    told.hear(SAID)
    assert set(told.contents) == {"Has a sister", "Lives in Klosterneuburg"}


def test_an_export_without_what_is_hidden_can_be_imported(
    api: Api, at: str, told: Conversation, scripted_provider: ScriptedProvider
) -> None:
    told.remember("Has a cat and drives a Volvo")
    scripted_provider.wishes_answer = numbers_that_say("Klosterneuburg")
    api.post(f"{at}/forget", {"what": "that I live in Klosterneuburg"})
    scripted_provider.wishes_answer = {"says": [{"number": 1, "rest": "Has a cat"}], "unsure": []}
    api.post(f"{at}/forget", {"what": "the Volvo"})

    archive = api.get(f"{at}/export?calls=true")
    other = meet(told.relationship.companion)
    imported = api.post(f"/relationships/{other.id}/import", archive.body)

    assert b"Klosterneuburg" not in archive.raw and b"Volvo" not in archive.raw
    assert imported.status == 200, imported
    entries = api.get(f"/relationships/{other.id}/entries").body["items"]
    assert {entry["content"] for entry in entries} == {"Has a sister", "Has a cat"}


def test_a_correction_that_fits_nothing_is_refused_and_shows_what_was_looked_at(
    api: Api, at: str, conversation: Conversation
) -> None:
    conversation.read_by_rules()
    before = ["Noor works at Philips", "Has a cat", "Lives in Vienna and has a boat"]
    conversation.remember(*before)

    refused = api.post(f"{at}/correct", {"what": "that I play the violin", "to": "Plays the cello"})
    done = api.post(f"{at}/correct", {"what": "that I live in Vienna", "to": "Lives in Graz"})

    assert refused.status == 409 and refused.body["type"].endswith("nothing_fits"), refused
    assert {one["content"]: one["score"] for one in refused.body["looked_at"]} == dict.fromkeys(before, 0.0)
    assert done.status == 200 and done.body["state"] == "carried_out", done
    assert set(conversation.contents) == {"Noor works at Philips", "Has a cat", "Has a boat. Lives in Graz"}


def test_a_wish_that_the_reading_reports_is_carried_out_whatever_its_words(
    api: Api, at: str, told: Conversation, scripted_provider: ScriptedProvider
) -> None:
    wish = {"kind": "forget", "what": "that I live in Klosterneuburg", "messages": [1]}
    scripted_provider.answer_with({"operations": [], "wishes": [wish]})
    scripted_provider.wishes_answer = numbers_that_say("Klosterneuburg")
    told.exchange(
        "You know the town I named? I'd sleep better if that stayed out of Klosterneuburg files.",
        "Sure.",
    )

    text = "\n".join(shown(api, at, told, scripted_provider))

    assert "klosterneuburg" not in text.casefold()
    assert told.contents == ["Has a sister"]
    assert len(scripted_provider.wishes) == 1


def test_a_correction_that_the_reading_reports_changes_the_entry_once(
    told: Conversation, scripted_provider: ScriptedProvider
) -> None:
    wish = {
        "kind": "correct",
        "what": "that I live in Klosterneuburg",
        "to": "Lives in Melk",
        "messages": [1],
    }
    scripted_provider.answer_with({"operations": [add("Lives in Melk")], "wishes": [wish]})
    scripted_provider.wishes_answer = lambda request: {
        "says": [{"number": number_of("Lives in Klosterneuburg", request.prompt), "now": "Lives in Melk"}],
        "unsure": [],
    }
    turn = told.exchange("No, that was never right: Melk.")
    assert sorted(told.contents) == ["Has a sister", "Lives in Melk"]
    assert told.verdicts(turn) == [("refused", "an entry is corrected to say it")]


@pytest.mark.parametrize(
    ("wish", "reason"),
    [
        ({"kind": "forget", "what": "Klosterneuburg", "messages": [2]}, "only the person may ask for it"),
        ({"kind": "forget", "what": " ", "messages": [1]}, "what has to be a text"),
        ({"kind": "wipe", "what": "Klosterneuburg", "messages": [1]}, "kind is 'wipe'"),
        ({"kind": "correct", "what": "Klosterneuburg", "messages": [1]}, "to is not a text"),
        (
            {"kind": "forget", "what": "Klosterneuburg", "messages": [7]},
            "rests on messages that were not shown",
        ),
    ],
)
def test_a_wish_that_is_none_is_refused_and_told(
    told: Conversation, scripted_provider: ScriptedProvider, wish: dict[str, object], reason: str
) -> None:
    scripted_provider.answer_with({"operations": [], "wishes": [wish]})
    turn = told.exchange("It is late.", "Then forget it.")
    [(verdict, said)] = told.verdicts(turn)
    assert verdict == "refused" and said.startswith(reason)
    assert not scripted_provider.wishes and "Lives in Klosterneuburg" in told.contents
