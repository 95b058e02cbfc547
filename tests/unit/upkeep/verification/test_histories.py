"""An entry and what its history says of it: what is written down, what comes back, what stays with a person."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any
from uuid import uuid4

import pytest

from memory.entries.adding import add_entry
from memory.entries.editing import delete_entry, revise_entry
from memory.entries.fingerprint import content_hash
from memory.entries.restoring import restore_entry
from memory.entries.snapshots import rebuild_scratchpad
from memory.forgetting.expiry import expire_entries
from memory.models import EntryRevision, EntrySource, ScratchpadEntry, SearchText
from relationships.services.api_keys import create_api_key, revoke_api_key
from tests.fixtures.archives import copied
from tests.fixtures.turns import PERSON, Conversation
from tests.unit.upkeep.verification.damage import (
    check_left,
    check_mended,
    check_whole,
    problems,
    run,
    unguarded,
)
from upkeep.erasure.entries import erase_entry
from upkeep.verification import verify
from web.actor import Actor, ActorKind

BY = Actor.policy("test")


def named(conversation: Conversation, content: str) -> ScratchpadEntry:
    return next(entry for entry in conversation.entries if entry.content == content)


def add_by(conversation: Conversation, by: Actor) -> None:
    values = {"content": f"Was told of by {by.kind}", "type": "other"}
    add_entry(relationship=conversation.relationship, values=values, by=by, source=EntrySource.API)


def test_every_way_to_change_an_entry_by_whomever_there_is_keeps_its_history_whole(
    lived: Conversation,
) -> None:
    relationship, tea = lived.relationship, named(lived, "Likes tea")
    own: dict[str, Any] = {"relationship_id": tea.relationship_id, "entry_id": tea.id, "by": PERSON}
    soon = datetime.now(timezone(timedelta(hours=5, minutes=30))) + timedelta(milliseconds=1)
    revise_entry(
        **own, values={"happens_at": "2026-05", "expires_at": soon, "importance": 1, "tags": {"a": "b"}}
    )
    expire_entries(datetime.now(UTC))
    restore_entry(**own)
    delete_entry(**own)
    lived.remember("Likes tea")
    erase_entry(**own)
    key, _ = create_api_key(project_id=relationship.project_id, name="app", scopes=["write"], by=PERSON)
    add_by(lived, Actor(ActorKind.DEVELOPER, key.prefix))
    revoke_api_key(project_id=relationship.project_id, key_id=key.id, by=PERSON)
    add_by(lived, Actor(ActorKind.END_USER, str(relationship.user_id)))

    check_whole()


@pytest.mark.parametrize(
    "values",
    [
        {"content": "Likes coffee"},
        {"importance": 0.9},
        {"happens_at": "2026-05-01"},
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
    assert (written.actor_id, written.before["content"]) == ("verify", "Has a cat")
    now = ScratchpadEntry.objects.get(id=cat.id)
    assert all(getattr(now, name) == value for name, value in values.items())


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


def test_what_was_erased_and_is_back_is_left_to_a_person_and_goes_from_the_index(lived: Conversation) -> None:
    cat = named(lived, "Has a cat")
    row = SearchText.objects.get(kind="message", owner_id=cat.source_message_ids[0])
    erase_entry(relationship_id=cat.relationship_id, entry_id=cat.id, by=BY)
    row.save(force_insert=True)
    check_mended(["index/of_nothing"])
    assert not SearchText.objects.filter(owner_id=row.owner_id).exists()

    cat.save(force_insert=True)

    assert verify(repair=True).tallies["histories", "erased_but_there"].left == 1


def test_a_revision_that_was_changed_breaks_the_history(lived: Conversation) -> None:
    changed = EntryRevision.objects.filter(event="update").get()
    with unguarded():
        EntryRevision.objects.filter(id=changed.id).update(
            before={**changed.before, "content": "Lives in Rome"}
        )

    report = check_left(["histories/broken"])

    assert f"at seq {changed.seq} content" in "\n".join(report.lines())


def test_a_revision_of_an_entry_that_never_was_brings_it_back(lived: Conversation) -> None:
    tea = EntryRevision.objects.filter(event="add").order_by("seq")[0]
    stranger = uuid4()
    told = {**tea.after, "id": str(stranger), "content": "Likes water", "content_hash": "00" * 32}
    with unguarded():
        EntryRevision.objects.filter(id=tea.id).update(entry_id=stranger, after=told)

    assert problems(verify())["histories/gone"] == 1


def test_a_fingerprint_that_another_entry_has_is_left_and_the_others_are_mended(lived: Conversation) -> None:
    one, other, third = lived.entries[:3]
    for entry in (other, third):
        ScratchpadEntry.objects.filter(id=entry.id).update(content_hash=str(entry.id)[:32].encode())
    ScratchpadEntry.objects.filter(id=other.id).update(content=one.content)

    report = verify(repair=True)

    assert report.tallies["fingerprints", "wrong"].left == 1
    assert bytes(ScratchpadEntry.objects.get(id=third.id).content_hash) == content_hash(third.content)


def test_what_was_imported_keeps_who_did_it_elsewhere(lived: Conversation) -> None:
    """Its keys, accounts and calls are of where it comes from; what is changed here must be somebody's here."""
    with unguarded():
        run(
            "UPDATE memory_entryrevision SET actor_id = 'rk_elsewher', actor_kind = 'developer' WHERE seq = 1"
        )
    copy = copied(lived.relationship, calls=False)
    assert problems(verify(relationship_id=copy.id)) == {}
    report = verify(relationship_id=lived.relationship.id)
    assert problems(report) == {"actors/nobody": 1}
    assert "rk_elsewher" not in "\n".join(report.lines())

    add_by(Conversation(copy), Actor(ActorKind.OPERATOR, "nobody@example.org"))

    assert problems(verify(relationship_id=copy.id)) == {"actors/nobody": 1}
    assert EntryRevision.objects.for_relationship(copy.id).count() == len(lived.revisions) + 1


def test_time_alone_makes_no_snapshot_wrong(lived: Conversation) -> None:
    """Lines that have begun, ended or expired since it was written: readers look at each line's own times."""
    now = datetime.now(UTC)
    times = [now - timedelta(minutes=30), now - timedelta(minutes=20), now + timedelta(minutes=10)]
    fields = ["valid_from", "valid_to", "expires_at"]
    for entry, field, at in zip(lived.entries, fields, times, strict=False):
        revise_entry(relationship_id=entry.relationship_id, entry_id=entry.id, values={field: at}, by=PERSON)
    entry = lived.entries[0]
    own = {"relationship_id": entry.relationship_id, "project_id": entry.project_id}
    for minutes in (60, 25, 15, 0):
        rebuild_scratchpad(**own, now=now - timedelta(minutes=minutes))
        check_whole()
    assert ScratchpadEntry.objects.active().count() >= 3
