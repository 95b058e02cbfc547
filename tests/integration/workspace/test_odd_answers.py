"""What a model answers that nobody would think of: it is told, kept and shown, and nothing breaks or is dropped."""

import json
from typing import Any

import pytest

from memory.models import ModelCall
from providers.errors import AnswerTruncated
from providers.llm.base import Completion
from relationships.models import Message, Relationship
from tests.fakes import ScriptedProvider
from tests.fixtures.api import TESTER, Api
from tests.fixtures.workspaces import begin, done, step, work
from workspace.files import change_files
from workspace.hot_context import read_hot_context
from workspace.models import AgentStep, HeldChange, SessionState, Worker
from workspace.sessions.commands import finish_session, get_session

DEEP = '{"a": ' * 300 + "1" + "}" * 300


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (step("view", path="a.md", view_range=[2.0, 3.0]), "     2\ttwo"),
        (step("insert", path="a.md", insert_line=1.0, insert_text="more"), "edited"),
        ('{"tool": "view", "input": {"path": "a.md", "more": ' + "9" * 4000 + "}}", "more"),
        ('{"tool": "view", "input": {"path": 1e300, "more": -1e400}}', "more"),
        ('{"tool": "view", "input": ' + DEEP + "}", "JSON alone"),
        (step("create", path="b.md", file_text="NUL is \\u0000 in JSON"), "created"),
    ],
    ids=["a range of floats", "a line that is a float", "digits", "beyond floats", "depth", "an escape in words"],
)  # fmt: skip
def test_the_session_goes_on_and_its_steps_can_be_read(
    pair: Relationship, scripted_provider: ScriptedProvider, api: Api, asked: dict[str, str] | str, said: str
) -> None:
    change_files(relationship=pair, changes={"a.md": b"one\ntwo\nthree\n"}, by=TESTER)
    scripted_provider.answer_with(asked, done(), "Hot.")
    session = work(pair, begin(pair))
    assert session.state == SessionState.DONE, session.error
    answer = api.get(f"/relationships/{pair.id}/agent-sessions/{session.id}/steps")
    assert answer.status == 200
    first = answer.body["items"][0]
    assert said in first["result"]
    assert "u0000" in first["arguments"].get("file_text", "u0000"), "what is written out is no NUL"


def cut(text: str) -> AnswerTruncated:
    counted: dict[str, Any] = {"prompt_tokens": 5, "output_tokens": 2, "cached_tokens": None, "cost": None}
    return AnswerTruncated(completion=Completion(text=text, provider="scripted", model="m", **counted))


def test_an_answer_that_was_cut_off_is_asked_for_in_shorter_steps(
    pair: Relationship, scripted_provider: ScriptedProvider
) -> None:
    begun = json.dumps(step("create", path="a.md", file_text="x" * 90))[:60]
    shorter = step("create", path="a.md", file_text="x")
    scripted_provider.answer_with(cut(begun), shorter, cut(f"{json.dumps(done())} And"), "Hot.")
    session = work(pair, begin(pair))

    assert session.state == SessionState.DONE, session.error
    first, second, last = AgentStep.objects.for_relationship(pair.id).order_by("number")
    assert (first.tool, first.tokens) == ("unreadable", 7) and "several shorter steps" in first.result
    assert (second.tool, last.tool) == ("create", "done"), "what was whole before the cut counts"


def test_answers_that_are_always_cut_off_fail_the_session_and_say_so(
    pair: Relationship, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.otherwise = lambda _: cut('{"tool": "create", "inp')
    session = work(pair, begin(pair))
    assert session.state == SessionState.FAILED and "token limit" in session.error


def test_a_lone_surrogate_in_a_curated_text_becomes_a_question_mark(
    pair: Relationship, scripted_provider: ScriptedProvider
) -> None:
    scripted_provider.answer_with(done(), "Likes tea \ud83d.")
    session = work(pair, begin(pair))
    assert session.state == SessionState.DONE, session.error
    assert read_hot_context(pair.id)[0] == "Likes tea ?.\n"
    assert not ModelCall.objects.exists()


@pytest.mark.parametrize(
    ("proposed", "held"),
    [
        (b"a: " + b"9" * 4000, {"a": "9" * 4000}),
        (b"a: " + b"[" * 60 + b"]" * 60, None),
    ],
    ids=["digits", "depth"],
)
def test_a_profile_that_an_agent_proposes_can_be_read_whatever_stands_in_it(
    pair: Relationship, scripted_provider: ScriptedProvider, api: Api, proposed: bytes, held: Any
) -> None:
    scripted_provider.otherwise = "Curated."
    session = begin(pair, worker=Worker.EXTERNAL)
    change_files(relationship=pair, changes={"profile/user.yaml": proposed}, by=TESTER, branch=session.branch)
    finish_session(relationship=pair, session_id=session.id, summary="", facts=[], by=TESTER)
    assert work(pair, session).state == (SessionState.NEEDS_REVIEW if held else SessionState.DONE)
    assert HeldChange.objects.for_relationship(pair.id).get().proposal == held
    assert api.get(f"/relationships/{pair.id}/held-changes").status == 200


def test_facts_that_fill_more_than_a_message_are_all_remembered(
    pair: Relationship, scripted_provider: ScriptedProvider
) -> None:
    facts = [f"{number} {'é' * 1990}" for number in range(50)]
    scripted_provider.answer_with(done("Much.", *facts), "Hot.")
    session = work(pair, begin(pair))
    assert session.state == SessionState.DONE, session.error
    said = Message.objects.for_relationship(pair.id).filter(turn_id=session.turn_id).order_by("seq")
    assert "\n".join(said.values_list("content", flat=True)).split("\n") == facts
    assert said.count() == 4


@pytest.mark.parametrize("facts", [["Owns a raven."] * 51, ["x" * 2001]], ids=["too many", "too long"])
def test_facts_that_are_not_taken_are_asked_for_again(
    pair: Relationship, scripted_provider: ScriptedProvider, facts: list[str]
) -> None:
    scripted_provider.answer_with(done("Much.", *facts), done("Less.", "Owns a raven."), "Hot.")
    session = work(pair, begin(pair))
    steps = AgentStep.objects.for_relationship(pair.id).order_by("number")
    assert [row.state for row in steps] == ["failed", "done"] and "At most 50 facts" in steps[0].result
    assert get_session(pair.id, session.id).facts == ["Owns a raven."]
