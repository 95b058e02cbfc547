"""The built-in loop: the companion's model works with the file tools and the gateway's, one step after another.

A file tool's step and its row are one transaction. A network call is recorded before it is made, so that an interrupted
one is recognised; it is not repeated.
"""

import json
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.utils import timezone

from providers.errors import AnswerTruncated, HeldBack
from providers.llm.base import AgentData, CompletionRequest
from providers.llm.json_text import extract_json_text
from relationships.models import Relationship
from web.actor import AGENT
from web.errors import TooMuch
from web.parsing import storable_json
from worker.silence import OWN_ADDRESSES, calls_in_flight
from workspace.configuration import Workspace
from workspace.errors import ToolRefused
from workspace.file_tools import FileTools
from workspace.forgettable import renew_entries
from workspace.gateway.call import call_tool, check_shape, get_tool, tools_of
from workspace.generated import RULES
from workspace.memory_search import messages_gone
from workspace.models import AgentSession, AgentStep, Branch, SessionState, StepState
from workspace.sessions.claim import holding, update_session
from workspace.sessions.model_calls import (
    Asked,
    as_told,
    ask,
    data_for,
    forgettings,
    today_of,
    user_of,
    workspace_of,
)
from workspace.tool_definitions import RECALL, definitions, is_file_tool

DONE, UNREADABLE = "done", "unreadable"
LONGEST_RESULT = 30_000  # characters of a tool's result that are kept and shown
BAD_ANSWERS = 3  # in a row
MOST_FACTS, LONGEST_FACT = 50, 2000  # facts; characters of a fact
NOT_JSON = "Answer with JSON alone, as you were asked."
CUT_SHORT = (
    "Your answer reached the token limit and was cut off: nothing was done. Do it in several shorter steps."
)
TOO_MANY_FACTS = f"At most {MOST_FACTS} facts are taken, of {LONGEST_FACT} characters each. Say it shorter."
PROMPT = (Path(__file__).parent.parent / "prompts" / "agent.md").read_text()
CUT_OFF = "The call was cut off: it may have been made or not. Look before you make it again."
SCHEMA = {
    "type": "object",
    "properties": {"tool": {"type": "string"}, "input": {"type": "string"}},
    "required": ["tool", "input"],
    "additionalProperties": False,
}


class SessionFailed(Exception):
    """The session can't continue; the message says why."""


def take_step(relationship: Relationship, claimed: AgentSession) -> bool:
    """Take one step. Returns False if the session waits for a person to resume it or to approve a call.

    Raises SessionLost, SessionFailed, ProviderError, BudgetSpent.
    """
    settled = workspace_of(relationship)
    ended = "Stopped by a person." if claimed.stop else _out_of_budget(claimed, settled)
    if ended:
        with holding(claimed) as session:
            summary = f"{session.summary}\n{ended}".strip()
            update_session(session, state=SessionState.CURATING, summary=summary)
        return True
    if claimed.paused:
        return False
    owned = AgentStep.objects.for_relationship(claimed.relationship_id).filter(session_id=claimed.id)
    steps = list(owned.order_by("number"))
    state = steps[-1].state if steps else None
    if state == StepState.WAITING:
        return False
    if state in (StepState.STARTED, StepState.APPROVED):
        _resume_call(relationship, claimed, steps[-1])
        return True
    forgotten = forgettings(claimed.relationship_id)
    try:
        asked, unread = ask(relationship, _question(relationship, claimed, steps, settled)), NOT_JSON
    except AnswerTruncated as cut:
        if cut.completion is None:
            raise
        asked, unread = Asked.of(cut.completion), CUT_SHORT
    _carry_out(relationship, claimed, steps, asked, unread, forgotten)
    return True


