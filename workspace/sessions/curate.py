"""Writes hot context anew at the end of a session: the model reads the present one and what happened."""

import re
from pathlib import Path
from textwrap import indent

from providers.llm.base import AgentData, CompletionRequest
from relationships.models import Relationship
from web.actor import AGENT
from workspace.checkpoints import take_checkpoint
from workspace.files import change_files
from workspace.generated import NOTES, entries_file
from workspace.history import reachable
from workspace.hot_context import MOST_WORDS, PATH, read_hot_context
from workspace.models import AgentSession, AgentStep, Branch, Commit, SessionState, StepState
from workspace.sessions.asking import ask, data_for, today_of, user_of, workspace_of
from workspace.sessions.claim import holding, update_session
from workspace.sessions.run import DONE, SessionFailed
from workspace.store import read_blobs, read_head

PROMPT = (Path(__file__).parent.parent / "prompts" / "curate.md").read_text()
MOST_CURATIONS = 4  # hot context may change while the model writes
LONGEST_ENTRIES, LONGEST_NOTES, LONGEST_RESULT = 40_000, 20_000, 500  # characters that are shown
INDENT = " " * 4
_FENCED = re.compile(r"\A\s*```(?:markdown|md)?\n(.*?)\n?```\s*\Z", re.DOTALL)


def curate_session(relationship: Relationship, claimed: AgentSession) -> None:
    """Raises SessionLost, SessionFailed, ProviderError, BudgetSpent. What fails leaves hot context as it was."""
    if claimed.curations >= MOST_CURATIONS:
        raise SessionFailed("Hot context was changed again and again while it was curated.")
    chats, version = read_hot_context(relationship.id)
    ours, notes = _on_branch(relationship, claimed)
    changed = version != claimed.start.get("hot_context", 0)
    asked = ask(relationship, _question(relationship, claimed, ours, chats if changed else "", notes))
    text = _unwrapped(asked.text)
    words = len(text.split())
    if not words:
        raise SessionFailed("The model's hot context was empty; the old one stays.")
    if words > MOST_WORDS:
        raise SessionFailed(f"The model's hot context had {words} words of {MOST_WORDS}; the old one stays.")
    with holding(claimed) as session:
        change_files(
            relationship=relationship,
            changes={PATH: f"{text}\n".encode()},
            by=AGENT,
            branch=session.branch,
            message="Curate hot context",
            session_id=session.id,
        )
        take_checkpoint(
            relationship=relationship, name="curated", by=AGENT, branch=session.branch, session_id=session.id
        )
        update_session(
            session,
            state=SessionState.MERGING,
            hot_seen=version,
            curations=session.curations + 1,
            tokens=session.tokens + asked.tokens,
        )


def _on_branch(relationship: Relationship, session: AgentSession) -> tuple[str, str]:
    """Hot context and notes, as the session left them."""
    head = read_head(relationship.id, session.branch)
    if head is None:
        raise SessionFailed("The session's branch is not there any more.")
    entries = [entry for path in (PATH, NOTES) if (entry := head.files.get(path))]
    contents = read_blobs(relationship.id, entries)
    texts = [
        contents[entry.sha256].decode("utf-8", "replace") if (entry := head.files.get(path)) else ""
        for path in (PATH, NOTES)
    ]
    return texts[0], texts[1][:LONGEST_NOTES]


def _question(
    relationship: Relationship, session: AgentSession, ours: str, chats: str, notes: str
) -> CompletionRequest:
    happened = _what_happened(relationship, session)
    remembered = entries_file(relationship).decode()[:LONGEST_ENTRIES]
    parts = [
        ("What is remembered", remembered),
        ("The session's task", session.task),
        ("What it did", "\n".join(happened)),
        ("Its notes", notes),
        ("Its own summary", session.summary),
        ("Hot context, as the session has it", ours),
    ]
    if chats:
        parts.append(("Hot context, as it was changed elsewhere meanwhile; make one of both", chats))
    data = AgentData(
        "curate", session.task, tuple(("", line) for line in happened), ours, chats, session.summary
    )
    return CompletionRequest(
        system=PROMPT.format(user=user_of(relationship), today=today_of(relationship)),
        # Ours begin at the margin, so no line of a text can pass for the head of another part.
        prompt="\n\n".join(
            f"# {head}\n{indent(text.strip() or '(nothing)', INDENT)}" for head, text in parts
        ),
        schema=None,
        prompt_data=data_for(relationship, data),
        model=workspace_of(relationship).model,
    )


def _what_happened(relationship: Relationship, session: AgentSession) -> list[str]:
    """Without its last word, which is its summary."""
    owned = AgentStep.objects.for_relationship(relationship.id).filter(session_id=session.id)
    steps = owned.exclude(tool=DONE, state=StepState.DONE)
    told = [
        f"{step.tool} {step.arguments}: {step.result}"[:LONGEST_RESULT] for step in steps.order_by("number")
    ]
    branch = Branch.objects.for_relationship(relationship.id).filter(name=session.branch).first()
    if branch is None or session.base_id is None:
        return told
    new = reachable(relationship.id, branch.commit_id) - reachable(relationship.id, session.base_id)
    commits = Commit.objects.for_relationship(relationship.id).filter(id__in=new).order_by("recorded_at")
    return told + [
        f"commit: {message[:LONGEST_RESULT]}" for message in commits.values_list("message", flat=True)
    ]


def _unwrapped(text: str) -> str:
    fenced = _FENCED.match(text)
    return (fenced[1] if fenced else text).strip()
