"""Who is in a person's life, and what was when. Its statements are counted in test_urls.py."""

import re

from django.test import Client

from admin_ui.people import value_histories_of
from memory.entries.adding import add_entry
from memory.entries.editing import delete_entry, revise_entry
from memory.models import EntrySource, ScratchpadEntry
from relationships.models import Relationship
from tests.fixtures.markup import squeezed
from web.actor import Actor

BY = Actor.policy("test")


def keep(relationship: Relationship, content: str, **values: object) -> ScratchpadEntry:
    return add_entry(
        relationship=relationship,
        values={"type": "other", "content": content, **values},
        by=BY,
        source=EntrySource.MANUAL,
        reason="",
        limit=100,
    )


def test_people_have_their_facts_and_every_dot_leads_to_a_history(
    viewer: Client, relationship: Relationship
) -> None:
    ana = keep(relationship, "Ana is a teacher", subject="Ana")
    sister = keep(relationship, "Has a sister, Ana", type="relationship")
    dog = keep(relationship, "Has a dog named Bruno", type="relationship")
    trip = keep(relationship, "Banana market", happens_at="2031-05")

    page = squeezed(viewer.get(f"/admin-ui/relationships/{relationship.id}/people/"))

    people = page.split('<section class="card" aria-labelledby="values"')[0]
    card = people.split('id="person-0"')[1].split("Relationships of")[0]
    assert [str(row.id) in card for row in (ana, sister, dog, trip)] == [True, True, False, False]
    assert {f"/entries/{row.id}/" in people for row in (ana, sister, dog)} == {True}
    dots = re.findall(r'<a href="([^"]+)"><title>[^<]*</title><circle class="(?:dot|single)', page)
    assert len(dots) == 5, "each entry once in the graph, and the trip on the line"
    assert all(viewer.get(address).status_code == 200 for address in dots)
    assert page.index("Today and ahead") < page.rindex("Banana market") < page.index("<h3>Past")


def test_a_key_is_one_line_through_its_entries_and_their_changes(relationship: Relationship) -> None:
    porto = keep(relationship, "Lives in Porto", key="city", single_valued=True)
    revise_entry(
        relationship_id=relationship.id, entry_id=porto.id, values={"content": "Lives in Braga"}, by=BY
    )
    revise_entry(relationship_id=relationship.id, entry_id=porto.id, values={"pinned": True}, by=BY)
    lisbon = keep(relationship, "Lives in Lisbon", key="city", single_valued=True)
    tea = keep(relationship, "Likes tea")
    revise_entry(relationship_id=relationship.id, entry_id=tea.id, values={"content": "Likes coffee"}, by=BY)
    delete_entry(relationship_id=relationship.id, entry_id=tea.id, by=BY)
    keep(relationship, "Never changes")

    city, other = value_histories_of(relationship.id)

    assert [(part.text, part.ends is None) for part in city.spans] == [
        ("Lives in Porto", False),
        ("Lives in Braga", False),
        ("Lives in Lisbon", True),
    ]
    assert city.spans[1].ends == city.spans[2].begins
    assert city.spans[2].entry_id == lisbon.id
    assert (city.name, other.name) == ("city", "other")
    (first, last) = other.spans
    assert first.ends == last.begins
    assert last.ends is not None and first.begins < last.begins < last.ends
