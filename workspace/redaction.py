"""Removes words from everything in an agent's workspace: files of every commit, hot context, steps, sessions.

A commit's SHA-1 depends on its content, so commits that held the words get new SHA-1s, and so do their descendants.
Existing clones have to be cloned again.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from functools import cache
from itertools import islice
from typing import Any
from uuid import UUID

from django.db.models import Model, Q

from memory.phrases import Phrases
from relationships.models import OwnedQuerySet, Snapshot
from workspace.models import (
    AgentSession,
    AgentStep,
    Blob,
    Branch,
    Checkpoint,
    Commit,
    HeldChange,
    HotContextVersion,
    Tree,
)
from workspace.tool_definitions import RECALL
from workspace.trees import Entry, entry_of, git_sha, key_of, tree_sha

ERASED = "[erased]"
TOLD_NEVER = -1  # AgentStep.forgettings of a step whose result no model is told any more
SHORTEST = 8  # characters; a shorter text, such as a name, is not proof of a quotation
AT_ONCE = 100
_TEXTS: dict[type[Model], tuple[str, ...]] = {
    AgentSession: ("task", "summary", "error", "facts"),
    AgentStep: ("result", "arguments"),
    HeldChange: ("proposal",),
    HotContextVersion: ("content",),
}
_REFERENCES: dict[type[Model], tuple[str, ...]] = {
    Checkpoint: ("commit_id",),
    HotContextVersion: ("commit_id",),
    AgentStep: ("commit_id",),
    AgentSession: ("base_id", "merged_id"),
}


class Redaction:
    """Replaces texts by ERASED. `patterns`: by text, the expression that finds it; case does not matter."""

    def __init__(self, patterns: Mapping[str, str]) -> None:
        self._patterns, self._phrases = patterns, Phrases(patterns)

    def of(self, text: str) -> str:
        if found := self._phrases.found_in(text):
            return re.sub("|".join(self._patterns[one] for one in found), ERASED, text, flags=re.I | re.M)
        return text


def redact_workspace(relationship_id: UUID, texts: Collection[str]) -> Counter[type[Model]]:
    """Redact these texts; count the changed rows by model. In the erasure's transaction, under the row lock."""
    patterns = {text: phrase_of(text) for text in texts if len(text) >= SHORTEST}
    return redact_patterns(relationship_id, patterns) if patterns else Counter()


def redact_patterns(relationship_id: UUID, patterns: Mapping[str, str]) -> Counter[type[Model]]:
    """Redact what each text's pattern finds; count the changed rows by model."""
    redaction = Redaction(patterns)
    counts: Counter[type[Model]] = Counter()
    for model, names in _TEXTS.items():
        counts[model] += _redact_columns(_owned(model, relationship_id), names, redaction)
    snapshots = _owned(Snapshot, relationship_id).exclude(hot_context=None)
    counts[Snapshot] += _redact_columns(snapshots, ("hot_context",), redaction)
    counts.update(_redact_history(relationship_id, redaction))
    return +counts


def forget_facts(relationship_id: UUID, turns: Collection[UUID]) -> int:
    """Empty the facts of the sessions that handed these turns to memory. Returns how many sessions."""
    rows: int = (
        _owned(AgentSession, relationship_id).filter(turn_id__in=turns).exclude(facts=[]).update(facts=[])
    )
    return rows


def forget_recalled(relationship_id: UUID) -> int:
    """Empty what agents have searched messages for and found, as a step does not say which. Returns how many steps."""
    rows: int = _recalls(relationship_id).update(arguments={}, result=ERASED, forgettings=TOLD_NEVER)
    return rows


def withhold_recalled(relationship_id: UUID, message_ids: Collection[UUID], now: datetime) -> None:
    """Tell no model any more what agents have found among messages: a step does not say which messages it found."""
    _recalls(relationship_id).update(forgettings=TOLD_NEVER)


def _recalls(relationship_id: UUID) -> Any:
    steps = _owned(AgentStep, relationship_id).filter(arguments__messages=True)
    return steps.filter(Q(tool=RECALL) | Q(tool="memory", arguments__command=RECALL))


def phrase_of(text: str) -> str:
    """A pattern for the text with any spacing."""
    return r"\s+".join(map(re.escape, text.split()))


def _owned(model: type[Model], relationship_id: UUID) -> OwnedQuerySet:
    rows: OwnedQuerySet = model._default_manager.filter(relationship_id=relationship_id)  # type: ignore[assignment]
    return rows


def _redact_columns(rows: OwnedQuerySet, names: tuple[str, ...], redaction: Redaction) -> int:
    count = 0
    for row in rows.iterator(chunk_size=AT_ONCE):
        changed = {
            name: new
            for name in names
            if (new := _without(getattr(row, name), redaction)) != getattr(row, name)
        }
        if changed:
            rows.filter(id=row.id).update(**changed)
            count += 1
    return count


