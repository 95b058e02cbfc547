"""A person or an entry is erased while the agent works: nothing is left, and nothing comes after."""

from typing import Any
from uuid import UUID

import pytest
from django.apps import apps

from memory.entries.adding import add_entry
from memory.models import EntrySource
from providers.llm.base import CompletionRequest
from relationships.models import Message, Relationship, RelationshipOwned
from tests.fakes import ScriptedProvider
from tests.fixtures.api import TESTER, Api
from tests.fixtures.turns import Conversation
from tests.fixtures.workspaces import done, keep_in_workspace, step, whole
from tests.integration.copies import dump, tables_with
from upkeep.erasure.entries import erase_entry
from upkeep.erasure.messages import redact_messages
from upkeep.erasure.relationships import erase_user
from workspace.models import SessionState, Worker
from workspace.sessions.advance import advance_session
from workspace.sessions.commands import get_session, start_session
from workspace.sessions.hydrate import hydrate_session

WORD = "quokkäagent"


@pytest.mark.parametrize(
    "before",
    [[], [step("create", path="early.md", file_text=WORD)], [done(WORD, WORD)]],
    ids=["step", "next step", "curation"],
)
def test_nothing_is_left_of_a_person_erased_while_the_model_answers(
    api: Api, relationship: Relationship, scripted_provider: ScriptedProvider, before: list[Any]
) -> None:
    """At the first step, at the next, and as it curates."""
    here = whole(relationship)
    keep_in_workspace(here, says=f"Keeps a {WORD}", also=WORD, tool="x")
    session, _ = start_session(relationship=here, task=WORD, worker=Worker.BUILT_IN, by=TESTER)
    assert "workspace_blob" in tables_with(WORD, dump())

    def erased_meanwhile(request: CompletionRequest) -> Any:
        erase_user(project_id=here.project_id, user_id=here.user_id, by=TESTER)
        return step("create", path="late.md", file_text=WORD) if request.schema else WORD

    scripted_provider.answer_with(*before, erased_meanwhile)
    advance_session(session_id=UUID(str(session.id)), worker="test")

    assert tables_with(WORD, dump()) == set()
    owned = [model for model in apps.get_models() if issubclass(model, RelationshipOwned)]
    left = {
        model.__name__ for model in owned if model._default_manager.filter(relationship_id=here.id).exists()
    }
    assert left == set()


@pytest.mark.parametrize("before", [[], [done()]], ids=["step", "curation"])
def test_nothing_is_left_of_an_entry_erased_while_the_model_answers(
    before: list[Any], relationship: Relationship, scripted_provider: ScriptedProvider
) -> None:
    here = whole(relationship)
    values = {"type": "other", "content": f"Keeps a {WORD}"}
    entry = add_entry(relationship=here, values=values, by=TESTER, source=EntrySource.MANUAL)
    session, _ = start_session(relationship=here, task="Tidy up", worker=Worker.BUILT_IN, by=TESTER)

    def erased_meanwhile(request: CompletionRequest) -> Any:
        erase_entry(relationship_id=here.id, entry_id=entry.id, by=TESTER)
        return step("create", path="late.md", file_text=f"A {WORD}") if request.schema else f"A {WORD}"

    scripted_provider.answer_with(*before, erased_meanwhile, *([] if before else [done()]), "# Maya")
    advance_session(session_id=UUID(str(session.id)), worker="test")

    assert get_session(here.id, session.id).state == SessionState.DONE
    assert tables_with(WORD, dump()) == set()


def test_nothing_is_left_of_a_found_message_erased_while_the_model_answers(
    relationship: Relationship, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    here = whole(relationship)
    turn = conversation.say(f"I keep a {WORD}.")
    session, _ = start_session(relationship=here, task="Tidy up", worker=Worker.BUILT_IN, by=TESTER)

    def erased_meanwhile(request: CompletionRequest) -> Any:
        assert WORD in str(request.history)
        found = Message.objects.for_relationship(here.id).filter(turn_id=turn.id)
        redact_messages(
            project_id=here.project_id,
            relationship_id=here.id,
            message_ids=[one.id for one in found],
            by=TESTER,
        )
        return step("create", path="late.md", file_text=f"A {WORD}")

    looks = step("recall", query=WORD, messages=True)
    scripted_provider.answer_with(looks, erased_meanwhile, done(), "# Maya")
    advance_session(session_id=UUID(str(session.id)), worker="test")

    assert get_session(here.id, session.id).state == SessionState.DONE
    left = tables_with(WORD, dump())
    assert not {name for name in left if name.startswith("workspace_")}, left


def test_a_person_erased_while_a_session_starts_is_not_there(
    api: Api, relationship: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = whole(relationship)

    def hydrate(*session: Any) -> None:
        erase_user(project_id=here.project_id, user_id=here.user_id, by=TESTER)
        hydrate_session(*session)

    monkeypatch.setattr("workspace.sessions.commands.hydrate_session", hydrate)

    started = api.post(f"/relationships/{here.id}/agent-sessions", {"task": "Tidy up", "worker": "external"})

    assert started.status == 404
