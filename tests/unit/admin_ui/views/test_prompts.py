import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from admin_ui.views import prompts
from admin_ui.views.prompts import conversation_lines
from memory.ingestion.replays import run_replay
from memory.ingestion.templates import default_instructions
from memory.models import IngestionPrompt, Replay, ScratchpadEntry
from providers.errors import Unauthorized
from relationships.models import Companion, Relationship, Turn
from tests.fakes import ScriptedProvider
from tests.fixtures.markup import squeezed
from tests.fixtures.turns import Conversation, add, answer

TICKED = re.compile(r'name="turn" value="([^"]+)" checked')
HTMX = {"HX-Request": "true", "HX-Target": "replay"}


@pytest.fixture
def page(companion: Companion) -> str:
    return f"/admin-ui/companions/{companion.id}/prompt/"


def test_the_page_shows_the_prompt_in_use(
    viewer: Client, page: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(12):
        shown = viewer.get(page).content.decode()

    assert "The default prompt is in use." in shown
    assert "Save and publish" not in shown


def test_a_draft_is_shown_against_the_one_in_use(editor: Client, page: str) -> None:
    editor.post(page, {"template": "Keep names only.", "do": "publish"})

    shown = editor.post(page, {"template": "Keep places only.", "do": "keep"}, follow=True).content.decode()

    assert ">Keep places only.</textarea>" in shown  # to go on with
    assert "<del>names</del><ins>places</ins>" in shown


def test_a_template_that_can_not_be_read_is_refused_with_its_line(editor: Client, page: str) -> None:
    answer = editor.post(page, {"template": "Fine.\n{% if %}", "do": "publish"})

    assert answer.status_code == 422
    assert "line 2" in answer.content.decode()
    assert not IngestionPrompt.objects.exists()


def replayed(editor: Client, page: str, turn: Turn) -> str:
    """The page of a draft's replay of this turn."""
    owner, template = str(turn.relationship_id), "Keep pets only."
    sent = {"template": template, "do": "replay", "relationship": owner, "turn": str(turn.id)}
    return editor.post(page, sent)["Location"]


def test_a_replay_shows_both_scratchpads_and_writes_nothing(
    editor: Client,
    page: str,
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
) -> None:
    turn = conversation.say("I live in Porto and have a dog.")
    replay_page = replayed(editor, page, turn)
    assert "Running: 0 of 2 done." in editor.get(replay_page, headers=HTMX).content.decode()

    drafted = answer(add("Has a dog named Rex"), add("Is glad"))
    scripted_provider.answer_with(answer(add("Lives in Porto"), add("Has a dog"), add("Is glad")), drafted)
    run_replay(relationship_id=turn.relationship_id, replay_id=Replay.objects.get().id)

    answered = editor.get(replay_page, headers=HTMX)
    shown = answered.content.decode()
    assert "I live in Porto and have a dog." in shown.split("Draft")[0], "what was said stands beside"
    assert "2 of 3 entries differ." in squeezed(answered)
    assert [shown.count(f">{word}<") for word in ("differs", "only here", "identical")] == [2, 1, 2]
    assert "Has a dog<ins> named Rex</ins>" in shown and "<del>Lives in Porto</del>" in shown
    assert "ignore prompts" not in shown
    assert "data-poll" not in shown
    assert not ScratchpadEntry.objects.exists()


def test_a_replay_that_waits_says_why(
    editor: Client,
    page: str,
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
) -> None:
    turn = conversation.say("I live in Porto.")
    replay_page = replayed(editor, page, turn)
    scripted_provider.answer_with(Unauthorized())
    run_replay(relationship_id=turn.relationship_id, replay_id=Replay.objects.get().id)

    waiting = squeezed(editor.get(replay_page, headers=HTMX))

    assert "Running: 0 of 2 done." in waiting
    assert "<strong>API key refused.</strong>Next try" in waiting


def test_a_turn_leads_to_its_replay_ticked(
    editor: Client,
    page: str,
    relationship: Relationship,
    conversation: Conversation,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old = conversation.say("I have a dog.")
    conversation.say("I have a cat.")
    monkeypatch.setattr(prompts, "TURNS_SHOWN", 1)

    shown = squeezed(editor.get(f"{page}?relationship={relationship.id}&turn={old.id}"))

    assert f'name="turn" value="{old.id}" checked' in shown
    assert shown.count(" checked") == 1


def test_the_last_ten_turns_are_ticked_and_the_offline_rules_are_told_of(
    editor: Client, page: str, conversation: Conversation
) -> None:
    turns = [conversation.say(f"I have {number} dogs.") for number in range(12)]
    Companion.objects.update(config={"ingestion": {"provider": "offline"}})

    shown = squeezed(editor.get(page))
    again = {
        "template": "x",
        "do": "choose",
        "turn": str(turns[0].id),
        "relationship": str(turns[0].relationship_id),
    }
    chosen = squeezed(editor.post(page, again))

    assert TICKED.findall(shown) == [str(turn.id) for turn in reversed(turns[2:])]
    assert TICKED.findall(chosen) == [str(turns[0].id)]
    assert chosen.index(str(turns[0].id)) < chosen.index(str(turns[11].id)), "what is ticked is first"
    assert "the offline rules, which ignore prompts" in shown
    assert "Select all" in shown


def test_the_draft_can_be_kept_from_its_replay(
    editor: Client, page: str, relationship: Relationship, conversation: Conversation
) -> None:
    turn = conversation.say("I have a dog.")
    sent = {
        "template": "Keep <pets>.",
        "do": "replay",
        "relationship": str(relationship.id),
        "turn": str(turn.id),
    }

    shown = editor.post(page, sent, follow=True).content.decode()

    assert "Keep &lt;pets&gt;.</textarea>" in shown
    assert f'action="{page}"' in shown


def test_a_pasted_conversation_is_read_as_the_test_users(editor: Client, page: str) -> None:
    editor.post(
        page, {"template": default_instructions(), "do": "replay", "conversation": "user: I live in Porto."}
    )

    replay = Replay.objects.get()
    assert replay.messages == [{"role": "user", "content": "I live in Porto."}]


def test_a_replay_of_nothing_is_refused_in_words(
    editor: Client, page: str, relationship: Relationship
) -> None:
    answer = editor.post(page, {"template": "x", "do": "replay", "relationship": str(relationship.id)})

    assert answer.status_code == 422
    assert "choose at least one" in answer.content.decode()


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("user: Hi\ncompanion: Hello", [("user", "Hi"), ("assistant", "Hello")]),
        ("User: One\ntwo\n\nASSISTANT: Three", [("user", "One\ntwo"), ("assistant", "Three")]),
        ("Just a line: with a colon", [("user", "Just a line: with a colon")]),
        ("user:\ncompanion: Hello", [("assistant", "Hello")]),
    ],
)
def test_a_conversation_is_read_line_by_line(text: str, lines: list[tuple[str, str]]) -> None:
    assert [(line.role, line.content) for line in conversation_lines(text)] == lines


@pytest.mark.parametrize(
    ("pasted", "said"),
    [
        ("user: Hi.\n" * 51, "Messages are 51; paste at most 50."),
        (
            f"user: {'x' * 70_000}",
            "Messages have one that is longer than 65536 bytes; send it as several messages.",
        ),
    ],
    ids=["too many", "too long"],
)
def test_a_pasted_conversation_is_no_longer_than_a_turn_may_be(
    editor: Client, companion: Companion, pasted: str, said: str
) -> None:
    sent = {"template": "Keep all.", "do": "replay", "conversation": pasted}

    answer = editor.post(f"/admin-ui/companions/{companion.id}/prompt/", sent)

    assert answer.status_code == 422 and said in answer.content.decode()
    assert pasted.strip() in answer.content.decode(), "it stays in the form"
    assert not Replay.objects.exists()
