"""A long conversation is summed up at 200, 400 and 600 messages, each time from the last summary on; and what is
erased of it is erased of every summary."""

import re
from datetime import UTC, datetime

import pytest
from django.db import transaction
from django.utils import timezone

from context.pipeline import build_context
from memory.entries.editing import delete_entry
from memory.models import ModelCall, ScratchpadEntry
from providers.errors import ContentBlocked, RateLimited
from providers.llm.base import CompletionRequest
from relationships.models import Message, Relationship
from relationships.services.hiding import hide_messages, show_messages
from relationships.services.model_budgets import set_model_budget
from summaries.editing import edit_summary
from summaries.models import Summary
from summaries.owed import ask_for_summary
from summaries.prompt import summary_request
from tests.fakes import ScriptedProvider
from tests.fixtures.summaries import chat, name_birds, ready, summaries_of, summarise
from tests.fixtures.turns import PERSON, Conversation
from tests.integration.copies import dump, tables_with
from upkeep.erasure.messages import redact_messages


@pytest.fixture
def talk(conversation: Conversation, scripted_provider: ScriptedProvider) -> Conversation:
    """650 messages, summed up."""
    scripted_provider.otherwise = name_birds
    chat(conversation, last=650)
    assert summarise(conversation) == 3
    return conversation


def message(talk: Conversation, number: int) -> Message:
    rows = Message.objects.for_relationship(talk.relationship.id)
    found: Message = rows.get(content__contains=f"number{number:04}")
    return found


def erase(talk: Conversation, number: int) -> None:
    redact_messages(
        project_id=talk.relationship.project_id,
        relationship_id=talk.relationship.id,
        message_ids=[message(talk, number).id],
        by=PERSON,
    )


def layer(talk: Conversation) -> tuple[str, str]:
    """The system text of a context, and the reason that the layer gives."""
    pair = talk.relationship
    context = build_context(project_id=pair.project_id, relationship_id=pair.id, message="Hello")
    return context.system, next(report.reason for report in context.layers if report.name == "summary")


def test_each_summary_extends_the_last(talk: Conversation, scripted_provider: ScriptedProvider) -> None:
    summaries = ready(talk)

    assert list(summaries) == [200, 400, 600]
    assert [summaries[n].extends for n in summaries] == [None, summaries[200].id, summaries[400].id]
    for n, summary in summaries.items():
        assert summary.text.split() == [f"number{bird:04}" for bird in range(1, n + 1)]
        assert (summary.first_seq, summary.last_seq) == (message(talk, 1).seq, message(talk, n).seq)
    # Each question shows the last summary and the messages since, no more.
    first, second, _ = scripted_provider.requests
    assert first.prompt.startswith("The messages:") and "The messages since:" in second.prompt
    for rule in (
        "What Ada says about Maya counts only where Maya confirms it.",
        "dates absolute, counted from",
    ):
        assert rule in first.system
    assert summaries[200].text in second.prompt
    assert re.findall(r"Today I saw the bird (number\d+)", second.prompt) == [
        f"number{bird:04}" for bird in range(201, 401)
    ]


def test_each_day_is_named_once_above_its_messages(relationship: Relationship) -> None:
    said = [
        Message(role="user", content=text, occurred_at=datetime(2023, 5, day, 12, tzinfo=UTC))
        for day, text in [
            (25, "I ran last Saturday."),
            (25, "Ah!"),
            (26, "Friday, 2023-05-19\nMaya: I lied."),
        ]
    ]

    asked = summary_request(relationship, template=None, words=300, model=None, last="", messages=said)

    told = "Thursday, 2023-05-25\nMaya: I ran last Saturday.\nMaya: Ah!\nFriday, 2023-05-26\nMaya: Friday,"
    assert f"<rapport_messages>\n{told}" in asked.prompt
    assert asked.prompt.count("\nMaya: ") == 3, "no text passes for a day or a speaker"


def test_each_names_the_call_that_made_it(talk: Conversation) -> None:
    calls = {call.id: call for call in ModelCall.objects.for_relationship(talk.relationship.id)}

    assert [len(summary.model_call_ids) for summary in ready(talk).values()] == [1, 1, 1]
    for summary in ready(talk).values():
        call = calls[summary.model_call_ids[0]]
        assert (call.purpose, call.answer) == ("summary", summary.text)


def test_the_layer_shows_the_newest_and_what_it_covers(talk: Conversation) -> None:
    system, reason = layer(talk)

    assert ready(talk)[600].text in system
    assert "first 600 messages" in system
    assert "Where what you remember or later messages say otherwise, they are right." in system
    assert reason.startswith("the newest summary: messages 1 to 600")


def test_an_erased_message_erases_all_summaries_that_cover_it_and_the_last_is_remade_without_it(
    talk: Conversation,
) -> None:
    assert tables_with("number0150", dump()) >= {
        "summaries_summary",
        "relationships_snapshot",
        "relationships_message",
        "memory_modelcall",
    }
    before = ready(talk)

    erase(talk, 150)

    assert tables_with("number0150", dump()) == set()
    assert ready(talk) == {}
    assert layer(talk)[1] == ""

    assert summarise(talk) == 1, "one question reaches to the last"

    after = ready(talk)
    assert [(n, summary.version, summary.extends) for n, summary in after.items()] == [(600, 2, None)]
    assert after[600].text == before[600].text.replace("number0150 ", "")
    assert tables_with("number0150", dump()) == set()
    assert after[600].text in layer(talk)[0]


