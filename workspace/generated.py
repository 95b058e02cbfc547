"""The files that are generated from other data. On main they are generated when they are read; sessions and clones
start with a copy from that moment.
"""

import re
import unicodedata
from collections.abc import Collection, Container, Iterable, Iterator
from typing import Any
from uuid import UUID

import yaml
from django.conf import settings
from django.contrib.postgres.aggregates import StringAgg
from django.db.models import F
from django.db.models.functions import Left, Substr
from django.utils import timezone

from context.layers.memory import items_of
from knowledge.models import Document, DocumentChunk, DocumentState
from memory.entries.snapshots import lines_at
from relationships.models import Relationship, Snapshot
from relationships.services.configuration import configuration_of
from relationships.services.profiles import read_profile
from relationships.text_names import name_in_text
from workspace.hot_context import PATH as HOT_CONTEXT
from workspace.models import MAIN, Tool
from workspace.paths import folded
from workspace.store import read_blobs
from workspace.trees import Files

ENTRIES, PROFILE, RULES = "memory/entries.md", "profile/user.yaml", "workspace/AGENTS.md"
NOTES = "memory/scratchpad.md"  # a session's own, on its branch
DOCUMENTS, TOOLS = "knowledge/documents/", "tools/"
MOST_OF_DOCUMENTS = 2_000_000  # total bytes of all documents
DOCUMENTS_AT_ONCE = 50  # documents whose texts one statement reads
CUT = "\n\n[Cut here: the document goes on.]\n"
CUT_ENTRIES = "\n\n[Cut here: there are more. The tool recall finds them, and REST lists them.]\n"
SPEC_PATH = re.compile(r"tools/(?P<name>[^/]+)/spec\.yaml")
TOOL_NAME = r"[a-z][a-z0-9_]{0,63}"
_SOURCES = {
    ENTRIES: "the relationship's entries",
    PROFILE: "the relationship's profile",
    RULES: "the configuration's workspace.agents_md",
}
_PLACES = {
    place: [(name, folded(name)) for name in place.split("/")]
    for place in (ENTRIES, PROFILE, RULES, HOT_CONTEXT, NOTES, f"{DOCUMENTS}*", f"{TOOLS}*/spec.yaml")
}
_UNFIT = re.compile(r"[/\\\x00-\x1f\x7f-\x9f\ufffd\u202a-\u202e\u2066-\u2069]+")


def made_elsewhere(path: str, branch: str = MAIN, specs: Container[str] = ()) -> str:
    """Return what a generated file is made from, as words for an error; "" for one that can be written.

    On a session's branch the profile can be. `specs`: the paths of those of the companion's own tools, if they matter.
    """
    if path.startswith(DOCUMENTS) or path == DOCUMENTS.rstrip("/"):
        return "the companion's documents"
    if path in specs:
        return "the companion's tools"
    return "" if branch != MAIN and path == PROFILE else _SOURCES.get(path, "")


def way_fault(path: str) -> str:
    """Return how a path would collide with a generated file, present or future; "" if it does not.

    It may differ only by case or Unicode form, lie inside the file, or be a file where that needs a folder.
    """
    parts, plain = path.split("/"), folded(path).split("/")  # a letter may fold to a slash
    for place, names in _PLACES.items():
        for at, (part, (name, wanted)) in enumerate(zip(plain, names, strict=False)):
            if name == "*" and not (place.startswith(TOOLS) and re.fullmatch(TOOL_NAME, part)):
                break  # not a valid tool name; documents may have any
            if name != "*" and part != wanted:
                break
            if parts[at : at + 1] != [part if name == "*" else name]:
                return f"differs only by case or Unicode form from {place}, which has its own use"
        else:
            if len(plain) != len(names):
                return f"stands in the way of {place}, which has its own use"
    return ""


def spec_path(name: str) -> str:
    return f"{TOOLS}{name}/spec.yaml"


def supplied_specs(companion_id: UUID) -> dict[str, bytes]:
    """The specs of the companion's own tools, by path."""
    rows = Tool.objects.filter(companion_id=companion_id).order_by("name").values_list("name", "spec")
    specs = {spec_path(name): _yaml({"name": name, **spec}) for name, spec in rows}
    return {path: _mark(path) + content for path, content in specs.items()}


def written_files(relationship_id: UUID, files: Files, made: Collection[str]) -> Files:
    """The files of main that are not generated: not at `made`, and not the spec of a tool that was deleted."""
    written = {path: entry for path, entry in files.items() if path not in made and not made_elsewhere(path)}
    specs = [path for path in written if SPEC_PATH.fullmatch(path)]
    contents = read_blobs(relationship_id, [written[path] for path in specs])
    for path in specs:
        if contents[written[path].sha256].startswith(_mark(path)):
            del written[path]
    return written


