"""Update candidates: is the entry that a new fact replaces among those that the model is shown?

Each person's sessions are played in order, as in ingestion: every fact of a session is looked up among the entries so
far, then the facts are added, and what they replace is deleted. Most replaced texts are not facts of the set, so
they are added just before their session. All times are equal, as otherwise recency would show which they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from benchmarks.recall.evidence import CUTS, NOT_EMBEDDED, NOW, embed_all, pair_of, shares
from benchmarks.recall.sets import Fact, Person
from benchmarks.seed import BY, remember
from memory.entries.editing import delete_entries
from memory.entries.fingerprint import normalise
from memory.entries.restoring import restore_entry
from memory.models import SearchedKind
from memory.retrieval.configuration import Retrieval
from memory.retrieval.search import search_entries_for
from relationships.models import Relationship

Asker = tuple[str, Retrieval]  # a ranker, and the configuration of search

# Results of one asker, with a column for each cut. A row for each update: the `share` of the replaced entries that is
# found, `any_of` them (1 or 0), and `union`, the share found by all facts of the session. A row for each session: the
# `sizes` of that union.
Shown = dict[str, list[list[float]]]


def play(
    person: Person, askers: Mapping[str, Asker], retrieval: Retrieval, shown: Mapping[str, Shown]
) -> None:
    """Add to `shown` what each asker finds for the person's updates."""
    pair = pair_of(person.name, retrieval, user=person.display_name, companion="Companion")
    entries = _Entries(pair, retrieval)
    for facts in person.sessions:
        entries.remember([text for fact in facts for text in fact.replaces])
        for name, (ranker, asking) in askers.items():
            _note(shown[name], facts, entries, entries.ask(facts, ranker, asking))
        entries.take_in(facts)


@dataclass(slots=True)
class _Entries:
    """The entries about one person. `ids`: by normalised text; `gone`: deleted ones."""

    relationship: Relationship
    retrieval: Retrieval
    ids: dict[str, UUID] = field(default_factory=dict)
    gone: set[UUID] = field(default_factory=set)

    def remember(self, texts: Sequence[str]) -> None:
        """Make these texts active entries."""
        new = {normalise(text): text for text in texts if normalise(text) not in self.ids}
        entries = remember(self.relationship, list(new.values()), at=NOW)
        self.ids |= {text: entry.id for text, entry in zip(new, entries, strict=True)}
        back = {self.ids[normalise(text)] for text in texts} & self.gone
        for id in back:
            restore_entry(relationship_id=self.relationship.id, entry_id=id, by=BY)
        self.gone -= back
        embed_all(self.relationship, SearchedKind.ENTRY, self.retrieval, len(self.ids))

    def ask(self, facts: Sequence[Fact], ranker: str, retrieval: Retrieval) -> list[list[UUID]]:
        """IDs of the entries found for each fact, best first."""
        found = search_entries_for(
            [fact.text for fact in facts],
            project_id=self.relationship.project_id,
            relationship_id=self.relationship.id,
            retrieval=retrieval,
            ranker=ranker,
            top_k=max(CUTS),
            now=NOW,
        )
        if any(NOT_EMBEDDED in note for one in found for note in one.notes):
            raise RuntimeError("A fact could not be embedded.")
        return [[hit.id for hit in one.hits] for one in found]

    def take_in(self, facts: Sequence[Fact]) -> None:
        """Delete what the facts replace, and add the facts."""
        replaced = {self.ids[normalise(text)] for fact in facts for text in fact.replaces}
        delete_entries(relationship_id=self.relationship.id, entry_ids=list(replaced), by=BY)
        self.gone |= replaced
        self.remember([fact.text for fact in facts])


def _note(shown: Shown, facts: Sequence[Fact], entries: _Entries, found: Sequence[Sequence[UUID]]) -> None:
    together = [set().union(*(one[:cut] for one in found)) for cut in CUTS]
    for fact, ids in zip(facts, found, strict=True):
        if not fact.replaces:
            continue
        wanted = {entries.ids[normalise(text)] for text in fact.replaces}
        hits = shares(wanted, ids)
        shown["share"].append(hits)
        shown["any_of"].append([float(hit > 0) for hit in hits])
        shown["union"].append([len(wanted & seen) / len(wanted) for seen in together])
    shown["sizes"].append([float(len(seen)) for seen in together])
