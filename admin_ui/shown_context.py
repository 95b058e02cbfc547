"""A context for display: each layer with its sources and its text, of a new context or of a past reply."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.db.models import Case, CharField, F, Func, QuerySet, TextField, Value, When
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Concat
from django.urls import reverse

from admin_ui.paging import CHUNKS_A_PAGE
from admin_ui.params import parse_uuids
from chat.models import KeptContext
from context.answer import AssembledContext
from context.layers.messages import words_shown
from context.passages import Part as Passage
from context.passages import part_shown
from knowledge.models import DocumentChunk
from knowledge.search import cite
from memory.fence import cut_fenced
from memory.models import EntryRevision, ScratchpadEntry
from relationships.models import Message, Relationship

LINES = 60  # sources that the template shows of a layer
_MESSAGE_IDS = re.compile(r"; rests on message .*$")  # in a reason; the entry's page quotes these messages
LABELS = {
    "core": "Personality",
    "priorities": "Priorities",
    "profile": "Profile",
    "memory": "Memory",
    "hot_context": "Hot context",
    "knowledge": "Documents",
    "episodes": "Earlier messages",
    "session": "Session state",
    "summary": "Summary",
    "messages": "Recent messages",
    "current": "Current message",
}


@dataclass(frozen=True, slots=True)
class Source:
    """Something that a layer showed. `kind`: the speaker, or the place in a document; `href`: the page about it."""

    text: str
    kind: str
    href: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """A layer. `share`: per cent of the context's tokens; `parts`: (role, text), with the role "" for the system
    prompt; `left_out`: how many sources the budget left out, `left_out_sources`: the first of them.
    """

    label: str
    tone: int  # number of its colour
    tokens: int
    share: int
    reason: str
    sources: Sequence[Source]
    parts: Sequence[tuple[str, str]]
    left_out: int = 0
    left_out_sources: Sequence[Source] = ()
    text_missing: bool = False  # it had text, which was not kept

    @property
    def more(self) -> int:
        return max(0, len(self.sources) - LINES)

    @property
    def empty(self) -> bool:
        return not (self.tokens or self.sources or self.left_out)


def blocks_of(assembled: AssembledContext, relationship: Relationship) -> list[Block]:
    """Return the layers of a new context, in order. One statement."""
    named = [*(report.sources for report in assembled.layers)]
    named += [report.left_out.ids for report in assembled.layers if report.left_out]
    known = sources_by_id(relationship, (source for sources in named for source in sources))
    known |= _behaviours(assembled, relationship)
    total = assembled.total_tokens or 1
    return [
        Block(
            label=layer_label(report.name),
            tone=tone,
            tokens=report.tokens,
            share=round(100 * report.tokens / total),
            reason=report.reason,
            sources=_sources(
                report.sources,
                report.reasons or {},
                report.reason,
                _shortened(known, report.ends or {}, report.parts or {}),
            ),
            parts=[
                *([("", report.text)] if report.text else ()),
                *((line["role"], line["content"]) for line in report.messages),
            ],
            left_out=report.left_out.count if report.left_out else 0,
            left_out_sources=_sources(report.left_out.ids, {}, "", known) if report.left_out else [],
        )
        for tone, report in enumerate(assembled.layers)
    ]


def blocks_of_kept(kept: KeptContext, relationship: Relationship) -> list[Block]:
    """Return the layers of a past reply's context: entries as they were then, messages and passages as they are now."""
    layers: list[dict[str, Any]] = [
        layer | {"sources": _answered(kept)} if layer["name"] == "current" else layer for layer in kept.layers
    ]
    named = (source for layer in layers for source in layer["sources"])
    known = sources_by_id(relationship, named, versions=kept.entries)
    total = kept.total_tokens or 1
    return [_kept_block(layer, tone, total, known) for tone, layer in enumerate(layers)]


def _kept_block(layer: Mapping[str, Any], tone: int, total: int, known: Mapping[str, Source]) -> Block:
    known = _shortened(known, layer.get("ends") or {}, layer.get("parts") or {})
    sources = _sources(layer["sources"], layer.get("reasons") or {}, layer["reason"], known)
    return Block(
        label=layer_label(layer["name"]),
        tone=tone,
        tokens=layer["tokens"],
        share=round(100 * layer["tokens"] / total),
        reason=layer["reason"],
        sources=sources,
        parts=[("" if layer["name"] == "memory" else source.kind, source.text) for source in sources],
        text_missing=bool(layer["tokens"]) and not sources,
    )


def _answered(kept: KeptContext) -> list[str]:
    """Return the IDs of the messages that the reply answered."""
    owned = Message.objects.for_relationship(kept.relationship_id).filter(turn_id=kept.turn_id, role="user")
    return [str(message_id) for message_id in owned.order_by("seq").values_list("id", flat=True)]


def layer_label(name: str) -> str:
    """Return a layer's label; a plugin's is the last part of its dotted path."""
    return LABELS.get(name, name.rsplit(".", 1)[-1].replace("_", " "))


