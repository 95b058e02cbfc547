"""Fills the tables with a large project, by SQL, as the services would take hours."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from benchmarks.seed import BY, make_companion, make_relationships
from chat.models import KeptContext
from knowledge.documents import add_document
from knowledge.pipeline import process_document
from memory.entries.snapshots import rebuild_scratchpad
from memory.ingestion.replays import request_replay, run_replay
from memory.mending.candidates import scope_of
from memory.mending.plans import draft_plan, store_plan
from memory.models import ScratchpadEntry
from relationships.ids import uuid7
from relationships.models import Membership, Message, Operator, Project, Relationship, Role, Turn
from relationships.services.sessions import patch_session
from workspace.checkpoints import take_checkpoint
from workspace.files import change_files, write_hot_context
from workspace.models import AgentStep, HeldChange, Worker
from workspace.sessions.commands import start_session

ENTRIES = 20  # of each small relationship
COMPANIONS = 5
SPAN_DAYS = 360
FILES, COMMITS, STEPS, CONFLICTS, VERSIONS = 200, 200, 200, 20, 50
PLAN = "plan.md"
_STATEMENTS = Path(__file__).with_name("seed.sql")


@dataclass(frozen=True, slots=True)
class Size:
    """`messages`: of all relationships together, two a turn. `entries_of_one`: of the large relationship."""

    relationships: int
    messages: int
    entries_of_one: int


def fill(size: Size) -> tuple[Operator, dict[str, object]]:
    """Return the owner, and the arguments of the pages' URLs, which are about the large relationship.

    That one has as many more messages as it has entries.
    """
    project = Project.objects.create(name="Large")
    operator = Operator.objects.create_user("owner@example.org", "a long pass phrase")
    Membership.objects.create(operator=operator, project=project, role=Role.OWNER)
    users = [f"user-{number}" for number in range(size.relationships)]
    relationships = [
        relationship
        for number in range(COMPANIONS)
        for relationship in make_relationships(
            make_companion(f"companion-{number}", project=project),
            users[number::COMPANIONS],
            name="Person 77",
        )
    ]
    large = relationships[0]
    each = max(2, round(size.messages / size.relationships))
    _run({"project": project.id, "large": large.id, "of_large": size.entries_of_one, "each": each})
    with transaction.atomic():
        rebuild_scratchpad(relationship_id=large.id, project_id=project.id, now=timezone.now())
    entry = ScratchpadEntry.objects.for_relationship(large.id).first()
    turn = Turn.objects.for_relationship(large.id).order_by("-seq").first()
    assert entry is not None
    assert turn is not None
    middle = timezone.now() - timedelta(days=SPAN_DAYS // 2)
    return operator, {
        "relationship": large.id,
        "companion": large.companion_id,
        "entry": entry.id,
        "turn": turn.id,
        "middle": f"{middle:%Y-%m-%d}",
        **_fill_work(large),
    }


def _run(values: dict[str, Any]) -> None:
    """Run each statement of seed.sql, then VACUUM ANALYZE."""
    values |= {"entries": ENTRIES, "span": SPAN_DAYS}
    with connection.cursor() as cursor:
        for statement in _STATEMENTS.read_text().split(";\n"):
            if statement.strip():
                cursor.execute(statement, values)
        cursor.execute("VACUUM ANALYZE")


def _fill_work(relationship: Relationship) -> dict[str, Any]:
    """Add a document, a replay, a plan, a kept context, and an agent's workspace with a long history."""
    text = "".join(
        f"# Part {part}\n\n{'A parcel that was lost is paid back. ' * 20}\n\n" for part in range(500)
    )
    companion = relationship.companion
    ours: dict[str, Any] = {"project_id": companion.project_id, "companion_id": companion.id}
    document, _ = add_document(**ours, name="Refunds.md", content=text.encode(), by=BY)
    process_document(document_id=document.id, worker="benchmark")
    newest = list(Turn.objects.for_relationship(relationship.id).order_by("-seq")[:10])
    replay = request_replay(
        relationship=relationship, template="Keep it.\n", turn_ids=[turn.id for turn in newest], by=BY
    )
    run_replay(relationship_id=relationship.id, replay_id=replay.id)
    patch_session(
        relationship=relationship, session="current", patch={"mood": ["calm"] * 200}, idle_minutes=60
    )
    draft = draft_plan(scope_of(relationship, "porcelain"), verb="forget", by_rules=True)
    return {
        "document": document.id,
        "replay": replay.id,
        "plan": store_plan(draft, depth="hide", by=BY).id,
        "kept": _keep_context(relationship, newest[0]).id,
        **_fill_workspace(relationship),
    }


def _keep_context(relationship: Relationship, turn: Turn) -> KeptContext:
    shown: Sequence[Any] = (
        *ScratchpadEntry.objects.for_relationship(relationship.id)[:60],
        *Message.objects.for_relationship(relationship.id)[:20],
    )
    sources = [str(row.id) for row in shown]
    layer = {"name": "memory", "tokens": 900, "milliseconds": 2.0, "reason": "", "sources": sources}
    return KeptContext.objects.create(
        relationship_id=relationship.id,
        project_id=relationship.project_id,
        id=uuid7(),
        turn_id=turn.id,
        assembled_at=timezone.now(),
        total_tokens=900,
        layers=[layer],
        entries=dict.fromkeys(sources[:60], 1),
        source_ids=sources,
        provider="offline",
        model="rules",
        milliseconds=900.0,
    )


def _fill_workspace(relationship: Relationship) -> dict[str, Any]:
    files = {f"workspace/notes/{number}.md": f"Note {number}\n".encode() * 50 for number in range(FILES)}
    conflicts = {
        f"{PLAN}.conflict-{number}": f"Step {number} is another.\n".encode() for number in range(CONFLICTS)
    }
    change_files(relationship=relationship, changes=files | conflicts, by=BY)
    commit = ""
    for number in range(COMMITS):
        lines = "".join(f"Step {step} of {number // (step + 1)}.\n" for step in range(100))
        commit = change_files(
            relationship=relationship, changes={PLAN: lines.encode()}, message=f"Plan {number}", by=BY
        ).commit
        if number % 10 == 0:
            take_checkpoint(relationship=relationship, name=f"before plan {number}", by=BY)
    for number in range(VERSIONS):
        words = f"Version {number}. " + "Likes green tea. " * 100
        write_hot_context(relationship=relationship, content=words, by=BY, expected_version=None)
    session, _ = start_session(relationship=relationship, task="Plan a trip", worker=Worker.EXTERNAL, by=BY)
    own = {
        "relationship_id": relationship.id,
        "project_id": relationship.project_id,
        "session_id": session.id,
    }
    HeldChange.objects.bulk_create(
        HeldChange(**own, id=uuid7(), kind=HeldChange.CONFLICT, path=PLAN, kept_as=path) for path in conflicts
    )
    AgentStep.objects.bulk_create(
        AgentStep(**own, number=number, tool="view", arguments={"path": PLAN}, result="A line.\n" * 100)
        for number in range(1, STEPS + 1)
    )
    return {"agent_session": session.id, "commit": commit}
