"""Rewrites hot context at the end of a session: the model reads the present one and what happened."""

import re
from collections.abc import Sequence
from pathlib import Path
from textwrap import indent

from providers.llm.base import AgentData, CompletionRequest
from relationships.models import Relationship
from web.actor import AGENT
from workspace.checkpoints import take_checkpoint
from workspace.errors import HotContextTooLong
from workspace.files import change_files
from workspace.generated import NOTES, entries_file, made_elsewhere
from workspace.history import paths_between, reachable
from workspace.hot_context import PATH, hot_context_text, read_hot_context
from workspace.models import AgentSession, AgentStep, Commit, SessionState, StepState, Worker
from workspace.sessions.claim import holding, update_session
from workspace.sessions.model_calls import (
    as_told,
    ask,
    data_for,
    forgettings,
    today_of,
    user_of,
    workspace_of,
)
from workspace.sessions.run import DONE, SessionFailed
from workspace.store import Head, read_blobs, read_commit, read_head
from workspace.trees import key_of

PROMPT = (Path(__file__).parent.parent / "prompts" / "curate.md").read_text()
MOST_TOLD, MOST_FILES = 100, 50  # steps and commits; changed files of an external session
MOST_CURATIONS = 4  # hot context may change while the model writes
LONGEST_ENTRIES, LONGEST_NOTES, LONGEST_RESULT = 40_000, 20_000, 500  # characters shown
INDENT = " " * 4
_FENCED = re.compile(r"\A\s*```(?:markdown|md)?\n(.*?)\n?```\s*\Z", re.DOTALL)


def curate_session(relationship: Relationship, claimed: AgentSession) -> None:
    """Have the model rewrite hot context. A failure leaves it as it was.

    Raises SessionLost, SessionFailed, ProviderError, BudgetSpent.
    """
    if claimed.curations >= MOST_CURATIONS:
        raise SessionFailed("Hot context was changed repeatedly while it was curated.")
    forgotten = forgettings(relationship.id)
    chats, version = read_hot_context(relationship.id)
    head = read_head(relationship.id, claimed.branch)
    if head is None:
        raise SessionFailed("The session's branch no longer exists.")
    ours, notes = _texts(relationship, head, [PATH, NOTES])
    changed = version != claimed.start.get("hot_context", 0)
    asked = ask(relationship, _question(relationship, claimed, head, ours, chats if changed else "", notes))
    fenced = _FENCED.match(asked.text)
    text = (fenced[1] if fenced else asked.text).strip()
    if not text:
        raise SessionFailed("The model's hot context was empty; the old one stays.")
    try:
        hot_context_text(text.encode())
    except HotContextTooLong as error:
        raise SessionFailed(f"The model's {error.detail} The old one stays.") from None
    with holding(claimed) as session:
        spent = {"curations": session.curations + 1, "tokens": session.tokens + asked.tokens}
        if forgettings(relationship.id) != forgotten:
            # The answer may contain what was forgotten, so ask the model again.
            update_session(session, **spent)
            return
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
        update_session(session, state=SessionState.MERGING, hot_seen=version, **spent)


def _texts(relationship: Relationship, head: Head, paths: Sequence[str]) -> list[str]:
    """The texts of these files; "" for one that does not exist."""
    contents = read_blobs(relationship.id, [head.files[path] for path in paths if path in head.files])
    return [
        contents[entry.sha256].decode("utf-8", "replace") if (entry := head.files.get(path)) else ""
        for path in paths
    ]


def _question(
    relationship: Relationship, session: AgentSession, head: Head, ours: str, chats: str, notes: str
) -> CompletionRequest:
    happened = _what_happened(relationship, session, head)
    remembered = entries_file(relationship).decode()
    if len(remembered) > LONGEST_ENTRIES:
        remembered = f"{remembered[:LONGEST_ENTRIES]}\n[Cut here: older entries are not shown.]"
    parts = [
        ("What is remembered", remembered),
        ("The session's task", session.task),
        ("What it did", "\n".join(happened)),
        ("Its notes", notes[:LONGEST_NOTES]),
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
        # Texts are indented, so that no line of theirs can pass for the heading of a part.
        prompt="\n\n".join(
            f"# {head}\n{indent(text.strip() or '(nothing)', INDENT)}" for head, text in parts
        ),
        schema=None,
        prompt_data=data_for(relationship, data),
        model=workspace_of(relationship).model,
    )


def _what_happened(relationship: Relationship, session: AgentSession, head: Head) -> list[str]:
    """The steps, without the last (the summary), and the commits. An external agent's work shows in its files."""
    owned = AgentStep.objects.for_relationship(relationship.id).filter(session_id=session.id)
    steps = owned.exclude(tool=DONE, state=StepState.DONE)
    told = [
        f"{step.tool} {given}: {result}"[:LONGEST_RESULT]
        for step, given, result in as_told(session, steps.order_by("number"))
    ]
    base = read_commit(relationship.id, session.base_id) if session.base_id else None
    if base is None:
        return _newest(told)
    new = reachable(relationship.id, key_of(head.commit)) - reachable(relationship.id, key_of(base.commit))
    commits = Commit.objects.for_relationship(relationship.id).filter(id__in=new).order_by("recorded_at")
    told += [f"commit: {message[:LONGEST_RESULT]}" for message in commits.values_list("message", flat=True)]
    changes = _changes(relationship, session, base, head) if session.worker == Worker.EXTERNAL else []
    return _newest(told) + changes


def _newest(told: list[str]) -> list[str]:
    """Keep the last MOST_TOLD lines: an external agent may call any number of tools and push commits."""
    left_out = len(told) - MOST_TOLD
    return [f"... {left_out} steps and commits before", *told[-MOST_TOLD:]] if left_out > 0 else told


def _changes(relationship: Relationship, session: AgentSession, base: Head, head: Head) -> list[str]:
    """The files that changed, each with its beginning."""
    paths = [
        path
        for path in paths_between(base.files, head.files)
        if path not in (PATH, NOTES) and not made_elsewhere(path, session.branch)
    ]
    texts = _texts(relationship, head, paths[:MOST_FILES])
    more = [f"... and {len(paths) - MOST_FILES} more files"] if len(paths) > MOST_FILES else []
    return [
        f"{path}: {text[:LONGEST_RESULT] if path in head.files else '(deleted)'}"
        for path, text in zip(paths, texts, strict=False)
    ] + more
