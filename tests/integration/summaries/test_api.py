import pytest

from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.summaries import chat, name_birds, summarise
from tests.fixtures.turns import Conversation


@pytest.fixture
def at(conversation: Conversation, scripted_provider: ScriptedProvider) -> str:
    scripted_provider.otherwise = name_birds
    chat(conversation, last=410)
    summarise(conversation)
    return f"/relationships/{conversation.relationship.id}/summaries"


def test_they_are_listed_newest_first_and_read(at: str, api: Api) -> None:
    items = api.get(at).body["items"]

    assert [(row["messages"], row["version"], row["state"]) for row in items] == [
        (400, 1, "ready"),
        (200, 1, "ready"),
    ]
    assert items[0]["extends"] == items[1]["id"]
    assert items[0]["by"] == "policy summaries"
    assert api.get(f"{at}/{items[0]['id']}").body == items[0]
    assert [row["messages"] for row in api.get(f"{at}?messages=200").body["items"]] == [200]


def test_one_is_made_now(at: str, api: Api, conversation: Conversation) -> None:
    asked = api.post(at)
    assert (asked.status, asked.body["messages"], asked.body["state"]) == (202, 410, "pending")

    assert summarise(conversation) == 1

    assert api.get(f"{at}/{asked.body['id']}").body["state"] == "ready"


def test_an_edit_is_the_next_version_and_an_old_one_can_not_be_edited(at: str, api: Api) -> None:
    newest = api.get(at).body["items"][0]

    edited = api.put(f"{at}/{newest['id']}", {"text": "Birds."})

    assert (edited.status, edited.body["version"], edited.body["text"]) == (201, 2, "Birds.")
    assert api.get(f"{at}/{newest['id']}").body == newest
    assert api.put(f"{at}/{newest['id']}", {"text": "More birds."}).status == 409
    assert api.put(f"{at}/{edited.body['id']}", {"text": " "}).fields == ["text"]


def test_where_they_are_off_none_is_made(at: str, api: Api) -> None:
    api.patch(at.removesuffix("/summaries"), {"config": {"summaries": {"enabled": False}}})

    assert api.post(at).status == 409


@pytest.mark.parametrize(
    ("config", "field"),
    [
        ({"at": [400, 200]}, "config.summaries.at"),
        ({"prompt": "{% include 'x' %}"}, "config.summaries.prompt"),
        ({"word": 3}, "config.summaries.word"),
    ],
    ids=str,
)
def test_what_is_wrong_is_named(config: dict[str, object], field: str, at: str, api: Api) -> None:
    refused = api.patch(at.removesuffix("/summaries"), {"config": {"summaries": config}})

    assert (refused.status, refused.fields) == (422, [field])
