"""Forgetting much at once, in a workspace with a long history, and undoing that."""

from relationships.models import Relationship
from tests.fixtures.api import TESTER, Api
from tests.fixtures.turns import Conversation
from tests.wire import statements_sent
from workspace.files import change_files, read_file
from workspace.models import Commit

ANIMALS = "raven otter badger weasel heron lynx marmot viper stoat crane".split()
PLAN, MOST_EACH = "workspace/plan.md", 5


def test_many_entries_are_erased_with_a_few_statements_each_however_long_the_history_is(
    api: Api, pair: Relationship, conversation: Conversation
) -> None:
    def asked(animals: list[str], commits: int) -> int:
        entries = conversation.remember(*(f"Feeds the {animal} at home" for animal in animals))
        text = "".join(f"- {entry.content}\n" for entry in entries)
        for number in range(commits):
            change_files(relationship=pair, changes={PLAN: f"No. {number}\n{text}".encode()}, by=TESTER)
        wish = {"what": "that I feed animals at home", "depth": "erase", "dry_run": True}
        plan = api.post(f"/relationships/{pair.id}/forget", wish).body
        ticked = [item["number"] for item in plan["items"] if item["kind"] == "entry"]
        assert len(ticked) == len(animals)
        with statements_sent() as sent:
            done = api.post(f"/relationships/{pair.id}/plans/{plan['id']}/carry-out", {"ticked": ticked})
        assert done.status == 200 and done.body["state"] == "erased"
        assert "[erased]" in read_file(pair, PLAN).content.decode()
        return len(sent)

    few = asked(ANIMALS[:2], commits=2)
    assert asked(ANIMALS[2:], commits=12) <= few + 6 * MOST_EACH
    assert Commit.objects.for_relationship(pair.id).count() == 15


def test_many_entries_are_brought_back_with_one_statement_each(
    api: Api, pair: Relationship, conversation: Conversation
) -> None:
    def asked(animals: list[str]) -> int:
        said = [f"Feeds the {animal} at home" for animal in animals]
        conversation.remember(*said)
        plan = api.post(
            f"/relationships/{pair.id}/forget", {"what": "that I feed animals at home", "dry_run": True}
        )
        path = f"/relationships/{pair.id}/plans/{plan.body['id']}"
        ticked = [item["number"] for item in plan.body["items"] if item["sentence"] in said]
        assert api.post(f"{path}/carry-out", {"ticked": ticked}).status == 200
        assert not set(said) & set(conversation.contents)
        with statements_sent() as sent:
            assert api.post(f"{path}/undo").status == 200
        assert set(said) <= set(conversation.contents)
        return len(sent)

    few = asked(ANIMALS[:2])
    assert asked(ANIMALS[2:]) <= few + 6
