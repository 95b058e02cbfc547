"""A model's answer as an entry: it is judged as what ingestion proposes is, by the same code."""

from dataclasses import replace

from django.utils import timezone

from behaviours.working import Work
from memory.entries.history import change_entries
from memory.entries.limits import entry_fault
from memory.ingestion.apply import carry_out_all
from memory.ingestion.calls import LoneCall
from memory.ingestion.opening import open_state
from memory.ingestion.operations import Operation
from memory.ingestion.overflow import overflow_scratchpad
from memory.ingestion.reading import read_batch
from web.actor import Actor, ActorKind


def write_entry(work: Work, text: str, call: LoneCall) -> str:
    """What was made of it. In the settling transaction, under the relationship's row lock."""
    content = " ".join(text.split())
    if fault := entry_fault(content):
        return f"Refused: the answer {fault}."
    assert work.turn is not None and work.behaviour.prompt is not None
    given = read_batch([work.turn])
    kind = work.behaviour.prompt.type
    if kind not in {known.name for known in given.ingestion.types}:
        return f"Refused: {kind} is no type of entries here (ingestion.types)."
    spoken = tuple(number for number, said in enumerate(given.messages, start=1) if said.content.strip())
    if not spoken:
        return "Refused: the turn holds no words any more that it could rest on."
    operation = Operation(
        op="add",
        messages=spoken,
        raw={},
        type=kind,
        content=content,
        tier=given.tier,
        reason=f"behaviour {work.run.behaviour}",
        strategy=f"behaviour:{work.run.behaviour}",
        call_id=call.row.id,
        model=call.row.model,
    )
    now = timezone.now()
    state, _ = open_state(given, [operation], now=now)
    carry_out_all(state, [operation])
    owner = {"relationship_id": given.relationship_id, "project_id": given.project_id}
    by = Actor(ActorKind.MODEL, call.row.model)
    # The turn was applied before, or will be: this is the behaviour's own doing, and no part of that.
    changes = [replace(change, origin=replace(change.origin, turn_id=None)) for change in state.changes]
    written = {row.entry_id for row in change_entries(**owner, changes=changes, by=by, now=now)}
    if written:
        at_most = state.scratchpad_at_most
        overflow_scratchpad(**owner, ingestion=given.ingestion, at_most=at_most, written=written, now=now)
    [result] = state.results
    return f"Entry {result.verdict}{f': {result.reason}' if result.reason else ''}."