def _carry_out(
    relationship: Relationship,
    claimed: AgentSession,
    steps: Sequence[AgentStep],
    asked: Asked,
    unread: str,
    forgotten: int,
) -> None:
    """`unread`: what the model is told if its answer can't be read."""
    name, given = _read(asked.text)
    if name == UNREADABLE and [step.tool for step in steps[-BAD_ANSWERS:]] == [UNREADABLE] * BAD_ANSWERS:
        raise SessionFailed(
            f"The model repeatedly gave no answer in the required format. It was told: {unread}"
        )
    step = AgentStep(
        **claimed.owner,
        session_id=claimed.id,
        number=len(steps) + 1,
        tool=name[:80],
        arguments=given,
        model=asked.model,
        tokens=asked.tokens,
        forgettings=forgotten,
    )
    started = time.perf_counter()
    recalls = RECALL in (name, given.get("command") if name == "memory" else "")
    gone = messages_gone(claimed.relationship_id) if recalls else 0
    # Without an open transaction, as it may call an embedder.
    recalled = _use_files(relationship, claimed, name, given) if recalls else None
    with holding(claimed) as session:
        found_gone = recalls and messages_gone(claimed.relationship_id) != gone
        if found_gone or forgettings(claimed.relationship_id) != forgotten:
            # The answer, or what it found, may contain what was forgotten, so the model is asked again.
            update_session(session, tokens=session.tokens + asked.tokens)
            return
        if forgotten != (steps[-1].forgettings if steps else 0):
            renew_entries(relationship, session.branch)
        if name == DONE:
            _handle_done(session, step, given, started)
        elif name == UNREADABLE:
            _store(session, step, unread, StepState.FAILED, started)
        elif is_file_tool(name) or name == "memory":
            said, state = recalled or _use_files(relationship, session, name, given)
            _store(session, step, said, state, started)
        else:
            said, state = _prepare_call(relationship, name, given)
            _store(session, step, said, state, started)
    if step.state == StepState.STARTED:
        _call(relationship, claimed, step)


def _prepare_call(relationship: Relationship, name: str, given: dict[str, Any]) -> tuple[str, StepState]:
    """Check a call before it is made, and before a person is asked. Returns why it can't be made, and its state."""
    try:
        tool = get_tool(relationship.companion_id, name)
        check_shape(tool.input, given, "input")
    except ToolRefused as error:
        return error.detail, StepState.FAILED
    return "", StepState.WAITING if tool.needs_approval else StepState.STARTED


def _handle_done(session: AgentSession, step: AgentStep, given: dict[str, Any], started: float) -> None:
    summary, told = str(given.get("summary") or ""), given.get("facts") or []
    facts = [str(fact) for fact in (told if isinstance(told, list) else [told]) if str(fact).strip()]
    if len(facts) > MOST_FACTS or any(len(fact) > LONGEST_FACT for fact in facts):
        _store(session, step, TOO_MANY_FACTS, StepState.FAILED, started)
        return
    _store(session, step, summary, StepState.DONE, started)
    update_session(session, state=SessionState.CURATING, summary=summary[:5000], facts=facts)


def _resume_call(relationship: Relationship, claimed: AgentSession, step: AgentStep) -> None:
    """Make a call that was approved, or mark one that was interrupted as failed."""
    if step.state == StepState.STARTED:
        with holding(claimed):
            change_step(step, result=CUT_OFF, state=StepState.FAILED)
        return
    with holding(claimed):
        change_step(step, state=StepState.STARTED)
    _call(relationship, claimed, step)


def _call(relationship: Relationship, claimed: AgentSession, step: AgentStep) -> None:
    """Raises HeldBack; then the call is made when the session goes on."""
    sending = calls_in_flight.call(claimed.project_id, OWN_ADDRESSES)
    try:
        kept = call_of(relationship, step, sending=sending)
    except HeldBack:
        with holding(claimed):
            change_step(step, state=StepState.APPROVED)
        raise
    with holding(claimed):
        change_step(step, **kept)


def call_of(
    relationship: Relationship, step: AgentStep, *, sending: AbstractContextManager[None] | None = None
) -> dict[str, Any]:
    """Make the step's call, inside `sending`; return the columns to store. Call without an open transaction: it uses
    the network. Raises what `sending` raises.
    """
    try:
        called = call_tool(relationship.companion_id, step.tool, step.arguments, sending=sending)
    except ToolRefused as error:
        return {"result": _cut(error.detail), "state": StepState.FAILED}
    return {
        "result": _cut(called.text),
        "state": StepState.DONE,
        "status": called.status,
        "milliseconds": called.milliseconds,
    }


