"""A context as a reader sees it: each layer with what it is made of and what it said, now or before a past reply."""

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
from admin_ui.params import parse_uuid
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

LINES = 60  # of one layer's sources
_MESSAGE_IDS = re.compile(r"; rests on message .*$")  # the entry's history quotes them
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
    """One thing a layer showed. `kind`: whose words these are, or where they stand; `href`: its history or turn."""

    text: str
    kind: str
    href: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """One layer. `share`: of the context's tokens, in per cent; `parts`: what it said, with the role
    of each message, "" for the system prompt; none where that was not kept.
    """

    label: str
    tone: int
    tokens: int
    share: int
    reason: str
    sources: Sequence[Source]
    parts: Sequence[tuple[str, str]]
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
    """The layers in their order, with the texts of all that they name: one statement."""
    named = [*(report.sources for report in assembled.layers)]
    named += [report.left_out.ids for report in assembled.layers if report.left_out]
    known = sources_by_id(relationship, (source for sources in named for source in sources))
    known |= _behaviours(assembled, relationship)
    whole = assembled.total_tokens or 1
    return [
        Block(
            label=label_of(report.name),
            tone=tone,
            tokens=report.tokens,
            share=round(100 * report.tokens / whole),
            reason=report.reason,
            sources=_sources(
                report.sources,
                report.reasons or {},
                report.reason,
                _as_shown(known, report.ends or {}, report.parts or {}),
            ),
            parts=[
                *([("", report.text)] if report.text else ()),
                *((line["role"], line["content"]) for line in report.messages),
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
    known = _as_shown(known, layer.get("ends") or {}, layer.get("parts") or {})
    sources = _sources(layer["sources"], layer.get("reasons") or {}, layer["reason"], known)
    return Block(
        label=label_of(layer["name"]),
        tone=tone,
        tokens=layer["tokens"],
        share=round(100 * layer["tokens"] / whole),
        reason=layer["reason"],
        sources=sources,
        parts=[("" if layer["name"] == "memory" else source.kind, source.text) for source in sources],
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
    named = list(ids)
    rows = _messages(relationship.id, named).union(_passages(relationship.companion_id, named), all=True)
    if versions is None:
        rows = rows.union(_entries(relationship.id, named), all=True)
        past = {}
    else:
        past = _past_entries(relationship.id, versions)
    return past | {str(row[0]): _source(relationship, *row) for row in rows}


# Of each kind: its ID, its words, what it is, whose or where it is, when or on which pages and place, and of what.
def _messages(relationship_id: UUID, ids: Sequence[UUID]) -> QuerySet[Message, Any]:
    owned = Message.objects.for_relationship(relationship_id).filter(id__in=ids).order_by()
    words = Case(
        When(erased_at__isnull=True, then="content"), default=Value("Erased."), output_field=TextField()
    )
    whose = Case(When(speaker="", then="role"), default="speaker", output_field=CharField())
    when = Func("occurred_at", Value("FMDD Mon YYYY, HH24:MI"), function="to_char", output_field=CharField())
    rows: QuerySet[Message, Any] = owned.annotate(words=words, whose=whose, where=when).values_list(
        "id", "words", Value("message"), "whose", "where", "turn_id"
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
    rows: QuerySet[ScratchpadEntry, Any] = owned.annotate(itself=F("id")).values_list(
        "id", "content", Value("entry"), Value(""), Value(""), "itself"
    )
    return rows


def _source(
    relationship: Relationship, _: UUID, words: str, kind: str, whose: str, where: str, belongs: UUID
) -> Source:
    if kind == "entry":
        return Source(words, "", reverse("admin_ui:relationship_entry", args=[relationship.id, belongs]))
    if kind == "passage":
        *pages, place = (int(number) if number else None for number in where.split("-"))
        cited = cite(whose, *pages)
        document = reverse("admin_ui:companion_document", args=[relationship.companion_id, belongs])
        passage = f"{document}?page={(place or 0) // CHUNKS_A_PAGE + 1}#passage-{place}"
        return Source(words, cited, passage)
    speakers = {"user": str(relationship.user), "assistant": relationship.companion.name}
    trace = reverse("admin_ui:relationship_trace", args=[relationship.id, belongs])
    return Source(words, f"{speakers.get(whose, whose)}, {where}", trace)


def _past_entries(relationship_id: UUID, versions: Mapping[str, int]) -> dict[str, Source]:
    """In the words of the versions that were shown."""
    ids = [name for text in versions if (name := parse_uuid(text))]
    past = EntryRevision.objects.for_relationship(relationship_id).filter(entry_id__in=ids)
    told = past.filter(after__isnull=False).order_by("seq").annotate(words=KT("after__content"))
    return {
        str(entry_id): Source(
            words, "", reverse("admin_ui:relationship_entry", args=[relationship_id, entry_id])
        )
        for entry_id, version, words in told.values_list("entry_id", "entry_version", "words")
        if version == versions[str(entry_id)] and words
    }


def _as_shown(
    known: Mapping[str, Source], ends: Mapping[str, int], parts: Mapping[str, Passage]
) -> Mapping[str, Source]:
    """With the shown part alone of messages that were shortened."""
    texts = {name: words_shown(known[name].text, end=end) for name, end in ends.items() if name in known}
    for name, part in parts.items():
        if name in known:
            texts[name] = part_shown(cut_fenced(known[name].text)[0].strip(), part)
    cut = {name: replace(known[name], text=text) for name, text in texts.items()}
    return {**known, **cut} if cut else known


def _behaviours(assembled: AssembledContext, relationship: Relationship) -> dict[str, Source]:
    """Those that the layer `priorities` names."""
    page = reverse("admin_ui:companion_behaviours", args=[relationship.companion_id])
    priorities = (report for report in assembled.layers if report.name == "priorities")
    return {name: Source(name, "Behaviour", page) for report in priorities for name in report.sources}


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
