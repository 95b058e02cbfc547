"""Update candidates: is the entry that a new fact replaces among those the model is shown?

Each person's life is played session by session, as ingestion would: before a session's facts are written, every one
is looked up among all that is remembered by then; afterwards what they replace is superseded. Most replaced texts are
no facts of the set, so they enter just before their session; all times are equal, or the newest would give them away.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.utils import timezone

from benchmarks.recall.evidence import CUTS, NOW, embed_all, pair_of, shares
from benchmarks.recall.sets import Fact, Person
from benchmarks.seed import remember
from memory.entries.fingerprint import normalise
from memory.models import EntryState, ScratchpadEntry, SearchedKind
from memory.retrieval.configuration import Retrieval
from memory.retrieval.index.configs import RelationshipConfig
from memory.retrieval.index.write import index_again
from memory.retrieval.search import search_entries_for
from relationships.models import Relationship

Asker = tuple[str, Retrieval]  # a ranker, and whether it has vectors


# What the askers are shown, by name: `share` and `any_of` what is replaced, `union`: by all facts of the session; a row
# for each update. `sizes`: how many entries, a row for each session. A column for each cut.
Shown = dict[str, list[list[float]]]


def play(
    person: Person, askers: Mapping[str, Asker], retrieval: Retrieval, shown: Mapping[str, Shown]
) -> None:
    """Note in `shown` what each of the askers is shown for the person's updates."""
    pair = pair_of(person.name, retrieval, user=person.display_name, companion="Companion")
    life = _Life(pair, retrieval)
    for facts in person.sessions:
        life.remember([text for fact in facts for text in fact.replaces])
        for name, (ranker, asking) in askers.items():
            _note(shown[name], facts, life, life.ask(facts, ranker, asking))
        life.take_in(facts)


@dataclass(slots=True)
class _Life:
    """What is remembered of one person. `ids` by normalised text."""

    relationship: Relationship
    retrieval: Retrieval
    ids: dict[str, UUID] = field(default_factory=dict)
    gone: set[UUID] = field(default_factory=set)

    def remember(self, texts: Sequence[str]) -> None:
        """Have these, active."""
        new = {normalise(text): text for text in texts if normalise(text) not in self.ids}
        entries = remember(self.relationship, list(new.values()), retrieval=self.retrieval, at=NOW)
        self.ids |= {text: entry.id for text, entry in zip(new, entries, strict=True)}
        back = {self.ids[normalise(text)] for text in texts} & self.gone
        self._set_state(back, EntryState.ACTIVE)
        self.gone -= back
        embed_all(self.relationship, SearchedKind.ENTRY, self.retrieval, len(self.ids))

    def ask(self, facts: Sequence[Fact], ranker: str, retrieval: Retrieval) -> list[list[UUID]]:
        """The entries shown for each fact, best first."""
        found = search_entries_for(
            [fact.text for fact in facts],
            project_id=self.relationship.project_id,
            relationship_id=self.relationship.id,
            retrieval=retrieval,
            ranker=ranker,
            top_k=max(CUTS),
            now=NOW,
        )
        if any("only text was searched" in note for one in found for note in one.notes):
            raise RuntimeError("A fact could not be embedded.")
        return [[hit.id for hit in one.hits] for one in found]

    def take_in(self, facts: Sequence[Fact]) -> None:
        replaced = {self.ids[normalise(text)] for fact in facts for text in fact.replaces}
        self._set_state(replaced, EntryState.SUPERSEDED)
        self.gone |= replaced
        self.remember([fact.text for fact in facts])

    def _set_state(self, ids: set[UUID], state: EntryState) -> None:
        own = RelationshipConfig(self.relationship.id, self.relationship.project_id, (), self.retrieval)
        ScratchpadEntry.objects.for_relationship(self.relationship.id).filter(id__in=ids).update(state=state)
        index_again(own, SearchedKind.ENTRY, ids, now=timezone.now())


def _note(shown: Shown, facts: Sequence[Fact], life: _Life, found: Sequence[Sequence[UUID]]) -> None:
    together = [set().union(*(one[:cut] for one in found)) for cut in CUTS]
    for fact, ids in zip(facts, found, strict=True):
        if not fact.replaces:
            continue
        wanted = {life.ids[normalise(text)] for text in fact.replaces}
        hits = shares(wanted, ids)
        shown["share"].append(hits)
        shown["any_of"].append([float(hit > 0) for hit in hits])
        shown["union"].append([len(wanted & seen) / len(wanted) for seen in together])
    shown["sizes"].append([float(len(seen)) for seen in together])