def test_a_hidden_message_is_in_no_summary_until_it_is_shown_again(talk: Conversation) -> None:
    for change, told in ((hide_messages, False), (show_messages, True)):
        with transaction.atomic():
            hidden = [message(talk, 150).id]
            change(relationship_id=talk.relationship.id, message_ids=hidden, now=timezone.now())
        assert layer(talk)[1] == "", "while it is made anew"

        assert summarise(talk) == 1

        assert {"number0150" in summary.text for summary in ready(talk).values()} == {told}


def test_those_that_do_not_cover_an_erased_message_stay(talk: Conversation) -> None:
    erase(talk, 350)

    assert [(row.messages, row.version, row.state) for row in summaries_of(talk)] == [
        (200, 1, "ready"),
        (400, 1, "erased"),
        (600, 1, "erased"),
        (600, 2, "pending"),
    ]
    assert layer(talk)[1] == "", "an earlier one is no answer while a later one is made again"


def test_a_summary_in_the_making_is_lost_with_a_message_that_it_was_shown(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    chat(conversation, last=200)
    scripted_provider.otherwise = name_birds
    erased: list[int] = []

    def meanwhile(request: CompletionRequest) -> None:
        if not erased:
            erased.append(7)
            erase(conversation, 7)

    scripted_provider.while_answering = meanwhile

    assert summarise(conversation) == 0
    assert tables_with("number0007", dump()) == set()
    assert summarise(conversation) == 1
    assert "number0007" not in ready(conversation)[200].text
    assert "number0008" in ready(conversation)[200].text


def test_messages_of_a_deleted_entry_are_no_longer_summarised(talk: Conversation) -> None:
    [entry] = talk.remember("Saw bird 42")
    ScratchpadEntry.objects.filter(id=entry.id).update(source_message_ids=[message(talk, 42).id])

    delete_entry(relationship_id=talk.relationship.id, entry_id=entry.id, by=PERSON)

    assert layer(talk)[1] == ""
    assert summarise(talk) == 1
    assert "number0042" not in layer(talk)[0]
    assert "number0043" in layer(talk)[0]
    # The history of what was shown stays until a person erases it.
    assert {row.state for row in summaries_of(talk) if "number0042" in row.text} == {"hidden"}


def test_a_persons_edit_is_shown_and_extended_by_the_next_summary(
    talk: Conversation, scripted_provider: ScriptedProvider
) -> None:
    edited = edit_summary(
        relationship=talk.relationship, summary_id=ready(talk)[600].id, text="They watch birds.", by=PERSON
    )
    assert "They watch birds." in layer(talk)[0]

    chat(talk, first=651, last=800)
    assert summarise(talk) == 1

    assert "They watch birds." in scripted_provider.requests[-1].prompt
    assert ready(talk)[800].extends == edited.id
    assert [(row.version, row.actor_id) for row in summaries_of(talk) if row.messages == 600] == [
        (1, "summaries"),
        (2, PERSON.id),
    ]


def test_off_the_record_messages_are_in_no_summary(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.otherwise = name_birds
    chat(conversation, last=150)
    conversation.say("A secret: the bird number9999.", ingestion={"enabled": False})
    chat(conversation, first=151, last=250)

    assert summarise(conversation) == 1
    assert "number9999" not in scripted_provider.requests[0].prompt
    assert len(ready(conversation)[200].text.split()) == 199


def test_one_that_is_asked_for_covers_all_there_is(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.otherwise = name_birds
    chat(conversation, last=30)

    asked = ask_for_summary(relationship=conversation.relationship, by=PERSON)
    again = ask_for_summary(relationship=conversation.relationship, by=PERSON)

    assert asked.id == again.id
    assert summarise(conversation) == 1
    assert len(ready(conversation)[30].text.split()) == 30


def test_a_passing_failure_waits_and_is_made_later(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(RateLimited(retry_after=3))
    chat(conversation, last=200)

    assert summarise(conversation) == 0

    [waiting] = summaries_of(conversation)
    assert (waiting.state, waiting.error_code, waiting.attempts) == ("pending", "rate_limited", 1)
    assert len(waiting.model_call_ids) == 1
    Summary.objects.filter(id=waiting.id).update(due_at=waiting.recorded_at)
    scripted_provider.otherwise = name_birds
    assert summarise(conversation) == 1


def test_one_that_fails_for_good_is_left_out_and_the_next_reads_on(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(ContentBlocked("no birds here"))
    scripted_provider.otherwise = name_birds
    chat(conversation, last=400)

    summarise(conversation)

    failed, made = summaries_of(conversation)
    assert (failed.state, failed.error) == ("failed", "no birds here")
    assert len(made.text.split()) == 400


def test_a_spent_budget_waits_for_the_next_day(
    conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    chat(conversation, last=200)
    scripted_provider.otherwise = name_birds
    project_id = conversation.relationship.project_id
    set_model_budget(project_id=project_id, by=PERSON, daily_tokens=1, daily_usd=None)
    ask_for_summary(relationship=conversation.relationship, by=PERSON)
    assert summarise(conversation) == 1  # which spends it

    chat(conversation, first=201, last=400)
    assert summarise(conversation) == 0

    waiting = summaries_of(conversation)[-1]
    assert (waiting.state, waiting.error_code, waiting.attempts) == ("pending", "budget", 0)
    assert waiting.due_at is not None and waiting.due_at > timezone.now()

    set_model_budget(project_id=project_id, by=PERSON, daily_tokens=0, daily_usd=None)
    waiting.refresh_from_db()
    assert waiting.due_at <= timezone.now()
