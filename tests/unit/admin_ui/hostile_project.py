"""A project in which every field that somebody can type, or a model can answer, holds what pages must not believe."""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.utils import timezone

from chat.models import KeptContext
from knowledge.models import Document, DocumentChunk
from memory.ingestion.intake import accept_turn
from memory.mending.candidates import scope_of
from memory.mending.plans import draft_plan, store_plan
from memory.models import (
    EntryRevision,
    IngestionPrompt,
    ModelCall,
    OperationKind,
    OperationResult,
    Replay,
    ReplayState,
    ScratchpadEntry,
)
from relationships.models import (
    ApiKey,
    AuditEvent,
    Companion,
    EndUser,
    Membership,
    Message,
    Operator,
    Profile,
    Relationship,
    Role,
    SessionState,
    Turn,
    TurnState,
)
from relationships.services.tokens import create_token
from relationships.services.turns import NewMessage, NewTurn
from tests.fixtures.turns import PERSON, Conversation, hold_deletions
from tests.fixtures.workspaces import whole
from web.actor import Actor
from workspace.checkpoints import take_checkpoint
from workspace.files import change_files
from workspace.models import AgentStep, HeldChange, StepState, Worker
from workspace.sessions.claim import update_session
from workspace.sessions.commands import start_session

SCRIPT = "<script>alert"


@dataclass
class HostileProject:
    """`ids`: what the addresses name. `typed`: the fields that hold wild text, by the word that tells them apart."""

    relationship: Relationship
    ids: dict[str, Any] = field(default_factory=dict)
    typed: set[str] = field(default_factory=set)

    def wild(self, name: str) -> str:
        """Markup, template syntax, right-to-left and zero-width text."""
        self.typed.add(name)
        return f"{SCRIPT}('{name}')</script> {{{{ 7|add:1 }}}} {{% now %}} \u202etxet \u200b& \"quoted\""

    @property
    def owned(self) -> dict[str, UUID]:
        return {"relationship_id": self.relationship.id, "project_id": self.relationship.project_id}


def hostile_project(conversation: Conversation) -> HostileProject:
    hostile = HostileProject(conversation.relationship)
    _people(hostile)
    _memory(hostile, conversation)
    _turns(hostile, conversation)
    _companion(hostile)
    _project(hostile)
    _workspace(hostile)
    hostile.ids |= {
        "companion_id": hostile.relationship.companion_id,
        "relationship_id": hostile.relationship.id,
        "version": 1,
        "seq": 1,
    }
    return hostile


def _people(hostile: HostileProject) -> None:
    relationship, wild = hostile.relationship, hostile.wild
    EndUser.objects.filter(id=relationship.user_id).update(
        display_name=wild("display_name"), external_id=wild("external_id")
    )
    Companion.objects.filter(id=relationship.companion_id).update(name=wild("companion"))
    Relationship.objects.filter(id=relationship.id).update(last_turn_at=timezone.now())
    token, _ = create_token(relationship=relationship, scopes=["read"], expires_in=60, by=PERSON)
    hostile.ids["token_id"] = token.id
    Profile.objects.create(**hostile.owned, data={wild("profile_name"): wild("profile")})
    SessionState.objects.create(
        **hostile.owned,
        session=wild("session"),
        state={"mood": wild("session_state")},
        last_active_at=timezone.now(),
    )


def _memory(hostile: HostileProject, conversation: Conversation) -> None:
    wild, entry = hostile.wild, conversation.remember(hostile.wild("content"))[0]
    ScratchpadEntry.objects.for_relationship(entry.relationship_id).update(
        subject=wild("subject"), type=wild("type")[:60], tags={"mood": wild("tag")}
    )
    EntryRevision.objects.create(
        **hostile.owned,
        entry_id=entry.id,
        entry_version=2,
        seq=900,
        event="update",
        before={"content": "before", "subject": "user", "type": "other", "state": "active"},
        after={"content": wild("revised"), "subject": wild("revised_subject"), "type": "o", "state": "active"}
        | {"effective_at": timezone.now().isoformat()},
        actor_kind="operator",
        actor_id=wild("actor"),
        reason=wild("reason"),
        recorded_at=timezone.now(),
        effective_at=timezone.now(),
    )
    hostile.ids["entry_id"] = entry.id


def _turns(hostile: HostileProject, conversation: Conversation) -> None:
    wild = hostile.wild
    said = NewMessage("user", wild("said"), speaker=wild("speaker"))
    new = NewTurn([said], occurred_at=timezone.now(), session=wild("turn_session"))
    turn = accept_turn(relationship=conversation.relationship, new=new).turn
    entry = ScratchpadEntry.objects.for_relationship(turn.relationship_id).get()
    ScratchpadEntry.objects.for_relationship(turn.relationship_id).update(
        source_message_ids=list(Message.objects.values_list("id", flat=True))
    )
    Turn.objects.for_relationship(turn.relationship_id).update(
        state=TurnState.FAILED,
        error_code=wild("error_code")[:60],
        error=wild("error"),
    )
    _operations(hostile, turn, entry)
    EntryRevision.objects.create(
        **hostile.owned,
        entry_id=entry.id,
        entry_version=3,
        seq=901,
        event="update",
        after={"content": wild("changed"), "state": "active", "effective_at": timezone.now().isoformat()},
        actor_kind="model",
        model=wild("model"),
        turn_id=turn.id,
        recorded_at=timezone.now(),
        effective_at=timezone.now(),
    )
    ModelCall.objects.create(
        **hostile.owned,
        purpose="ingestion",
        turn_ids=[turn.id],
        provider="openai",
        model=wild("called_model"),
        system=wild("instructions"),
        prompt=wild("question"),
        answer=wild("answer"),
        error=wild("call_error"),
        error_code="refused",
        milliseconds=1.0,
    )
    hostile.ids |= {
        "turn_id": turn.id,
        "message_id": Message.objects.filter(turn_id=turn.id).values_list("id", flat=True)[0],
    }
    hostile.ids["context_id"] = _kept_context(hostile, turn, entry).id
    draft = draft_plan(scope_of(hostile.relationship, wild("wish")[:200]), verb="forget", by_rules=True)
    hostile.ids["plan_id"] = store_plan(draft, depth="hide", by=PERSON).id


