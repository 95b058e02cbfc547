"""Merges a session's branch into main: files, hot context, held changes and facts, in one transaction."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import structlog
from django.utils import timezone

from memory.ingestion.intake import accept_report
from relationships.models import Relationship
from relationships.services.configuration import configuration_of
from relationships.services.limits import message_fault
from relationships.services.profiles import read_profile
from web.actor import AGENT
from workspace.checkpoints import take_checkpoint
from workspace.errors import WorkspaceFull
from workspace.files import check_limits, commit_on
from workspace.generated import NOTES, PROFILE, made_elsewhere, supplied_specs
from workspace.hot_context import PATH as HOT_CONTEXT
from workspace.hot_context import read_hot_context
from workspace.merging import Kept, Merged, merge_trees
from workspace.models import MAIN, AgentSession, AgentStep, Branch, HeldChange, SessionState, StepState
from workspace.sessions.claim import claimed_row, holding, update_session
from workspace.sessions.run import CUT_OFF, SessionFailed
from workspace.store import Head, read_blobs, read_commit, read_head
from workspace.trees import Draft, Entry, key_of
from workspace.yaml_files import read_yaml

log = structlog.get_logger(__name__)
NEVER_MADE = "The session ended before this call was made."


def merge_session(relationship: Relationship, claimed: AgentSession) -> None:
    """Merge the session, completely or not at all. Raises SessionLost, SessionFailed."""
    with holding(claimed) as session:
        if read_hot_context(relationship.id)[1] != session.hot_seen:
            update_session(session, state=SessionState.CURATING)  # the model has to merge both versions first
            return
        theirs = read_head(relationship.id, session.branch)
        base = read_commit(relationship.id, session.base_id) if session.base_id else None
        if theirs is None or base is None:
            raise SessionFailed("The session's branch no longer exists.")
        conflicts: list[Kept] = []

        def merged(main: Head) -> tuple[Draft, str]:
            draft = _merge(relationship, session, base, main, theirs)
            check_limits(draft.files)
            conflicts[:] = draft.held
            return draft, f"Merge session {session.id}\n\n{session.summary}"

        agent: dict[str, Any] = {"by": AGENT, "session_id": session.id}
        try:
            done = commit_on(relationship, MAIN, merged, **agent, also_from=(theirs.commit,), always=True)
        except WorkspaceFull as error:
            raise SessionFailed(f"It can't be merged: {error.detail}") from None
        take_checkpoint(relationship=relationship, name="merged", **agent)
        held = _hold(relationship, session, base, theirs, conflicts)
        Branch.objects.for_relationship(relationship.id).filter(name=session.branch).delete()
        steps = AgentStep.objects.for_relationship(relationship.id).filter(session_id=session.id)
        steps.filter(state=StepState.STARTED).update(state=StepState.FAILED, result=CUT_OFF)
        undecided = steps.filter(state__in=(StepState.WAITING, StepState.APPROVED))
        undecided.update(state=StepState.FAILED, result=NEVER_MADE)
        claimed_row(claimed).settle()
        update_session(
            session,
            state=SessionState.NEEDS_REVIEW if held else SessionState.DONE,
            merged_id=key_of(done.commit),
            turn_id=_remember(relationship, session),
            error="",
        )
    log.info("a session was merged", event_name="session.merged", session_id=str(claimed.id))


def _merge(relationship: Relationship, session: AgentSession, base: Head, main: Head, theirs: Head) -> Merged:
    """Merge the written files. Generated files stay main's, the notes are left out, hot context is curated."""
    specs = supplied_specs(relationship.companion_id)

    def own(head: Head) -> dict[str, Entry]:
        return {
            path: entry
            for path, entry in head.files.items()
            if not made_elsewhere(path, specs=specs) and path not in (NOTES, HOT_CONTEXT)
        }

    def read(entry: Entry) -> bytes:
        return read_blobs(relationship.id, [entry])[entry.sha256]

    ours = own(main)
    merged = merge_trees(own(base), ours, own(theirs), read=read, label=str(session.id))
    merged.files |= {path: entry for path, entry in main.files.items() if path not in ours}
    if curated := theirs.files.get(HOT_CONTEXT):
        merged.files[HOT_CONTEXT] = curated
    return merged


def _hold(
    relationship: Relationship, session: AgentSession, base: Head, theirs: Head, conflicts: Iterable[Kept]
) -> bool:
    """Write the held changes. Returns whether a person has something to decide."""
    conflict = partial(_row, session, kind=HeldChange.CONFLICT)
    held = [conflict(path=one.path, kept_as=one.kept_as, session_deleted=one.deleted) for one in conflicts]
    proposal = _profile_of(relationship, theirs)
    if proposal != _profile_of(relationship, base):
        began, now = session.start.get("profile", 0), read_profile(relationship.id)[1]
        row = _row(session, kind=HeldChange.PROFILE, path=PROFILE, proposal=proposal, base_version=began)
        if why := "unreadable" if proposal is None else "moved" if began != now else "":
            row.state, row.decided_by, row.decided_at = HeldChange.DECLINED, f"policy:{why}", timezone.now()
        held.append(row)
    HeldChange.objects.bulk_create(held)
    return any(row.state == HeldChange.OPEN for row in held)


def _profile_of(relationship: Relationship, head: Head) -> dict[str, Any] | None:
    """The profile as the file has it; a deleted file is an empty profile. None if it can't be read."""
    entry = head.files.get(PROFILE)
    return read_yaml(read_blobs(relationship.id, [entry])[entry.sha256]) if entry else {}


def _row(session: AgentSession, **values: Any) -> HeldChange:
    return HeldChange(**session.owner, session_id=session.id, **values)


def _remember(relationship: Relationship, session: AgentSession) -> Any:
    """Hand the facts to memory as a report. Returns the ID of its turn; None if there are no facts."""
    texts = _in_messages(fact for fact in session.facts if fact.strip())
    if not texts:
        return None
    ingestion = configuration_of(relationship).values.ingestion
    own: dict[str, Any] = {"relationship": relationship, "ingestion": ingestion}
    return accept_report(**own, texts=texts, kind="agent", session=f"agent-{session.id}").id


def _in_messages(facts: Iterable[str]) -> list[str]:
    """Join the facts, one per line, into messages of allowed length."""
    texts: list[str] = []
    for fact in facts:
        together = f"{texts[-1]}\n{fact}" if texts else fact
        texts[-1:] = [*texts[-1:], fact] if texts and message_fault(together) else [together]
    return texts
