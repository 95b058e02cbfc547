"""A world with every kind of object, so that every route of the schema leads to something.

When adding a route with a new path parameter, make such an object here and add it to `parameters`.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from behaviours.models import BehaviourRun, OutboxMessage
from chat.models import KeptContext
from chat.responses.ids import ReplyId
from connect.events.owed import owe_delivery
from knowledge.chunking import cut_document
from knowledge.chunks import replace_chunks
from knowledge.models import Document
from knowledge.parsing.base import Block
from memory.entries.adding import add_entry
from memory.mending.candidates import scope_of
from memory.mending.plans import draft_plan, store_plan
from memory.models import EntrySource, IngestionPrompt
from relationships.models import Companion, Relationship, Turn, TurnState
from relationships.services.api_keys import create_api_key
from relationships.services.profiles import replace_profile
from relationships.services.sequence import allocate_seq
from relationships.services.sessions import patch_session
from relationships.services.tokens import create_token
from relationships.services.turns import NewMessage, NewTurn, TurnDisposal, store_turn
from summaries.models import Summary
from tests.fixtures.turns import PERSON, hold_deletions
from web.actor import Actor
from workspace.checkpoints import take_checkpoint
from workspace.files import change_files
from workspace.gateway.secrets import put_secret
from workspace.gateway.tools import put_tool
from workspace.models import AgentStep, HeldChange, SessionState, StepState, Worker
from workspace.sessions.claim import update_session
from workspace.sessions.commands import start_session

BY = Actor.policy("test")
NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
SECRET_WORDS = "keeps a tame raven called Huginn"


@dataclass(frozen=True)
class World:
    """`parameters`: a value for every path parameter, each an object of this project."""

    parameters: dict[str, str]

    def address(self, path: str) -> str:
        """A path of the schema, below /v1, with this project's objects."""
        try:
            return path.removeprefix("/v1").format(**self.parameters)
        except KeyError as missing:
            raise AssertionError(
                f"{path} has the parameter {missing}: make such an object in tests/integration/api/world.py"
            ) from None


def build_world(relationship: Relationship) -> World:
    """Make one of everything below `relationship`, its companion, its user and its project."""
    Companion.objects.filter(id=relationship.companion_id).update(
        config={"ingestion": {"provider": "offline"}}
    )
    key, _ = create_api_key(project_id=relationship.project_id, name="Mine", scopes=["read"], by=BY)
    token, _ = create_token(relationship=relationship, scopes=["read"], expires_in=600, by=BY)
    replace_profile(relationship=relationship, data={"note": SECRET_WORDS}, by=BY)
    patch_session(relationship=relationship, session="web", patch={"note": SECRET_WORDS}, idle_minutes=0)
    IngestionPrompt.objects.create(
        companion_id=relationship.companion_id,
        version=1,
        template="Remember {{ user }}'s pets.",
        created_by_kind=BY.kind,
    )
    turn_id = _failed_turn(relationship)
    entry_id = _entry(relationship)
    return World(
        {
            "companion_id": str(relationship.companion_id),
            "user_id": str(relationship.user_id),
            "relationship_id": str(relationship.id),
            "key_id": str(key.id),
            "token_id": str(token.id),
            "session": "web",
            "version": "1",
            "turn_id": str(turn_id),
            "response_id": ReplyId(relationship.id, turn_id).response,
            "entry_id": str(entry_id),
            "held_id": str(_held(relationship, turn_id, entry_id)),
            "plan_id": str(_plan(relationship)),
            "document_id": str(_document(relationship)),
            "summary_id": str(_summary(relationship)),
            "run_id": str(run_id := _run(relationship, turn_id)),
            "message_id": str(_queued(relationship, run_id)),
            "context_id": str(_kept_context(relationship, turn_id, entry_id)),
            "name": "memory_search",
            **_workspace(relationship),
        }
    )


def _failed_turn(relationship: Relationship) -> UUID:
    """A turn that can be retried."""
    stored = store_turn(
        relationship_id=relationship.id,
        project_id=relationship.project_id,
        seq=allocate_seq(relationship.id, count=3),
        turn=NewTurn(
            [NewMessage("user", SECRET_WORDS), NewMessage("assistant", SECRET_WORDS)],
            occurred_at=NOW,
            session="web",
        ),
        disposal=TurnDisposal(TurnState.FAILED, None, error_code="refused", error="the provider refused it"),
        now=NOW,
    )
    return stored.turn.id


def _entry(relationship: Relationship) -> UUID:
    values = {"type": "other", "content": SECRET_WORDS}
    entry = add_entry(relationship=relationship, values=values, by=BY, source=EntrySource.MANUAL)
    return UUID(str(entry.id))