def _kept_context(hostile: HostileProject, turn: Turn, entry: ScratchpadEntry) -> KeptContext:
    layers = {"memory": [str(entry.id)], "current": [], "core": []}
    cost = {"tokens": 9, "milliseconds": 0.1, "reason": hostile.wild("why")}
    return KeptContext.objects.create(
        **hostile.owned,
        turn_id=turn.id,
        assembled_at=timezone.now(),
        total_tokens=9,
        layers=[cost | {"name": name, "sources": sources} for name, sources in layers.items()],
        entries={str(entry.id): 3},
        model=hostile.wild("replied"),
        milliseconds=1.0,
    )


def _operations(hostile: HostileProject, turn: Turn, entry: ScratchpadEntry) -> None:
    wild = hostile.wild
    held = hold_deletions(turn, entry.id, reason=wild("held_reason"))
    hostile.ids["held_id"] = held.id
    OperationResult.objects.create(
        **hostile.owned,
        turn_id=turn.id,
        number=9,
        kind=OperationKind.ADD,
        operation={"op": "add", "content": wild("proposed"), "reason": wild("proposed_reason")},
        verdict="refused",
        reason=wild("refused"),
    )


def _companion(hostile: HostileProject) -> None:
    wild, companion = hostile.wild, Companion.objects.get(id=hostile.relationship.companion_id)
    IngestionPrompt.objects.create(
        companion=companion,
        version=1,
        template=wild("template"),
        note=wild("note"),
        created_by_kind="operator",
        created_by_id=wild("author"),
    )
    judged = {
        "operation": {"op": "add", "content": wild("replayed")},
        "verdict": "refused",
        "reason": wild("replay_reason"),
    }
    kept = {"type": "other", "content": wild("would_keep"), "subject": "user"}
    result = {"version": None, "operations": [judged], "entries": [kept], "prompt_tokens": 1}
    replay = Replay.objects.create(
        **hostile.owned,
        template="x",
        state=ReplayState.FAILED,
        results={"published": {**result, "output_tokens": 1, "cost": None, "milliseconds": 1.0}},
        error=wild("replay_error"),
    )
    document = Document.objects.create(
        project=companion.project,
        companion=companion,
        name=wild("document"),
        kind="text",
        sha256=bytes(32),
        size=7,
        state="failed",
        error=wild("document_error"),
        error_code="unreadable",
        added_by_kind="operator",
    )
    words = {"heading": wild("heading"), "content": wild("chunk"), "lexemes": ""}
    DocumentChunk.objects.create(document=document, companion=companion, place=0, tokens=1, length=1, **words)
    hostile.ids |= {"replay_id": replay.id, "document_id": document.id}


def _workspace(hostile: HostileProject) -> None:
    wild, here = hostile.wild, whole(hostile.relationship)
    by = Actor.policy("test")
    session, _ = start_session(relationship=here, task=wild("task"), worker=Worker.EXTERNAL, by=by)
    update_session(session, summary=wild("summary"), error=wild("session_error"))
    changes = {"notes.md": wild("file").encode(), "memory/hot_context.md": wild("hot_context").encode()}
    sha = change_files(relationship=here, changes=changes, by=by, message=wild("message")).commit
    path = wild("path").replace("/", "|").replace("\u202e", "")
    change_files(relationship=here, changes={path: b"x", "notes.md": wild("edited").encode()}, by=by)
    AgentStep.objects.create(
        **hostile.owned,
        session_id=session.id,
        number=1,
        tool=wild("tool")[:80],
        arguments={wild("argument"): wild("given")},
        result=wild("result"),
        state=StepState.WAITING,
    )
    held = HeldChange.objects.create(
        **hostile.owned,
        session_id=session.id,
        kind="profile",
        path=wild("held_path"),
        proposal={"a": wild("proposal")},
    )
    conflict = {"kind": "conflict", "path": "notes.md", "kept_as": "memory/hot_context.md"}
    for _ in range(2):
        HeldChange.objects.create(**hostile.owned, session_id=session.id, **conflict)
    take_checkpoint(relationship=here, name=wild("checkpoint"), by=by)
    hostile.ids |= {"session_id": session.id, "sha": sha, "change_id": held.id}


def _project(hostile: HostileProject) -> None:
    wild, project = hostile.wild, hostile.relationship.project
    project.name = wild("project")
    project.save()
    key = ApiKey.objects.create(
        project=project, name=wild("key"), prefix="rk_test", key_hash=b"", scopes=["read"]
    )
    AuditEvent.objects.create(
        project_id=project.id,
        action=wild("action")[:60],
        target_kind="companion",
        actor_kind="operator",
        actor_id=wild("auditor"),
        detail={wild("detailname"): wild("detail")},
    )
    colleague = Operator.objects.create_user("colleague@example.org", "a long pass phrase")
    membership = Membership.objects.create(operator=colleague, project=project, role=Role.EDITOR)
    hostile.ids |= {"key_id": key.id, "membership_id": membership.id}