def sources_by_id(
    relationship: Relationship, names: Iterable[str], *, versions: Mapping[str, int] | None = None
) -> dict[str, Source]:
    """Find entries, messages and passages by their IDs. `versions`: of the entries, to show past ones; None: present.

    One statement, two with `versions`.
    """
    ids = list(set(parse_uuids(names)))
    if not ids:
        return {}
    rows = _messages(relationship.id, ids).union(_passages(relationship.companion_id, ids), all=True)
    if versions is None:
        rows = rows.union(_entries(relationship.id, ids), all=True)
        past = {}
    else:
        past = _past_entries(relationship.id, versions)
    return past | {str(row[0]): _source(relationship, *row) for row in rows}


# The columns of the union: ID, text, kind, speaker or document, time or "page-page-place", turn, document or entry.
def _messages(relationship_id: UUID, ids: Sequence[UUID]) -> QuerySet[Message, Any]:
    owned = Message.objects.for_relationship(relationship_id).filter(id__in=ids).order_by()
    text = Case(
        When(erased_at__isnull=True, then="content"), default=Value("Erased."), output_field=TextField()
    )
    owner = Case(When(speaker="", then="role"), default="speaker", output_field=CharField())
    time = Func("occurred_at", Value("FMDD Mon YYYY, HH24:MI"), function="to_char", output_field=CharField())
    rows: QuerySet[Message, Any] = owned.annotate(text=text, owner=owner, where=time).values_list(
        "id", "text", Value("message"), "owner", "where", "turn_id"
    )
    return rows


def _passages(companion_id: UUID, ids: Sequence[UUID]) -> QuerySet[DocumentChunk, Any]:
    rows = DocumentChunk.objects.filter(companion_id=companion_id, id__in=ids).order_by()
    where = Concat(
        Cast("page_from", CharField()),
        Value("-"),
        Cast("page_to", CharField()),
        Value("-"),
        Cast("place", CharField()),
        output_field=CharField(),
    )
    return rows.annotate(where=where).values_list(
        "id", "content", Value("passage"), "document__name", "where", "document_id"
    )


def _entries(relationship_id: UUID, ids: Sequence[UUID]) -> QuerySet[ScratchpadEntry, Any]:
    owned = ScratchpadEntry.objects.for_relationship(relationship_id).filter(id__in=ids).order_by()
    rows: QuerySet[ScratchpadEntry, Any] = owned.annotate(page_id=F("id")).values_list(
        "id", "content", Value("entry"), Value(""), Value(""), "page_id"
    )
    return rows


def _source(
    relationship: Relationship, _: UUID, text: str, kind: str, owner: str, where: str, page_id: UUID
) -> Source:
    if kind == "entry":
        return _entry_source(relationship.id, page_id, text)
    if kind == "passage":
        *pages, place = (int(number) if number else None for number in where.split("-"))
        document = reverse("admin_ui:companion_document", args=[relationship.companion_id, page_id])
        passage = f"{document}?page={(place or 0) // CHUNKS_A_PAGE + 1}#passage-{place}"
        return Source(text, cite(owner, *pages), passage)
    speakers = {"user": str(relationship.user), "assistant": relationship.companion.name}
    trace = reverse("admin_ui:relationship_trace", args=[relationship.id, page_id])
    return Source(text, f"{speakers.get(owner, owner)}, {where}", trace)


def _entry_source(relationship_id: UUID, entry_id: UUID, text: str) -> Source:
    return Source(text, "", reverse("admin_ui:relationship_entry", args=[relationship_id, entry_id]))


def _past_entries(relationship_id: UUID, versions: Mapping[str, int]) -> dict[str, Source]:
    """Find the entries' contents in these versions."""
    revisions = EntryRevision.objects.for_relationship(relationship_id)
    past = revisions.filter(entry_id__in=parse_uuids(versions), after__isnull=False).order_by("seq")
    rows = past.annotate(text=KT("after__content")).values_list("entry_id", "entry_version", "text")
    return {
        str(entry_id): _entry_source(relationship_id, entry_id, text)
        for entry_id, version, text in rows
        if version == versions[str(entry_id)] and text
    }


def _shortened(
    known: Mapping[str, Source], ends: Mapping[str, int], parts: Mapping[str, Passage]
) -> Mapping[str, Source]:
    """Replace the texts of messages that a layer shortened by the parts it showed."""
    texts = {name: words_shown(known[name].text, end=end) for name, end in ends.items() if name in known}
    for name, part in parts.items():
        if name in known:
            texts[name] = part_shown(cut_fenced(known[name].text)[0].strip(), part)
    cut = {name: replace(known[name], text=text) for name, text in texts.items()}
    return {**known, **cut} if cut else known


def _behaviours(assembled: AssembledContext, relationship: Relationship) -> dict[str, Source]:
    """Return the sources of the layer `priorities`, which are names of behaviours."""
    page = reverse("admin_ui:companion_behaviours", args=[relationship.companion_id])
    priorities = (report for report in assembled.layers if report.name == "priorities")
    return {name: Source(name, "Behaviour", page) for report in priorities for name in report.sources}


def _sources(
    names: Sequence[str], reasons: Mapping[str, str], shared: str, known: Mapping[str, Source]
) -> list[Source]:
    """Return the sources that still exist, with their reasons unless they are `shared`, which is the layer's."""
    found = []
    for name in names:
        if name in known:
            reason = reasons.get(name, shared)
            own = "" if reason == shared else _MESSAGE_IDS.sub("", reason)
            found.append(replace(known[name], reason=own))
    return found
