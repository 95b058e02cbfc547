"""The form of an entry: what it refuses, keeps and leaves as it is."""

from datetime import UTC, datetime

import pytest
from django.test import Client

from memory.entries.editing import revise_entry
from memory.models import EntryRevision, ScratchpadEntry
from relationships.models import Relationship
from tests.fixtures.markup import read_aloud
from tests.fixtures.turns import PERSON, Conversation


@pytest.fixture
def page(relationship: Relationship) -> str:
    return f"/admin-ui/relationships/{relationship.id}/"


@pytest.fixture
def entry(conversation: Conversation) -> ScratchpadEntry:
    return conversation.remember("Lives in Porto")[0]


def change_meanwhile(entry: ScratchpadEntry) -> None:
    values = {"content": "Lives in Faro"}
    revise_entry(relationship_id=entry.relationship_id, entry_id=entry.id, values=values, by=PERSON)


def now(entry: ScratchpadEntry) -> ScratchpadEntry:
    found: ScratchpadEntry = ScratchpadEntry.objects.for_relationship(entry.relationship_id).get(id=entry.id)
    return found


def action(page: str, entry: ScratchpadEntry, name: str) -> str:
    return f"{page}entries/{entry.id}/{name}/"


def form_of(entry: ScratchpadEntry, **changed: object) -> dict[str, object]:
    return {
        "content": entry.content,
        "type": entry.type,
        "importance": "0.5",
        "version": entry.version,
    } | changed


def test_an_entry_written_by_hand_says_so_in_its_history(
    editor: Client, page: str, relationship: Relationship
) -> None:
    answer = editor.post(
        f"{page}entries/", {"content": "Has a cat", "type": "other", "importance": "0.7"}, follow=True
    )

    revision = EntryRevision.objects.for_relationship(relationship.id).get()
    assert (revision.actor_kind, revision.actor_id) == ("operator", "editor@example.org")
    assert "Entry added." in answer.content.decode()
    assert "Has a cat" in answer.content.decode()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"content": " "}, "This field is required"),
        ({"content": "x" * 5000}, "longer than"),
        ({"content": "a\x00b"}, "Null characters"),
        ({"content": "Lives in Porto"}, "says exactly this"),
        ({"type": "none"}, "Select a valid choice"),
        ({"importance": "7"}, "less than or equal to 1"),
        ({"happens_at": "next May"}, "This is not a year, a month, a day or a time of ISO 8601"),
        ({"expires_at": "2026-05-01T10:00"}, "Write a time with its zone, such as 2026-03-02T09:00:00Z."),
        (
            {"expires_at": "9999-12-31T00:00:00Z"},
            "This is out of range: from 0001-01-02 to 9999-12-30, in UTC.",
        ),
        ({"tags": "team"}, "team has to be name=value."),
        ({"tags": "a b=1"}, "a b has to be 1 to 60 letters from a to z, digits, and any of _ . : -."),
        ({"tags": "a=\x1f"}, "a has a control character in it, such as a line break."),
        ({"tags": "a=1\r\na=2"}, "a occurs twice."),
        ({"tags": f"a={'x' * 201}"}, "a string should have at most 200 characters."),
        (
            {"tags": "\n".join(f"t{number}=1" for number in range(13))},
            "This has 13 tags; an entry may have 12.",
        ),
    ],
    ids=[
        *("empty", "too long", "NUL", "twice", "type", "importance", "happens", "no zone", "out of range"),
        *("no tag", "name of a tag", "control character", "one tag twice", "long value", "too many tags"),
    ],
)
def test_what_can_not_be_kept_is_said_beside_the_form(
    editor: Client, page: str, entry: ScratchpadEntry, changed: dict[str, str], said: str
) -> None:
    sent = {"content": "x", "type": "other", "importance": "0.5"} | changed

    answer = editor.post(f"{page}entries/", sent)

    assert answer.status_code in (409, 422)
    assert said in answer.content.decode()
    assert ScratchpadEntry.objects.for_relationship(entry.relationship_id).count() == 1


def test_an_edit_of_an_entry_that_was_changed_meanwhile_shows_both_texts_and_overwrites_only_then(
    editor: Client, page: str, entry: ScratchpadEntry
) -> None:
    change_meanwhile(entry)

    answer = editor.post(action(page, entry, "edit"), form_of(entry, content="Lives in Lisbon"))

    shown = answer.content.decode()
    assert answer.status_code == 409
    assert "Lives in Faro" in shown and "Lives in Lisbon" in shown
    assert now(entry).content == "Lives in Faro"
    editor.post(action(page, entry, "edit"), form_of(entry, content="Lives in Lisbon", version=2))
    assert now(entry).content == "Lives in Lisbon"


