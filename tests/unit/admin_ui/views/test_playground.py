import pytest
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from admin_ui.conversation import MOST_REFUSED
from chat.models import KeptContext
from memory.ingestion.pipeline import drain_relationship
from memory.models import OperationResult
from relationships.models import Companion, Relationship, Role, Turn, TurnState
from tests.fakes import ScriptedProvider
from tests.fixtures.chat import events_of, text_in
from tests.fixtures.markup import squeezed
from tests.fixtures.operators import Browser
from tests.fixtures.turns import Conversation, answer, delete

HTMX = {"HX-Request": "true", "HX-Target": "talk"}


@pytest.fixture
def offline(companion: Companion) -> Companion:
    companion.config = {"ingestion": {"provider": "offline"}, "context": {"provider": "offline"}}
    companion.save()
    return companion


def begin(client: Client, companion: Companion) -> str:
    return str(client.post("/admin-ui/playground/", {"companion": str(companion.id)})["Location"])


def test_a_talk_is_remembered_and_shown_beside_it(editor: Client, offline: Companion) -> None:
    page = begin(editor, offline)

    said = editor.post(page, {"message": "I live in Porto."}, headers=HTMX).content.decode()
    assert "No model is set up" in said
    assert "remembering…" in said
    assert "data-poll" in said

    relationship = Relationship.objects.get()
    drain_relationship(relationship_id=relationship.id, worker="test")
    after = editor.get(page, headers=HTMX).content.decode()
    assert "memory updated" in after
    assert "Lives in Porto" in after
    assert "data-poll" not in after


def test_a_turn_that_was_read_in_vain_says_why_in_the_talk(editor: Client, offline: Companion) -> None:
    page = begin(editor, offline)
    editor.post(page, {"message": "I live in Porto."}, headers=HTMX)
    Turn.objects.update(
        state=TurnState.PENDING, error_code="unauthorized", due_at=timezone.now(), settled_at=None
    )

    shown = editor.get(page).content.decode()

    assert "API key refused" in shown and "Next try " in shown
    assert "remembering…" not in shown


def test_who_may_not_chat_is_told_why(viewer: Client, editor: Client, offline: Companion) -> None:
    why = "That takes an editor's role"

    assert why in viewer.get("/admin-ui/playground/").content.decode()
    assert why not in editor.get("/admin-ui/playground/").content.decode()


def test_each_operator_has_a_test_user_of_their_own(signed_in: Browser, offline: Companion) -> None:
    pages = {begin(signed_in(role), offline) for role in (Role.EDITOR, Role.OWNER)}

    assert len(pages) == 2


def test_what_can_not_be_sent_is_said_and_stays_in_the_field(editor: Client, offline: Companion) -> None:
    page = begin(editor, offline)

    said = editor.post(page, {"message": "x" * 70_000}, headers=HTMX).content.decode()

    assert 'role="alert"' in said
    assert "x" * 70_000 in said


def test_a_viewer_may_not_talk(signed_in: Browser, editor: Client, offline: Companion) -> None:
    page = begin(editor, offline)

    assert signed_in(Role.VIEWER).get(page).status_code == 403


def test_deletions_that_were_held_are_said_in_the_talk(
    editor: Client, companion: Companion, scripted_provider: ScriptedProvider
) -> None:
    companion.config = {
        "ingestion": {"provider": "scripted", "deletion_hold": {"share": 0, "count": 0}},
        "context": {"provider": "offline"},
    }
    companion.save()
    page = begin(editor, companion)
    conversation = Conversation(Relationship.objects.get())
    conversation.remember("Lives in Porto")
    scripted_provider.answer_with(answer(delete(1)))

    editor.post(page, {"message": "Forget it."}, headers=HTMX)
    conversation.drain()

    assert "1 deletion awaiting review" in editor.get(page, headers=HTMX).content.decode()


def test_a_reply_is_streamed_to_a_page_with_a_script(editor: Client, offline: Companion) -> None:
    page = begin(editor, offline)

    answer = editor.post(page, {"message": "I live in Porto."}, headers={"Accept": "text/event-stream"})

    events = events_of(answer.getvalue())
    assert answer["Content-Type"] == "text/event-stream" and "No model is set up" in text_in(events)
    kept = KeptContext.objects.get()
    assert str(kept.id) == events[-1]["rapport"]["context_id"]
    conversation = editor.get(
        f"/admin-ui/relationships/{kept.relationship_id}/conversation/"
    ).content.decode()
    assert "Context shown" in conversation


def test_an_operation_that_was_refused_is_said_in_the_talk_and_in_the_conversation_and_why(
    editor: Client, companion: Companion, scripted_provider: ScriptedProvider
) -> None:
    companion.config = {"ingestion": {"provider": "scripted"}, "context": {"provider": "offline"}}
    companion.save()
    page = begin(editor, companion)
    relationship = Relationship.objects.get()
    markup = "<b>Lives in Porto</b>"
    wrong = [
        {"op": "change", "content": markup, "messages": [1]},
        delete(8),
        delete(9),
        delete(10),
        delete(11),
    ]
    scripted_provider.answer_with(answer(*wrong), answer(*wrong))

    editor.post(page, {"message": "I live in Porto."}, headers=HTMX)
    Conversation(relationship).drain()

    turn = Turn.objects.get()
    shown = squeezed(editor.get(page, headers=HTMX))
    conversation = squeezed(editor.get(f"/admin-ui/relationships/{relationship.id}/conversation/"))
    reason = OperationResult.objects.get(number=0).reason
    assert reason
    for told in (shown, conversation):
        assert told.count(">refused</span>") == MOST_REFUSED
        assert f"Change<bdi>{escape(markup)}</bdi>" in told and f"<bdi>{escape(reason)}</bdi>" in told
        assert f'/turns/{turn.id}/#operations">2 more refused</a>' in told
        assert '<span class="badge">no changes</span>' in told


def test_a_page_without_a_script_does_not_say_it_again_when_it_is_reloaded(
    editor: Client, offline: Companion
) -> None:
    page = begin(editor, offline)

    said = editor.post(page, {"message": "I live in Porto."})

    assert said.status_code == 302 and said["Location"] == page
    assert "I live in Porto." in editor.get(page).content.decode()


def test_a_talk_in_somebody_elses_memory_says_whose_it_is(
    editor: Client, relationship: Relationship, offline: Companion
) -> None:
    own = squeezed(editor.get(begin(editor, offline)))
    real = squeezed(editor.get(f"/admin-ui/playground/{relationship.id}/"))

    name = str(relationship.user)
    assert f'<bdi title="{name}">{name}</bdi>' in real
    assert f"This is the memory of<bdi>{name}</bdi>, not of your test user." in real
    assert '<bdi title="Test user">Test user</bdi>' in own
    assert "not of your test user" not in own
