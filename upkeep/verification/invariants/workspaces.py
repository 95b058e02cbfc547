"""An agent's files: all that a branch leads to must exist, with content that matches its hash."""

from collections.abc import Iterator
from datetime import datetime

import orjson

from upkeep.verification.invariant import Finding, Invariant, Page, Problem, rows
from workspace.trees import Entry, git_sha, tree_sha

RESTORE = "Restore the relationship from a backup; a clone that somebody has holds the files, too."
_MISSING = """
SELECT 'missing', b.relationship_id, b.id, 'commit of ' || b.name FROM workspace_branch b
 WHERE b.relationship_id = ANY(%(ids)s) AND NOT EXISTS (
       SELECT 1 FROM workspace_commit c
        WHERE c.relationship_id = b.relationship_id AND c.id = b.commit_id AND c.tree_id = b.tree_id)
UNION ALL
SELECT 'missing', c.relationship_id, c.id, 'tree' FROM workspace_commit c
 WHERE c.relationship_id = ANY(%(ids)s) AND NOT EXISTS (
       SELECT 1 FROM workspace_tree t WHERE t.relationship_id = c.relationship_id AND t.id = c.tree_id)
UNION ALL
SELECT 'missing', c.relationship_id, c.id, 'parent' FROM workspace_commit c CROSS JOIN unnest(c.parents) p
 WHERE c.relationship_id = ANY(%(ids)s) AND NOT EXISTS (
       SELECT 1 FROM workspace_commit o WHERE o.relationship_id = c.relationship_id AND o.id = p)
UNION ALL
SELECT 'missing', t.relationship_id, t.id, 'content' FROM workspace_tree t CROSS JOIN jsonb_each(t.files) f
 WHERE t.relationship_id = ANY(%(ids)s) AND NOT EXISTS (
       SELECT 1 FROM workspace_blob b
        WHERE b.relationship_id = t.relationship_id AND b.id = left(f.value ->> 0, 32)::uuid)
"""
_CHANGED = """
SELECT 'changed', relationship_id, id, 'content' FROM workspace_blob
 WHERE relationship_id = ANY(%(ids)s) AND id <> left(encode(sha256(content), 'hex'), 32)::uuid
"""
_HOT = """
SELECT 'not_shown', b.relationship_id, b.id, '' FROM workspace_branch b
  JOIN workspace_tree t ON t.relationship_id = b.relationship_id AND t.id = b.tree_id
  LEFT JOIN LATERAL (SELECT content FROM workspace_hotcontextversion v
                      WHERE v.relationship_id = b.relationship_id ORDER BY version DESC LIMIT 1) last ON true
 WHERE b.relationship_id = ANY(%(ids)s) AND b.name = 'main'
   AND t.files -> 'memory/hot_context.md' ->> 0
       IS DISTINCT FROM encode(sha256(convert_to(last.content, 'UTF8')), 'hex')
   AND coalesce(last.content, '') <> ''
"""
_OBJECTS = """
SELECT c.relationship_id, c.id, c.sha, c.raw, t.sha, t.files::text
  FROM workspace_commit c
  JOIN workspace_tree t ON t.relationship_id = c.relationship_id AND t.id = c.tree_id
 WHERE c.relationship_id = ANY(%(ids)s)
"""


class WorkspacesInvariant(Invariant):
    slug = "workspaces"
    promise = "What an agent's branches lead to is there and unchanged, and chat is shown main's hot context."
    problems = (
        Problem("missing", "a commit, tree or content that others rest on does not exist", RESTORE),
        Problem("changed", "a commit, tree or content is not what its SHA is of", RESTORE),
        Problem(
            "not_shown",
            "the last version of hot context is not what main's file says",
            "Read the file, and PUT .../hot-context with what is right.",
        ),
    )
    statements = (_MISSING, _CHANGED, _HOT)

    def check(self, page: Page, *, now: datetime) -> Iterator[Finding]:
        yield from super().check(page, now=now)
        changed = self.problems[1]
        for owner_id, row_id, sha, raw, tree, files in rows(_OBJECTS, page):
            entries = {path: Entry(*entry) for path, entry in orjson.loads(files).items()}
            if git_sha("commit", bytes(raw)) != sha or tree_sha(entries) != tree:
                yield Finding(changed, owner_id, row_id, "commit")