def test_when_something_happens_is_corrected_and_cleared_and_stays_if_only_the_text_changes(
    editor: Client, page: str, entry: ScratchpadEntry
) -> None:
    edit = action(page, entry, "edit")
    editor.post(edit, form_of(entry, happens_at=" 2026-05 "))
    corrected = now(entry)
    filled_in = editor.get(edit).context["form"].initial
    editor.post(edit, form_of(corrected, **filled_in | {"content": "Lives in Lisbon"}))
    renamed = now(entry)
    editor.post(edit, form_of(renamed, happens_at=""))

    assert (corrected.happens_at, renamed.content, renamed.happens_at) == (
        "2026-05",
        "Lives in Lisbon",
        "2026-05",
    )
    assert now(entry).happens_at is None


def test_tags_and_expiry_are_edited_kept_to_the_letter_and_cleared(
    editor: Client, page: str, entry: ScratchpadEntry
) -> None:
    ends, tags = datetime(2027, 5, 1, 8, 0, 0, 123, tzinfo=UTC), {"a.b:c": " x = y\u2028z ", "empty": ""}
    edit = action(page, entry, "edit")
    sent = "a.b:c= x = y\u2028z \r\n\r\nempty=\r\n"
    editor.post(edit, form_of(entry, tags=sent, expires_at="2027-05-01T10:00:00.000123+02:00"))
    changed = now(entry)
    filled_in = editor.get(edit).context["form"].initial
    editor.post(edit, form_of(changed, **filled_in))
    kept = now(entry)
    editor.post(f"{page}bulk/", {"do": "pin", "entry": [str(entry.id)]})
    editor.post(edit, form_of(kept, content="Lives in Lisbon", version=3))
    renamed = now(entry)
    editor.post(edit, form_of(renamed, tags="", expires_at=""))

    assert (changed.tags, changed.expires_at) == (tags, ends)
    assert kept.version == changed.version, "nothing was different"
    assert renamed.pinned and renamed.content == "Lives in Lisbon"
    assert (renamed.tags, renamed.expires_at) == (tags, ends), "a form without these fields leaves them"
    assert (now(entry).tags, now(entry).expires_at) == ({}, None)


def test_a_change_of_tags_and_expiry_is_told_and_undone(
    editor: Client, page: str, entry: ScratchpadEntry
) -> None:
    editor.post(
        action(page, entry, "edit"), form_of(entry, tags="team=red", expires_at="2027-05-01T10:00:00Z")
    )
    revision = EntryRevision.objects.for_relationship(entry.relationship_id).latest("seq")
    shown = read_aloud(editor.get(f"{page}entries/{entry.id}/"))
    editor.post(f"{page}entries/{entry.id}/undo/{revision.seq}/")

    assert "tags: none → team: red; expires: none → 1 May 2027, 10:00" in shown
    assert "expires 1 May 2027, 10:00 UTC" in shown, "among what is true of it now"
    assert (now(entry).tags, now(entry).expires_at) == ({}, None)


def test_a_form_leads_back_to_our_pages_only(editor: Client, page: str, entry: ScratchpadEntry) -> None:
    sent = form_of(entry, content="Lives in Lisbon", next="https://elsewhere.example/")

    assert editor.post(action(page, entry, "edit"), sent)["Location"] == page


@pytest.mark.parametrize("part", ["entries/", "entries/{id}/edit/"])
def test_a_page_with_a_form_leads_back_to_our_pages_only(
    editor: Client, page: str, entry: ScratchpadEntry, part: str
) -> None:
    address = page + part.format(id=entry.id)

    shown = editor.get(f"{address}?next={page}%3Ftext%3Dporto").content.decode()
    hostile = editor.get(f"{address}?next=https://elsewhere.example/").content.decode()

    assert shown.count(f'"{page}?text=porto"') == 2  # the form's own, and Cancel
    assert "elsewhere.example" not in hostile


def test_who_an_entry_is_about_stands_in_one_line(editor: Client, page: str, entry: ScratchpadEntry) -> None:
    """As the API has it: it stands in lists and logs, and an export that holds it can be imported."""
    answer = editor.post(action(page, entry, "edit"), form_of(entry, subject="Ana\x01Bo"))

    assert answer.status_code == 409 and "control character" in answer.content.decode()
    assert now(entry).subject == "user"
