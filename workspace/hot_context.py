"""`memory/hot_context.md` on main: the agent's summary, which chat is shown. Each version is kept.

It is written like any file. Code that commits to main calls `show_hot_context` in the same transaction, so the snapshot
always agrees with the file.
"""

from uuid import UUID

from django.db.models import Max

from config.postgresql.sessions import prepared_cursor
from providers.tokens import estimate_tokens
from relationships.models import Relationship
from relationships.services.snapshots import write_section
from web.actor import Actor
from web.errors import FieldProblem
from workspace.errors import HotContextTooLong
from workspace.models import HotContextVersion
from workspace.store import Head, read_blobs
from workspace.trees import key_of

PATH = "memory/hot_context.md"
MOST_WORDS = 700
MOST_TOKENS = 2000  # the layer's budget in a context (context.layers.hot_context.budget)
_READ = """
SELECT hot_context ->> 'content', (hot_context ->> 'version')::int FROM relationships_snapshot
 WHERE relationship_id = %s AND hot_context IS NOT NULL
"""


def hot_context_text(content: bytes) -> str:
    """Decode and check hot context. Raises HotContextTooLong."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise _refused("is not UTF-8 text") from None
    words = len(text.split())
    if "\x00" in text:
        raise _refused("holds a NUL character")
    if words > MOST_WORDS:
        raise _refused(f"has {words} words; at most {MOST_WORDS} are taken, and about 500 serve best")
    tokens = estimate_tokens(text)
    if tokens > MOST_TOKENS:
        raise _refused(f"takes about {tokens} tokens; at most {MOST_TOKENS} are taken")
    return text


def read_hot_context(relationship_id: UUID) -> tuple[str, int]:
    """The text and version; "" and 0 if there is none. One statement that reads one row."""
    with prepared_cursor() as cursor:
        cursor.execute(_READ, [relationship_id])
        row = cursor.fetchone()
    return row or ("", 0)


def show_hot_context(
    relationship: Relationship, head: Head, *, by: Actor, session_id: UUID | None = None
) -> None:
    """Store what main says now as a new version, and show it to chat. In the commit's transaction, under the
    relationship's row lock. Raises HotContextTooLong.
    """
    entry = head.files.get(PATH)
    text = hot_context_text(read_blobs(relationship.id, [entry])[entry.sha256] if entry else b"")
    versions = HotContextVersion.objects.for_relationship(relationship.id)
    version: int = (versions.aggregate(last=Max("version"))["last"] or 0) + 1
    HotContextVersion.objects.create(
        **relationship.owner,
        version=version,
        content=text,
        tokens=estimate_tokens(text),
        commit_id=key_of(head.commit),
        session_id=session_id,
        actor_kind=by.kind,
        actor_id=by.id,
    )
    write_section(**relationship.owner, section="hot_context", value={"content": text, "version": version})


def rebuild_hot_context(*, relationship_id: UUID, project_id: UUID) -> None:
    """Rewrite the snapshot's section from the newest version. Under the relationship's row lock."""
    rows = HotContextVersion.objects.for_relationship(relationship_id).order_by("-version")
    if newest := rows.values("content", "version").first():
        write_section(
            relationship_id=relationship_id, project_id=project_id, section="hot_context", value=newest
        )


def _refused(said: str) -> HotContextTooLong:
    return HotContextTooLong(f"{PATH} {said}.", problems=[FieldProblem("content", said)])