def _use_files(
    relationship: Relationship, session: AgentSession, name: str, given: dict[str, Any]
) -> tuple[str, StepState]:
    try:
        return FileTools(relationship, session.branch, AGENT, session.id).run(name, given), StepState.DONE
    except ToolRefused as error:
        return error.detail, StepState.FAILED


def _store(session: AgentSession, step: AgentStep, said: str, state: StepState, started: float) -> None:
    """Store the step. Call inside `holding`."""
    branch = Branch.objects.for_relationship(session.relationship_id).filter(name=session.branch)
    step.result, step.state = _cut(said), state
    step.commit_id = branch.values_list("commit_id", flat=True).first()
    step.milliseconds = round((time.perf_counter() - started) * 1000, 3)
    step.save(force_insert=True)
    update_session(session, steps=step.number, tokens=session.tokens + step.tokens)


def _cut(said: str) -> str:
    if len(said) <= LONGEST_RESULT:
        return said
    shown = f"{LONGEST_RESULT} of {len(said)} characters"
    return f"{said[:LONGEST_RESULT]}\n[Cut here, after {shown}: ask for less at once.]"


def change_step(step: AgentStep, **values: Any) -> None:
    """Write these columns."""
    AgentStep.objects.for_relationship(step.relationship_id).filter(id=step.id).update(**values)
    for name, value in values.items():
        setattr(step, name, value)


def _out_of_budget(session: AgentSession, settled: Workspace) -> str:
    if session.steps >= settled.max_steps:
        return f"The budget of {settled.max_steps} steps was used up."
    if session.tokens >= settled.max_tokens:
        return f"The budget of {settled.max_tokens} tokens was used up."
    begun = session.running_at or session.created_at
    if timezone.now() - begun >= timedelta(minutes=settled.max_minutes):
        return f"The budget of {settled.max_minutes} minutes was used up."
    return ""


def _question(
    relationship: Relationship, session: AgentSession, steps: Sequence[AgentStep], settled: Workspace
) -> CompletionRequest:
    described = [one["function"] for one in definitions("openai")]
    described += [tool.described() for tool in tools_of(relationship.companion_id)]
    rules = f"The developer's rules, also in {RULES}:\n{settled.agents_md}\n" if settled.agents_md else ""
    tools = "\n".join(json.dumps(one, ensure_ascii=False) for one in described)
    system = PROMPT.format(
        companion=relationship.companion.name,
        user=user_of(relationship),
        steps=settled.max_steps,
        today=today_of(relationship),
        rules=rules,
        tools=tools,
    )
    history, told = [], list(as_told(session, steps))
    for step, given, result in told:
        said = json.dumps({"tool": step.tool, "input": json.dumps(given)}, ensure_ascii=False)
        history += [("assistant", said), ("user", result or "(nothing)")]
    data = AgentData("agent", session.task, tuple((step.tool, result) for step, _, result in told))
    return CompletionRequest(
        system=system,
        prompt=f"Your task:\n{session.task}",
        schema=SCHEMA,
        prompt_data=data_for(relationship, data),
        model=settled.model,
        history=tuple(history),
    )


def _read(text: str) -> tuple[str, dict[str, Any]]:
    """Parse the tool's name and input; UNREADABLE if the answer can't be parsed."""
    try:
        answer = json.loads(extract_json_text(text))
        given = answer["input"]
        given = json.loads(given) if isinstance(given, str) and given.strip() else given or {}
        if isinstance(answer["tool"], str) and answer["tool"] and isinstance(given, dict):
            kept = storable_json({"tool": answer["tool"], "input": given})
            return kept["tool"], kept["input"]
    except (ValueError, KeyError, TypeError, RecursionError, TooMuch):
        pass
    return UNREADABLE, {}
