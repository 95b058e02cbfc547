"""Runs a memory tool. Errors in a call are part of the answer, so that the model can correct them."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.utils import timezone

from chat.models import ToolCall
from chat.tools.definitions import PAGE, TOOLS, WRITING
from memory.entries.adding import add_entry
from memory.entries.editing import delete_entry, revise_entry
from memory.entries.happens import day_of, told_as
from memory.errors import SameAsAnother
from memory.ingestion.intake import accept_report
from memory.mending.candidates import scope_of
from memory.mending.execution import carry_out
from memory.mending.judging import Verdict as Says
from memory.mending.plans import draft_plan, store_plan
from memory.models import USER_SUBJECT, EntrySource, MendingVerb, ScratchpadEntry, Tier
from memory.names_meant import search_as_meant
from memory.retrieval.results import EntryFilters, SearchResult
from memory.retrieval.search import ANY_MESSAGE, SearchParams, params_of, search_entries, search_messages
from relationships.configuration.json_schemas import refuse_misshapen
from relationships.configuration.schema import Configuration
from relationships.models import Message, Relationship
from relationships.services.limits import metadata_fault
from web.actor import Actor
from web.errors import InvalidInput, NotFound, RapportError

SESSION = "memory_add"  # the session of the turns that memory_add makes
NOTHING_FOUND = "No matching memory found"
LOOKED_AT = 5  # entries that are shown if nothing matches


@dataclass(frozen=True, slots=True)
class ToolUse:
    """The relationship for which a tool runs, and who called it."""

    relationship: Relationship
    configuration: Configuration
    by: Actor


@dataclass(slots=True)
class Ran:
    """A call that was run: the answer for the model, and what it concerned. `turn_id`: the turn that
    memory_add made.
    """

    name: str
    arguments: Mapping[str, Any]
    answer: dict[str, Any] = field(default_factory=dict)
    ok: bool = True
    entry_ids: list[UUID] = field(default_factory=list)
    message_ids: list[UUID] = field(default_factory=list)
    turn_id: UUID | None = None
    milliseconds: float = 0.0


def run_tool(
    use: ToolUse, name: str, arguments: Mapping[str, Any], *, strict: bool = False, refused: str = ""
) -> Ran:
    """Run a tool by name. `strict`: raise errors in the call instead of putting them in the answer. `refused`: why it
    must not run. Raises NotFound for an unknown tool.
    """
    tool = TOOLS.get(name)
    if tool is None:
        raise NotFound(f"There is no tool {name[:60]!r}; there are {', '.join(TOOLS)}.")
    ran = Ran(name, dict(arguments))
    began = time.perf_counter()
    try:
        refuse_misshapen(tool.parameters, dict(arguments), whole="arguments")
        defaults = {
            key: part["default"] for key, part in tool.parameters["properties"].items() if "default" in part
        }
        if name in WRITING and use.relationship.user.ingestion_paused:
            refused = "The person has paused remembering: nothing is stored until they resume it."
        if refused:
            ran.answer = _failed(ran, refused)
        else:
            ran.answer = _RUNNERS[name](use, {**defaults, **arguments}, ran)
    except RapportError as error:
        if strict and not isinstance(error, SameAsAnother):
            raise
        ran.ok, ran.answer = False, {"success": False, "error": error.detail}
    ran.milliseconds = (time.perf_counter() - began) * 1000
    return ran


def keep_call(use: ToolUse, ran: Ran, *, turn_id: UUID | None) -> None:
    """Store the call, with the turn it belongs to."""
    ToolCall.objects.create(
        relationship_id=use.relationship.id,
        project_id=use.relationship.project_id,
        turn_id=turn_id,
        name=ran.name,
        arguments=dict(ran.arguments) if ran.ok or not metadata_fault(ran.arguments) else {},
        ok=ran.ok,
        entry_ids=ran.entry_ids,
        message_ids=ran.message_ids,
        actor_kind=use.by.kind,
        actor_id=use.by.id,
        milliseconds=ran.milliseconds,
    )


def _search(use: ToolUse, text: str, top_k: int, *tiers: str) -> SearchResult:
    return search_as_meant(
        search_entries, text=text, filters=EntryFilters(tiers=tiers), **_params(use, top_k)
    )


def _params(use: ToolUse, top_k: int) -> SearchParams:
    own = {"project_id": use.relationship.project_id, "relationship_id": use.relationship.id}
    params = params_of(use.configuration, **own, now=timezone.now())
    params["top_k"] = top_k
    return params


def _found(use: ToolUse, result: SearchResult, ran: Ran) -> list[dict[str, Any]]:
    entries = {entry.id: entry for entry in _entries(use).filter(id__in=[hit.id for hit in result.hits])}
    hits = [hit for hit in result.hits if hit.id in entries]
    ran.entry_ids = [hit.id for hit in hits]
    return [_memory(entries[hit.id], hit.score, use.relationship.timezone) for hit in hits]


def _memory(entry: ScratchpadEntry, score: float, timezone: str) -> dict[str, Any]:
    """An entry in the published format, plus when it was told, when it happens, and who it is about if not the user."""
    told = {"told": day_of(entry.effective_at.timestamp(), timezone)}
    about = {"about": entry.subject} if entry.subject != USER_SUBJECT else {}
    happens = {"happens_at": told_as(entry.happens_at, timezone)} if entry.happens_at else {}
    published = {
        "id": str(entry.id),
        "content": entry.content,
        "category": entry.type,
        "score": round(score, 3),
    }
    return published | told | about | happens


def _memory_search(use: ToolUse, given: Mapping[str, Any], ran: Ran) -> dict[str, Any]:
    return {"memories": _found(use, _search(use, given["query"], int(given["limit"])), ran)}


def _archival_memory_search(use: ToolUse, given: Mapping[str, Any], ran: Ran) -> dict[str, Any]:
    first = int(given["page"]) * PAGE
    result = _search(use, given["query"], first + PAGE, Tier.ARCHIVE)
    return {"page": int(given["page"]), "memories": _found(use, result, ran)[first:]}


def _memory_add(use: ToolUse, given: Mapping[str, Any], ran: Ran) -> dict[str, Any]:
    """Hand the text over as a turn. It is read like any other, so known facts are not stored twice."""
    turn = accept_report(
        relationship=use.relationship,
        ingestion=use.configuration.ingestion,
        texts=[given["content"]],
        kind="note",
        session=SESSION,
        metadata={"category": given["category"]},
    )
    ran.turn_id = turn.id
    return {"success": True, "stored": [], "state": turn.state, "turn": str(turn.id)}


def _memory_forget(use: ToolUse, given: Mapping[str, Any], ran: Ran) -> dict[str, Any]:
    """Hide entries and messages that certainly match, found by rules as in POST .../forget. It can be undone. If
    nothing matches, the answer shows what was looked at, so that the model can try again in those words.
    """
    draft = draft_plan(scope_of(use.relationship, given["query"]), verb=MendingVerb.FORGET, by_rules=True)
    says = [one.id for one in draft.found if one.judgement.verdict == Says.SAYS and one.kind == "entry"]
    if not (says or draft.ticked) or draft.scope.wish.everything or draft.scope.wish.last:
        looked_at = _found(use, _search(use, given["query"], LOOKED_AT), ran)
        return {**_failed(ran, NOTHING_FOUND), "looked_at": looked_at}
    ran.entry_ids = says
    entries = list(_entries(use).filter(id__in=says))
    if any(entry.pinned or entry.read_only for entry in entries):
        return _failed(ran, "This memory is pinned or read-only: only a person can remove it.")
    if len(entries) > use.configuration.ingestion.deletion_hold.most(_entries(use).count()):
        return _failed(ran, f"{len(entries)} memories say this, too many at once: describe a part of them.")
    ran.message_ids = [one.id for one in draft.ticked if one.kind == "message"]
    plan = carry_out(store_plan(draft, depth="hide", by=use.by), by=use.by)
    rests = {one.id: {"rest": one.rest} for one in draft.ticked if one.rest is not None}
    deleted = [{**_id_and_content(entry), **rests.get(entry.id, {})} for entry in entries]
    return {"success": True, "deleted": deleted, "plan": str(plan.id)}


def _core_memory_append(use: ToolUse, given: Mapping[str, Any], ran: Ran) -> dict[str, Any]:
    ingestion = use.configuration.ingestion
    types = ingestion.type_names
    if given["type"] not in types:
        raise InvalidInput.of("type", f"is none of the companion's types; known: {', '.join(types)}")
    entry = add_entry(
        relationship=use.relationship,
        values={
            "content": given["content"],
            "type": given["type"],
            "subject": _subject(given["label"]),
        },
        by=use.by,
        source=EntrySource.API,
        reason="core_memory_append",
        limit=ingestion.max_entries,
    )
    ran.entry_ids = [entry.id]
    return {"success": True, "stored": [{**_id_and_content(entry), "event": "add"}]}


def _core_memory_replace(use: ToolUse, given: Mapping[str, Any], ran: Ran) -> dict[str, Any]:
    old, new = given["old_content"], given["new_content"]
    core = _entries(use).filter(tier=Tier.SCRATCHPAD, subject=_subject(given["label"]), content__contains=old)
    found = list(core[:2])
    if len(found) != 1:
        how_many = "more than one memory" if found else "no memory"
        return _failed(ran, f"{how_many} of {given['label']} has exactly this text")
    entry = found[0]
    ran.entry_ids = [entry.id]
    if entry.pinned or entry.read_only:
        return _failed(ran, "This memory is pinned or read-only: only a person can change it.")
    content = entry.content.replace(old, new).strip()
    if not content:
        delete_entry(
            relationship_id=entry.relationship_id,
            entry_id=entry.id,
            version=entry.version,
            by=use.by,
            reason="memory tool",
        )
        return {"success": True, "deleted": [_id_and_content(entry)]}
    revised = revise_entry(
        relationship_id=use.relationship.id,
        entry_id=entry.id,
        values={"content": content},
        version=entry.version,
        by=use.by,
        reason="core_memory_replace",
    )
    return {"success": True, "stored": [{"id": str(entry.id), "content": revised.content, "event": "update"}]}


def _conversation_search(use: ToolUse, given: Mapping[str, Any], ran: Ran) -> dict[str, Any]:
    first = int(given["page"]) * PAGE
    asked = _params(use, first + PAGE)
    found = search_as_meant(search_messages, text=given["query"], filters=ANY_MESSAGE, **asked)
    wanted = [hit.id for hit in found.hits[first:]]
    rows = Message.objects.for_relationship(use.relationship.id).filter(
        id__in=wanted, erased_at=None, hidden_at=None
    )
    messages = {message.id: message for message in rows}
    ran.message_ids = [message_id for message_id in wanted if message_id in messages]
    told = [messages[message_id] for message_id in ran.message_ids]
    said = [{"role": m.role, "content": m.content, "said_at": m.occurred_at.isoformat()} for m in told]
    return {"page": int(given["page"]), "messages": said}


def _entries(use: ToolUse) -> Any:
    return ScratchpadEntry.objects.for_relationship(use.relationship.id).active()


def _subject(label: str) -> str:
    return "user" if label == "human" else "assistant"


def _id_and_content(entry: ScratchpadEntry) -> dict[str, str]:
    return {"id": str(entry.id), "content": entry.content}


def _failed(ran: Ran, why: str) -> dict[str, Any]:
    ran.ok = False
    return {"success": False, "error": why}


_RUNNERS: dict[str, Callable[[ToolUse, Mapping[str, Any], Ran], dict[str, Any]]] = {
    "memory_search": _memory_search,
    "memory_add": _memory_add,
    "memory_forget": _memory_forget,
    "core_memory_append": _core_memory_append,
    "core_memory_replace": _core_memory_replace,
    "archival_memory_search": _archival_memory_search,
    "conversation_search": _conversation_search,
}