def _mark(path: str) -> bytes:
    """The first line of a generated spec. It names the path, so a copy elsewhere does not count as generated."""
    return f"# {path} is made from the companion's tool of that name\n".encode()


def generated_files(relationship: Relationship) -> dict[str, bytes]:
    """All generated files, by path. Load `relationship` with its companion, user and project."""
    profile, _ = read_profile(relationship.id)
    rules = configuration_of(relationship).values.workspace.agents_md
    files = {ENTRIES: entries_file(relationship), PROFILE: _yaml(profile)}
    if rules:
        files[RULES] = rules.encode()
    files |= supplied_specs(relationship.companion_id)
    return {path: _cut(content) for path, content in (files | _documents(relationship)).items()}


def generated_paths(relationship: Relationship, tools: Iterable[Tool]) -> list[str]:
    """The paths of all generated files, without generating them. `tools`: the companion's."""
    rules = configuration_of(relationship).values.workspace.agents_md
    specs = [spec_path(tool.name) for tool in tools]
    documents = (path for path, _ in _named_documents(relationship))
    return [ENTRIES, PROFILE, *([RULES] if rules else []), *specs, *documents]


def entries_file(relationship: Relationship) -> bytes:
    """The current content of the file ENTRIES."""
    rows = Snapshot.objects.for_relationship(relationship.id)
    lines, fresh_until = rows.values_list("scratchpad", "fresh_until").first() or ([], None)
    user, now = name_in_text(relationship.user.display_name, relationship.user.external_id), timezone.now()
    shown = lines_at(lines, fresh_until=fresh_until, now=now)
    items = items_of(shown, timezone=relationship.timezone, now=now, dated=True)
    listed = [f"{item} ({line[1]})" for item, line in zip(items, shown, strict=True)]
    lines = [f"# What is remembered about {user}, newest first", "", *(listed or ["Nothing yet."]), ""]
    return _cut("\n".join(lines).encode(), CUT_ENTRIES)


def _documents(relationship: Relationship) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    room = MOST_OF_DOCUMENTS
    named = list(_named_documents(relationship))
    for start in range(0, len(named), DOCUMENTS_AT_ONCE):
        some = named[start : start + DOCUMENTS_AT_ONCE]
        short = [document.id for _, document in some if document.characters <= settings.MAX_FILE_BYTES]
        texts = _texts_of(short) if room > 0 else {}
        for path, document in some:
            if room > 0 and document.id not in short:  # one at a time
                texts |= _texts_of([document.id])
            content = _cut(texts.get(document.id, "").encode()) if room > 0 else CUT.encode()
            room -= len(content)
            files[path] = content
    return files


def _named_documents(relationship: Relationship) -> Iterator[tuple[str, Document]]:
    documents = Document.objects.of_companion(relationship.project_id, relationship.companion_id)
    taken: dict[str, int] = {}
    ready = documents.filter(state=DocumentState.READY).order_by("created_at", "id")
    for document in ready.only("id", "name", "characters"):
        yield f"{DOCUMENTS}{_file_name(document.name, taken)}", document


def _texts_of(document_ids: Collection[UUID]) -> dict[UUID, str]:
    """The texts of these documents, no longer than a file may be."""
    whole = StringAgg(Substr("content", F("repeats") + 1), delimiter="", order_by="place")
    chunks = DocumentChunk.objects.filter(document_id__in=document_ids).order_by().values("document_id")
    return dict(
        chunks.annotate(text=Left(whole, settings.MAX_FILE_BYTES + 1)).values_list("document_id", "text")
    )


def _file_name(name: str, taken: dict[str, int]) -> str:
    """A name that no other file has. `taken`: the folded names so far, each with the last number that was tried."""
    plain = _UNFIT.sub(" ", unicodedata.normalize("NFC", name)).strip(" .") or "document"
    while len(plain.encode()) > 200:
        plain = plain[:-1]
    plain = plain if plain.endswith((".md", ".txt")) else f"{plain}.md"
    first, (stem, _, ending) = folded(plain), plain.rpartition(".")
    while folded(plain) in taken:
        taken[first] += 1
        plain = f"{stem} ({taken[first]}).{ending}"
    taken[folded(plain)] = 1
    return plain


def _yaml(value: Any) -> bytes:
    written: str = yaml.safe_dump(value, allow_unicode=True, sort_keys=True, width=110)
    return written.encode()


def _cut(content: bytes, says: str = CUT) -> bytes:
    limit = settings.MAX_FILE_BYTES
    if len(content) <= limit:
        return content
    return content[: limit - len(says)].decode("utf-8", "ignore").encode() + says.encode()
