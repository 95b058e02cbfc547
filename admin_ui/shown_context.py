"""A context as a reader sees it: each layer with what it is made of and what it said, now or before a past reply."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models.fields.json import KT
from django.urls import reverse

from admin_ui.params import parse_uuid
from chat.models import KeptContext
from context.answer import AssembledContext
from knowledge.models import DocumentChunk
from knowledge.search import cite
from memory.models import EntryRevision, ScratchpadEntry
from relationships.models import Message, Relationship

LINES = 60  # of one layer's sources
_MESSAGE_IDS = re.compile(r"; rests on message .*$")  # the entry's history quotes them
LABELS = {
    "core": "Personality",
    "priorities": "Priorities",
    "profile": "Profile",
    "memory": "Memory",
    "hot_context": "Workspace notes",
    "knowledge": "Documents",
    "episodes": "Earlier messages",
    "session": "Session state",
    "summary": "Summary",
    "messages": "Recent messages",
    "current": "Current message",
}


@dataclass(frozen=True, slots=True)
class Source:
    """One thing a layer showed. `kind`: whose words these are, or where they stand; `href`: its history or turn."""

    text: str
    kind: str
    href: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """Words as they stand in the context. `role`: of a message; empty: of the system prompt."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Block:
    """One layer. `share`: of the context's tokens, in per cent; `parts`: what it said, none where that was not kept."""

    label: str
    tone: int
    tokens: int
    milliseconds: float
    share: int
    reason: str
    sources: Sequence[Source]
    parts: Sequence[Part]
    left_out: int
    left: Sequence[Source]
    unknown: bool = False  # it said something, and its words were not kept

    @property
    def more(self) -> int:
        return max(0, len(self.sources) - LINES)

    @property
    def empty(self) -> bool:
        return not (self.tokens or self.sources or self.left_out)


def blocks_of(assembled: AssembledContext, relationship: Relationship) -> list[Block]:
    """The layers in their order, with the texts of all that they name: three statements at the most."""
    named = [*(report.sources for report in assembled.layers)]
    named += [report.left_out.ids for report in assembled.layers if report.left_out]
    known = sources_by_id(relationship, (source for sources in named for source in sources))
    whole = assembled.total_tokens or 1
    return [
        Block(
            label=label_of(report.name),
            tone=tone,
            tokens=report.tokens,
            milliseconds=report.milliseconds,
            share=round(100 * report.tokens / whole),
            reason=report.reason,
            sources=_sources(report.sources, report.reasons or {}, report.reason, known),
            parts=[
                *([Part("", report.text)] if report.text else ()),
                *(Part(line["role"], line["content"]) for line in report.messages),
            ],
            left_out=report.left_out.count if report.left_out else 0,
            left=_sources(report.left_out.ids, {}, "", known) if report.left_out else [],
        )
        for tone, report in enumerate(assembled.layers)
    ]


def blocks_of_kept(kept: KeptContext, relationship: Relationship) -> list[Block]:
    """What was shown before a past reply: entries as they were then, messages and passages as they are now."""
    layers: list[dict[str, Any]] = [
        layer | {"sources": _said(kept)} if layer["name"] == "current" else layer for layer in kept.layers
    ]
    named = (source for layer in layers for source in layer["sources"])
    known = sources_by_id(relationship, named, versions=kept.entries)
    whole = kept.total_tokens or 1
    return [_kept_block(layer, tone, whole, known) for tone, layer in enumerate(layers)]


def _kept_block(layer: Mapping[str, Any], tone: int, whole: int, known: Mapping[str, Source]) -> Block:
    sources = _sources(layer["sources"], layer.get("reasons") or {}, layer["reason"], known)
    return Block(
        label=label_of(layer["name"]),
        tone=tone,
        tokens=layer["tokens"],
        milliseconds=layer["milliseconds"],
        share=round(100 * layer["tokens"] / whole),
        reason=layer["reason"],
        sources=sources,
        parts=[Part("" if layer["name"] == "memory" else source.kind, source.text) for source in sources],
        left_out=0,
        left=[],
        unknown=bool(layer["tokens"]) and not sources,
    )


def _said(kept: KeptContext) -> list[str]:
    """What the reply was to."""
    owned = Message.objects.for_relationship(kept.relationship_id).filter(turn_id=kept.turn_id, role="user")
    return [str(message_id) for message_id in owned.order_by("seq").values_list("id", flat=True)]


def label_of(name: str) -> str:
    """What a layer is called on the page; another's own by its last word."""
    return LABELS.get(name, name.rsplit(".", 1)[-1].replace("_", " "))


def sources_by_id(
    relationship: Relationship, names: Iterable[str], *, versions: Mapping[str, int] | None = None
) -> dict[str, Source]:
    """What these IDs stand for: entries, messages and passages. `versions`: the entries' words as they were then."""
    ids = {found for name in names if (found := parse_uuid(name))}
    if not ids:
        return {}
    known = _entries(relationship.id, ids, versions)
    known |= _messages(relationship, [name for name in ids if str(name) not in known])
    rest = [name for name in ids if str(name) not in known]
    return known | (_passages(relationship.companion_id, rest) if rest else {})


def _entries(
    relationship_id: UUID, ids: Iterable[UUID], versions: Mapping[str, int] | None
) -> dict[str, Source]:
    rows: Iterable[tuple[UUID, str]]
    if versions is None:
        owned = ScratchpadEntry.objects.for_relationship(relationship_id).filter(id__in=ids)
        rows = owned.values_list("id", "content")
    else:
        past = EntryRevision.objects.for_relationship(relationship_id).filter(
            entry_id__in=[name for text in versions if (name := parse_uuid(text))]
        )
        told = past.filter(after__isnull=False).order_by("seq").annotate(words=KT("after__content"))
        rows = [
            (entry_id, words)
            for entry_id, version, words in told.values_list("entry_id", "entry_version", "words")
            if version == versions[str(entry_id)] and words
        ]
    return {
        str(entry_id): Source(
            content, "", reverse("admin_ui:relationship_entry", args=[relationship_id, entry_id])
        )
        for entry_id, content in rows
    }


def _messages(relationship: Relationship, ids: Sequence[UUID]) -> dict[str, Source]:
    if not ids:
        return {}
    owned = Message.objects.for_relationship(relationship.id).filter(id__in=ids)
    speakers = {"user": str(relationship.user), "assistant": relationship.companion.name}
    return {
        str(row.id): Source(
            "Erased." if row.erased_at else row.content,
            f"{row.speaker or speakers.get(row.role, row.role)}, {row.occurred_at:%-d %b %Y, %H:%M}",
            reverse("admin_ui:relationship_trace", args=[relationship.id, row.turn_id]),
        )
        for row in owned
    }


def _passages(companion_id: UUID, ids: Sequence[UUID]) -> dict[str, Source]:
    rows = DocumentChunk.objects.filter(companion_id=companion_id, id__in=ids).select_related("document")
    return {
        str(row.id): Source(
            row.content,
            cite(row.document.name, row.page_from, row.page_to),
            reverse("admin_ui:companion_document", args=[companion_id, row.document_id]),
        )
        for row in rows
    }


def _sources(
    names: Sequence[str], reasons: Mapping[str, str], shared: str, known: Mapping[str, Source]
) -> list[Source]:
    """Those that are there still; a reason that is the whole layer's is said once, above them."""
    found = []
    for name in names:
        if name in known:
            source, reason = known[name], reasons.get(name, shared)
            why = "" if reason == shared else _MESSAGE_IDS.sub("", reason)
            found.append(Source(source.text, source.kind, source.href, why))
    return found
