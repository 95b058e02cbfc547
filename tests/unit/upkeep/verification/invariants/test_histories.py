from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import uuid4

import pytest

from memory.entries.editing import delete_entry, restore_entry, revise_entry
from memory.forgetting.expiry import expire_entries
from memory.models import EntryRevision, ScratchpadEntry
from tests.fixtures.turns import PERSON, Conversation
from tests.unit.upkeep.verification.damage import check_left, check_mended, check_whole, problems, unguarded
from upkeep.erasure import erase_entry
from upkeep.verification import verify
from web.actor import Actor

BY = Actor.policy("test")


def named(conversation: Conversation, content: str) -> ScratchpadEntry:
    return next(entry for entry in conversation.entries if entry.content == content)


def test_every_way_to_change_an_entry_keeps_its_history_whole(lived: Conversation) -> None:
    tea = named(lived, "Likes tea")
    own: dict[str, Any] = {"relationship_id": tea.relationship_id, "entry_id": tea.id, "by": PERSON}
    soon = datetime.now(timezone(timedelta(hours=5, minutes=30))) + timedelta(milliseconds=1)
    revise_entry(**own, values={"happens_at": soon, "expires_at": soon, "importance": 1, "tags": {"a": "b"}})
    expire_entries(datetime.now(UTC))
    restore_entry(**own)
    delete_entry(**own)
    lived.remember("Likes tea")
    erase_entry(**own)

    check_whole()


@pytest.mark.parametrize(
    "values",
    [
        {"content": "Likes coffee"},
        {"importance": 0.9},
        {"happens_at": datetime(2026, 5, 1, tzinfo=UTC)},
        {"tags": {"a": "b"}},
        {"source_message_ids": []},
        {"tier": "archive"},
    ],
    ids=lambda values: next(iter(values)),
)
def test_a_change_behind_the_history_is_written_into_it(
    lived: Conversation, values: dict[str, object]
) -> None:
    cat = named(lived, "Has a cat")
    before = lived.revisions[-1].seq
    ScratchpadEntry.objects.filter(id=cat.id).update(**values)

    report = verify(repair=True)

    assert report.tallies["histories", "differs"].examples[0].detail.split()[-1] in {*values, "content_hash"}
    assert report.holds
    check_whole()
    written = EntryRevision.objects.filter(entry_id=cat.id).order_by("-seq")[0]
    assert written.seq > before
    assert written.actor_id == "verify"
    assert written.before["content"] == "Has a cat"
    assert all(
        getattr(ScratchpadEntry.objects.get(id=cat.id), name) == value for name, value in values.items()
    )


def test_a_version_that_the_history_does_not_know_is_put_right(lived: Conversation) -> None:
    ScratchpadEntry.objects.filter(id=lived.entries[0].id).update(version=7)

    check_mended(["histories/differs"])


def test_an_entry_without_a_history_begins_one(lived: Conversation) -> None:
    tea = named(lived, "Likes tea")
    with unguarded():
        EntryRevision.objects.filter(entry_id=tea.id).delete()

    report = verify(repair=True)

    assert report.tallies["histories", "without_history"].left == 0
    assert EntryRevision.objects.get(entry_id=tea.id).event == "add"
    assert set(problems(verify())) == {"numbers/gap"}  # the lost revisions stay lost


def test_an_entry_that_is_lost_comes_back_from_its_history(lived: Conversation) -> None:
    tea = named(lived, "Likes tea")
    ScratchpadEntry.objects.filter(id=tea.id).delete()

    check_mended(["histories/gone", "index/of_nothing", "snapshots/differs"])

    back = ScratchpadEntry.objects.get(id=tea.id)
    assert (back.content, back.version, back.effective_at) == (tea.content, tea.version, tea.effective_at)


def test_an_entry_that_was_erased_and_is_back_is_left_to_a_person(lived: Conversation) -> None:
    tea = named(lived, "Likes tea")
    erase_entry(relationship_id=tea.relationship_id, entry_id=tea.id, by=BY)
    tea.save(force_insert=True)

    report = verify(repair=True)

    assert report.tallies["histories", "erased_but_there"].left == 1


def test_a_revision_that_was_changed_breaks_the_history(lived: Conversation) -> None:
    changed = EntryRevision.objects.filter(event="update").get()
    with unguarded():
        EntryRevision.objects.filter(id=changed.id).update(
            before={**changed.before, "content": "Lives in Rome"}
        )

    report = check_left(["histories/broken"])

    assert f"at seq {changed.seq} content" in "\n".join(report.lines())


@pytest.mark.parametrize("event", ["add", "update"])
def test_a_lost_revision_breaks_the_history(lived: Conversation, event: str) -> None:
    porto = named(lived, "Lives in Lisbon")
    revise_entry(relationship_id=porto.relationship_id, entry_id=porto.id, values={"pinned": True}, by=PERSON)
    with unguarded():
        EntryRevision.objects.filter(entry_id=porto.id, event=event).order_by("seq")[0].delete()

    assert "histories/broken" in problems(verify())


def test_a_revision_of_an_entry_that_never_was_brings_it_back(lived: Conversation) -> None:
    tea = EntryRevision.objects.filter(event="add").order_by("seq")[0]
    stranger = uuid4()
    told = {**tea.after, "id": str(stranger), "content": "Likes water", "content_hash": "00" * 32}
    with unguarded():
        EntryRevision.objects.filter(id=tea.id).update(entry_id=stranger, after=told)

    assert problems(verify())["histories/gone"] == 1
