"""Whole conversations, read by recorded answers of a strong model: what is kept of them, and what a reader is shown.

Each file of conversations/ holds a conversation and the answers that the model gave to its questions, in their order:
an answer is found by the conversation's name and the number of the call. `asked` is what the question had to say for
that answer to follow from it. The answers go through the real SDK, pipeline and database.
"""

import json
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from context.pipeline import build_context
from memory.entries.restoring import restore_entry
from memory.ingestion.intake import accept_turn
from memory.models import EntryState, ModelCall, ScratchpadEntry
from providers.llm.registry import reset_providers
from relationships.models import Companion, Message, Relationship, Turn
from relationships.services.turns import NewMessage, NewTurn
from tests.fixtures.turns import PERSON, Conversation, operations_of
from tests.vendor_servers.openai_server import OpenAIServer

FOLDER = Path(__file__).parent / "conversations"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))
golden = pytest.mark.parametrize("told", NAMES, indirect=True)


class Golden:
    """One conversation, played: `asked` are the questions, `turns` as they stand afterwards."""

    def __init__(self, name: str, relationship: Relationship, server: OpenAIServer) -> None:
        self.recorded: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
        self.relationship = relationship
        self.conversation = Conversation(relationship)
        self.asked: list[str] = []
        self.turns: list[Turn] = []
        self.shown_between: dict[int, str] = {}
        self._server = server
        server.respond = self._answer

    def play(self) -> None:
        for number, turn in enumerate(self.recorded["turns"], start=1):
            new = NewTurn(
                tuple(NewMessage(*said) for said in turn["said"]),
                occurred_at=datetime.fromisoformat(turn["at"]),
                session=turn["session"],
            )
            accepted = accept_turn(relationship=self.relationship, new=new).turn
            self.conversation.drain()
            self.turns.append(self.conversation.again(accepted))
            for wanted in self.recorded.get("contexts_between", ()):
                if wanted["after"] == number:
                    self.shown_between[number] = self.context_at(wanted["now"])

    def context_at(self, now: str) -> str:
        shown = build_context(
            project_id=self.relationship.project_id,
            relationship_id=self.relationship.id,
            message=None,
            session="another",
            config={"context": {"recent_messages": 0}},
            now=datetime.fromisoformat(now),
        )
        return shown.system

    def entry(self, content: str) -> ScratchpadEntry:
        found = [entry for entry in self.conversation.entries if content in entry.content]
        assert len(found) == 1, f"{content!r} is in {len(found)} of {self.conversation.contents}"
        return found[0]

    def _answer(self, body: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(self._server.said(body))
        answers = self.recorded["answers"]
        assert len(self.asked) <= len(answers), f"asked once more than recorded: {self.asked[-1]}"
        return {"json": answers[len(self.asked) - 1]}


@pytest.fixture
def told(
    request: pytest.FixtureRequest,
    relationship: Relationship,
    openai_server: OpenAIServer,
    settings: Settings,
) -> Iterator[Golden]:
    providers: dict[str, Any] = settings.LLM_PROVIDERS
    options = {**providers["openai"]["OPTIONS"], "api_key": "k", "base_url": openai_server.url}
    settings.LLM_PROVIDERS = {**providers, "openai": {**providers["openai"], "OPTIONS": options}}
    reset_providers()
    played = Golden(request.param, relationship, openai_server)
    ingestion = {"provider": "openai", **played.recorded.get("config", {}).get("ingestion", {})}
    Companion.objects.filter(id=relationship.companion_id).update(config={"ingestion": ingestion})
    timezone = played.recorded.get("timezone", "UTC")
    Relationship.objects.filter(id=relationship.id).update(timezone=timezone)
    played.play()
    yield played
    reset_providers()


@golden
def test_each_question_says_what_its_answer_follows_from(told: Golden) -> None:
    assert len(told.asked) == len(told.recorded["answers"])
    for question, wanted in zip(told.asked, told.recorded["asked"], strict=True):
        for text in wanted.get("has", ()):
            assert text in question
        for text in wanted.get("lacks", ()):
            assert text not in question


@golden
def test_what_matters_is_kept_as_it_was_said(told: Golden) -> None:
    said = {row.id: row.content for row in Message.objects.for_relationship(told.relationship.id)}
    for wanted in told.recorded["kept"]:
        entry = told.entry(wanted["content"])
        for name in ("type", "subject", "happens_at"):
            if name in wanted:
                assert getattr(entry, name) == wanted[name]
        cited = [said[message_id] for message_id in entry.source_message_ids]
        for text in wanted.get("rests_on", ()):
            assert any(text in message for message in cited), cited
    assert len(told.conversation.entries) >= len(told.recorded["kept"])
    for word in told.recorded.get("gone", ()):
        pattern = rf"\b{re.escape(word)}\b"
        assert not any(re.search(pattern, content, re.IGNORECASE) for content in told.conversation.contents)


@golden
def test_a_reader_is_shown_it_with_its_dates(told: Golden) -> None:
    wanted = [(told.context_at(told.recorded["context"]["now"]), told.recorded["context"])]
    between = told.recorded.get("contexts_between", ())
    wanted += [(told.shown_between[context["after"]], context) for context in between]
    for shown, expected in wanted:
        assert "Today is " in shown and "\nTold 20" in shown
        for text in expected["has"]:
            assert text in shown
        for text in expected.get("lacks", ()):
            assert text not in shown


@golden
def test_what_became_of_each_turn_and_operation_is_visible(told: Golden) -> None:
    states = [f"{turn.state}: {turn.error}" if turn.error else turn.state for turn in told.turns]
    assert states == told.recorded.get("states", ["applied"] * len(told.turns))
    if wanted := told.recorded.get("results"):
        results = [
            (judged["verdict"], judged["reason"]) for turn in told.turns for judged in operations_of(turn)
        ]
        assert [verdict for verdict, _ in results] == [verdict for verdict, _ in wanted]
        for (_, reason), (_, part) in zip(results, wanted, strict=True):
            assert part in reason and bool(part) == bool(reason)
    if events := told.recorded.get("events"):
        assert [revision.event for revision in told.conversation.revisions] == events
    assert ModelCall.objects.for_relationship(told.relationship.id).count() == len(told.recorded["answers"])


@golden
def test_the_relationship_was_last_heard_of_when_the_conversation_was(told: Golden) -> None:
    told.relationship.refresh_from_db()

    assert told.relationship.last_turn_at == datetime.fromisoformat(told.recorded["turns"][-1]["at"])


@pytest.mark.parametrize("told", ["a_state_that_ended"], indirect=True)
def test_what_was_replaced_is_kept_with_its_end_and_can_be_brought_back(told: Golden) -> None:
    [expected] = told.recorded["ended"]
    old = ScratchpadEntry.objects.for_relationship(told.relationship.id).get(content=expected["content"])

    assert old.state == EntryState.SUPERSEDED
    assert old.valid_to == datetime.fromisoformat(expected["valid_to"])

    restore_entry(relationship_id=old.relationship_id, entry_id=old.id, by=PERSON)
    assert expected["content"] in told.conversation.contents


def test_there_are_a_dozen_at_least() -> None:
    assert len(NAMES) >= 12
