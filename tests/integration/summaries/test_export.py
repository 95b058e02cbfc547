"""Summaries go with their relationship, wherever it is taken."""

import pytest

from relationships.models import Message, Snapshot
from summaries.models import Summary
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.archives import copied
from tests.fixtures.people import meet
from tests.fixtures.summaries import chat, name_birds, ready, summarise
from tests.fixtures.turns import Conversation
from tests.unit.upkeep.verification.damage import problems
from upkeep.verification.pipeline import verify


@pytest.fixture
def talk(conversation: Conversation, scripted_provider: ScriptedProvider) -> Conversation:
    scripted_provider.otherwise = name_birds
    chat(conversation, last=420)
    summarise(conversation)
    return conversation


def test_an_import_has_them_as_they_were_and_goes_on_from_them(
    talk: Conversation, scripted_provider: ScriptedProvider
) -> None:
    before = ready(talk)
    there = Conversation(copied(talk.relationship))

    after = ready(there)
    assert {n: (row.id, row.text, row.extends) for n, row in after.items()} == {
        n: (row.id, row.text, row.extends) for n, row in before.items()
    }
    for n, row in after.items():
        last = Message.objects.for_relationship(there.relationship.id).get(seq=row.last_seq)
        assert f"number{n:04}" in last.content
    assert Snapshot.objects.get(relationship_id=there.relationship.id).summary["id"] == str(after[400].id)

    there.relationship.refresh_from_db()
    chat(there, first=421, last=600)
    assert summarise(there) == 1
    assert ready(there)[600].extends == after[400].id


def test_one_that_was_owed_is_owed_there(talk: Conversation) -> None:
    chat(talk, first=421, last=600)
    there = Conversation(copied(talk.relationship))

    assert summarise(there) == 1
    assert len(ready(there)[600].text.split()) == 600


def test_an_archive_that_does_not_fit_is_refused_by_its_fields(talk: Conversation, api: Api) -> None:
    document = api.get(f"/relationships/{talk.relationship.id}/export").body
    there = meet(talk.relationship.companion, "elsewhere")
    document["summaries"][0]["messages"] = 421
    document["summaries"][1]["state"] = "erased"

    refused = api.post(f"/relationships/{there.id}/import", document)

    assert refused.status == 422
    assert set(refused.fields) == {"summaries.0.messages", "summaries.1.erased_at"}
    assert not Summary.objects.filter(relationship_id=there.id).exists()


def test_a_snapshot_with_another_summary_is_found_and_rebuilt(talk: Conversation) -> None:
    rows = Snapshot.objects.filter(relationship_id=talk.relationship.id)
    right = rows.get().summary
    rows.update(summary={**right, "text": "Something else."})

    found = verify(repair=True)

    assert set(problems(found)) == {"snapshots/differs"}
    assert rows.get().summary == right