def _held(relationship: Relationship, turn_id: UUID, entry_id: UUID) -> UUID:
    turn = Turn.objects.for_relationship(relationship.id).get(id=turn_id)
    held = hold_deletions(turn, entry_id, reason="asked to")
    return UUID(str(held.id))


def _kept_context(relationship: Relationship, turn_id: UUID, entry_id: UUID) -> UUID:
    kept = KeptContext.objects.create(
        relationship_id=relationship.id,
        project_id=relationship.project_id,
        turn_id=turn_id,
        assembled_at=NOW,
        total_tokens=9,
        layers=[
            {"name": "memory", "tokens": 9, "milliseconds": 0.1, "reason": "", "sources": [str(entry_id)]}
        ],
        entries={str(entry_id): 1},
        source_ids=[entry_id],
        provider="offline",
        model="rules-1",
        milliseconds=1.0,
    )
    return UUID(str(kept.id))


def _plan(relationship: Relationship) -> UUID:
    """A waiting plan, made by rules."""
    draft = draft_plan(scope_of(relationship, "the zeppelin"), verb="forget", by_rules=True)
    return UUID(str(store_plan(draft, depth="hide", by=PERSON).id))


def _document(relationship: Relationship) -> UUID:
    """A ready document with a chunk, without having been parsed."""
    document = Document.objects.create(
        project_id=relationship.project_id,
        companion_id=relationship.companion_id,
        name="Ravens.txt",
        kind="text",
        sha256=bytes(32),
        size=len(SECRET_WORDS),
        state="ready",
        language="simple",
        chunk_count=1,
        chunks_done=1,
    )
    chunks = cut_document([Block(f"A person {SECRET_WORDS}.")], tokens=800, overlap=400)
    replace_chunks(document, chunks, language=document.language)
    return document.id


def _summary(relationship: Relationship) -> UUID:
    summary = Summary.objects.create(
        relationship_id=relationship.id,
        project_id=relationship.project_id,
        messages=1,
        first_seq=1,
        last_seq=2,
        state="ready",
        text=f"A person {SECRET_WORDS}.",
        actor_kind=BY.kind,
    )
    return UUID(str(summary.id))


def _run(relationship: Relationship, turn_id: UUID) -> UUID:
    """A run that was given up."""
    run = BehaviourRun.objects.create(
        relationship_id=relationship.id,
        project_id=relationship.project_id,
        behaviour="greet",
        kind="async",
        action="message",
        occasion=f"turn:{turn_id}",
        turn_id=turn_id,
        session="web",
        state="failed",
        rendered=SECRET_WORDS,
        fired_at=NOW,
    )
    return UUID(str(run.id))


def _queued(relationship: Relationship, run_id: UUID) -> UUID:
    message = OutboxMessage.objects.create(
        relationship_id=relationship.id,
        project_id=relationship.project_id,
        run_id=run_id,
        behaviour="greet",
        content=SECRET_WORDS,
    )
    return UUID(str(message.id))


def _workspace(relationship: Relationship) -> dict[str, str]:
    """Files, a failed session with a waiting step, a held change, a checkpoint, a tool with a secret, and owed events."""
    own = {"relationship_id": relationship.id, "project_id": relationship.project_id}
    here = Relationship.objects.select_related("companion", "user", "project").get(id=relationship.id)
    spec = {"description": "Tells.", "endpoint": "https://example.com/", "needs_approval": True}
    put_tool(companion=here.companion, name="tell", spec=spec, by=BY)
    put_secret(companion=here.companion, name="KEY", value=SECRET_WORDS, by=BY)
    session, _ = start_session(relationship=here, task=SECRET_WORDS, worker=Worker.EXTERNAL, by=BY)
    update_session(session, state=SessionState.FAILED, stage=SessionState.CURATING)
    step = {"session_id": session.id, "number": 1, "tool": "tell", "state": StepState.WAITING}
    AgentStep.objects.create(**own, **step)
    held = HeldChange.objects.create(**own, session_id=session.id, kind=HeldChange.CONFLICT, path="notes.md")
    done = change_files(relationship=here, changes={"notes.md": SECRET_WORDS.encode()}, by=BY)
    owe_delivery(relationship.id, relationship.project_id, now=NOW)
    return {
        "path": "notes.md",
        "sha": done.commit,
        "agent_session_id": str(session.id),
        "number": "1",
        "change_id": str(held.id),
        "checkpoint_id": str(take_checkpoint(relationship=here, name="x", by=BY).id),
        "tool": "tell",
        "model": Companion.objects.create(project_id=here.project_id, slug=f"of-{here.id}", name="Lin").slug,
        "secret": "KEY",
    }
