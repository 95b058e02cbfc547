"""Who is called "my boss" in a search is found by name: over REST, by the tools of a chat, and by MCP, which call REST."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.fixtures.api import Api, add_entry
from tests.integration.api.test_search import say
from tests.wire import statements_sent

ALSO = "Also searched for Ines, who is meant."


@pytest.fixture
def told(api: Api, at: str) -> str:
    add_entry(api, at, "Ines drives a Volvo", subject="Ines")
    for place in range(5):
        add_entry(api, at, f"Rosa sold picture {place}", subject="Rosa")
    say(api, at, "Ines bought a Volvo", "Rosa sold a picture")
    return at


@pytest.fixture
def known(api: Api, told: str) -> str:
    add_entry(api, told, "Ines is the boss", subject="Ines")
    return told


def test_a_search_by_role_finds_what_is_told_by_name_and_says_so(api: Api, known: str) -> None:
    answer = api.post(f"{known}/entries/search", {"query": "What car does my boss have?"})
    assert "Ines drives a Volvo" in [item["content"] for item in answer.body["items"]]
    assert answer.body["notes"] == [ALSO]
    answer = api.post(f"{known}/messages/search", {"query": "What car does my manager have?"})
    assert answer.body["items"][0]["content"] == "Ines bought a Volvo"
    assert answer.body["notes"] == [ALSO]
    tool = api.post(f"{known}/tools/memory_search", {"query": "What car does my boss have?"}).body
    assert "Ines drives a Volvo" in str(tool)
    tool = api.post(f"{known}/tools/conversation_search", {"query": "What car does my boss have?"}).body
    assert "Ines bought a Volvo" in str(tool)


def test_nobody_is_added_who_is_named_or_not_known_or_no_longer_known(api: Api, told: str) -> None:
    def notes(query: str) -> list[str]:
        kept: list[str] = api.post(f"{told}/entries/search", {"query": query}).body["notes"]
        return kept

    assert notes("What car does my boss have?") == []
    past = (datetime.now(UTC) - timedelta(days=1)).isoformat()
    add_entry(api, told, "Ines is the boss", subject="Ines", valid_to=past)
    assert notes("What car does my boss have?") == []
    add_entry(api, told, "Ines is the manager", subject="Ines")
    assert notes("What car does my boss have?") == [ALSO]
    for asked in ("What car does my boss Ines have?", "What car does Ines have?", "Which picture?"):
        assert notes(asked) == []


def test_only_a_role_costs_more_statements(api: Api, known: str) -> None:
    sent = []
    for query in ("Rosa", "Rosa", "boss"):  # the first one also notes the use of the key
        with statements_sent() as statements:
            api.post(f"{known}/entries/search", {"query": query})
        sent.append(len(statements))
    assert sent[2] == sent[1] + 2
