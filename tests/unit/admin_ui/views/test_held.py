import pytest
from django.test import Client

from memory.entries.editing import delete_entry
from memory.models import HeldDeletion, ScratchpadEntry
from relationships.models import Relationship
from tests.fakes import ScriptedProvider
from tests.fixtures.api import TESTER
from tests.fixtures.markup import squeezed
from tests.fixtures.turns import Conversation, add, answer, delete


@pytest.fixture
def held(conversation: Conversation, scripted_provider: ScriptedProvider) -> HeldDeletion:
    """A model that wanted everything gone."""
    conversation.remember(*[f"Fact {number}" for number in range(6)])
    scripted_provider.answer_with(answer(*[delete(number) for number in range(1, 6)]))
    conversation.say("Forget it all.")
    conversation.drain()
    waiting: HeldDeletion = HeldDeletion.objects.get()
    return waiting


@pytest.mark.parametrize(("decision", "left"), [("decline", 6), ("confirm", 1)])
def test_a_person_decides_what_becomes_of_them(
    editor: Client, relationship: Relationship, held: HeldDeletion, decision: str, left: int
) -> None:
    page = f"/admin-ui/relationships/{relationship.id}/"
    assert "5 deletions awaiting review" in editor.get(page).content.decode()

    editor.post(f"{page}held/{held.id}/", {"decision": decision})

    assert ScratchpadEntry.objects.for_relationship(relationship.id).active().count() == left
    assert "awaiting review" not in editor.get(page).content.decode()


def test_a_review_of_what_is_gone_already_can_only_be_closed(
    editor: Client, relationship: Relationship, held: HeldDeletion
) -> None:
    page = f"/admin-ui/relationships/{relationship.id}/"
    entries = list(ScratchpadEntry.objects.for_relationship(relationship.id).order_by("effective_at"))
    for entry in entries[:3]:
        delete_entry(relationship_id=relationship.id, entry_id=entry.id, by=TESTER)
    some_left = squeezed(editor.get(page))
    for entry in entries[3:]:
        delete_entry(relationship_id=relationship.id, entry_id=entry.id, by=TESTER)
    none_left = squeezed(editor.get(page))
    done = editor.post(f"{page}held/{held.id}/", {"decision": "close"}, follow=True).content.decode()

    assert "deleted already" in some_left and "Keep them" in some_left
    assert none_left.count("deleted already") == 5 and "Keep them" not in none_left
    assert "Review closed." in done and "awaiting review" not in done


@pytest.mark.parametrize(
    ("decision", "said", "listed"),
    [
        (None, "5 deletions awaiting review", "5 awaiting review"),
        ("decline", "5 deletions declined", "5 deletions declined"),
        ("confirm", "memory updated", "5 deletions confirmed"),
    ],
)
def test_a_turn_whose_only_effect_was_held_is_not_called_nothing_new(
    editor: Client,
    relationship: Relationship,
    held: HeldDeletion,
    decision: str | None,
    said: str,
    listed: str,
) -> None:
    page = f"/admin-ui/relationships/{relationship.id}/"
    if decision:
        editor.post(f"{page}held/{held.id}/", {"decision": decision})

    for address, words in (
        (f"{page}conversation/", said),
        (f"{page}turns/{held.turn_id}/", said),
        ("/admin-ui/turns/", listed),
    ):
        shown = editor.get(address).content.decode()
        assert words in shown, address
        assert "no changes" not in shown, address
        assert ("awaiting review" in shown) is (decision is None), address


def test_one_deletion_awaits_review_beside_what_was_changed(
    viewer: Client,
    relationship: Relationship,
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
) -> None:
    Relationship.objects.filter(id=relationship.id).update(
        config={"ingestion": {"deletion_hold": {"share": 0, "count": 0}}}
    )
    conversation.remember("Has a dog")
    scripted_provider.answer_with(answer(delete(1), add("Has a cat")))
    conversation.hear("The dog is a cat.")

    shown = viewer.get(f"/admin-ui/relationships/{relationship.id}/conversation/").content.decode()

    assert "memory updated" in shown and "1 deletion awaiting review" in shown


def test_the_overview_and_the_list_count_the_deletions(viewer: Client, held: HeldDeletion) -> None:
    assert "<span>Awaiting review</span><strong>5</strong>" in squeezed(viewer.get("/admin-ui/"))
    assert "5 awaiting review" in viewer.get("/admin-ui/relationships/").content.decode()