def _without(value: object, redaction: Redaction) -> object:
    if isinstance(value, str):
        return redaction.of(value)
    if isinstance(value, list):
        return [_without(child, redaction) for child in value]
    if isinstance(value, dict):
        return {_without(key, redaction): _without(child, redaction) for key, child in value.items()}
    return value


def _redact_history(relationship_id: UUID, redaction: Redaction) -> Counter[type[Model]]:
    contents = _redact_blobs(relationship_id, redaction)
    path_of = cache(redaction.of)  # each tree has all paths
    trees: dict[UUID, str] = {}  # by the old ID, the new SHA-1
    for some in _pieces(_owned(Tree, relationship_id)):
        new: list[Tree] = []
        for tree in some:
            kept = {path: Entry(*entry) for path, entry in tree.files.items()}
            files = {
                path_of(path): contents.get(entry.sha256, entry)._replace(mode=entry.mode)
                for path, entry in kept.items()
            }
            if (sha := tree_sha(files)) != tree.sha:
                new.append(Tree(**tree.owner, id=key_of(sha), sha=sha, files=files))
                trees[tree.id] = sha
        Tree.objects.bulk_create(new, ignore_conflicts=True)
    commits = _redact_commits(relationship_id, redaction, trees)
    _owned(Tree, relationship_id).filter(id__in=trees).delete()
    _owned(Blob, relationship_id).filter(id__in=[key_of(sha256) for sha256 in contents]).delete()
    return Counter({Blob: len(contents), Tree: len(trees), Commit: len(commits)})


def _pieces(rows: OwnedQuerySet) -> Iterator[list[Any]]:
    """All rows in pieces of AT_ONCE, read by one statement, so rows written meanwhile are not included."""
    found = rows.iterator(chunk_size=AT_ONCE)
    while some := list(islice(found, AT_ONCE)):
        yield some


def _redact_blobs(relationship_id: UUID, redaction: Redaction) -> dict[str, Entry]:
    """Redact contents. Returns the new entry of each changed content, by the old SHA-256."""
    renewed: dict[str, Entry] = {}
    for some in _pieces(_owned(Blob, relationship_id)):
        rows: list[Blob] = []
        for blob in some:
            old = bytes(blob.content)
            new = redaction.of(old.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
            if new != old:
                entry = renewed[entry_of(old).sha256] = entry_of(new)
                rows.append(Blob(**blob.owner, id=key_of(entry.sha256), size=len(new), content=new))
        Blob.objects.bulk_create(rows, ignore_conflicts=True)
    return renewed


def _redact_commits(relationship_id: UUID, redaction: Redaction, trees: dict[UUID, str]) -> dict[UUID, UUID]:
    """Rewrite commits whose tree, parent or words changed, parents first, and update the references to them.
    Returns the new IDs by the old ones.
    """
    moved: dict[UUID, UUID] = {}
    shas: dict[str, str] = {}
    new: list[Commit] = []
    for commit in _owned(Commit, relationship_id).order_by("recorded_at", "id"):
        tree = trees.get(commit.tree_id, "")
        raw = _raw(bytes(commit.raw).decode("utf-8", "surrogateescape"), tree, shas, redaction)
        sha = git_sha("commit", raw)
        if sha == commit.sha:
            continue
        shas[commit.sha], moved[commit.id] = sha, key_of(sha)
        values = {
            "id": key_of(sha),
            "sha": sha,
            "tree_id": key_of(tree) if tree else commit.tree_id,
            "parents": [moved.get(parent, parent) for parent in commit.parents],
            "raw": raw,
            "message": redaction.of(commit.message),
            "author": redaction.of(commit.author)[:300],
            "recorded_at": commit.recorded_at,
        }
        new.append(Commit(**commit.owner, **values))
    Commit.objects.bulk_create(new, batch_size=AT_ONCE, ignore_conflicts=True)
    branches = list(_owned(Branch, relationship_id).filter(commit_id__in=moved))
    for row in branches:
        row.commit_id = moved[row.commit_id]
        row.tree_id = key_of(trees[row.tree_id]) if row.tree_id in trees else row.tree_id
    _owned(Branch, relationship_id).bulk_update(branches, ("commit_id", "tree_id"), batch_size=AT_ONCE)
    for model, names in _REFERENCES.items():
        for name in names:
            rows = list(_owned(model, relationship_id).filter(**{f"{name}__in": moved}))
            for row in rows:
                setattr(row, name, moved[getattr(row, name)])
            _owned(model, relationship_id).bulk_update(rows, (name,), batch_size=AT_ONCE)
    _owned(Commit, relationship_id).filter(id__in=moved).delete()
    return moved


def _raw(text: str, tree: str, shas: dict[str, str], redaction: Redaction) -> bytes:
    head, gap, message = text.partition("\n\n")
    lines: list[str] = []
    for line in head.split("\n"):
        name, _, value = line.partition(" ")
        if name == "tree" and tree:
            line = f"tree {tree}"
        elif name == "parent":
            line = f"parent {shas.get(value, value)}"
        lines.append(redaction.of(line))
    return ("\n".join(lines) + gap + redaction.of(message)).encode("utf-8", "surrogateescape")
