"""Ask every strategy of a configuration about one input, and combine their proposals in one list.

`ingestion.strategy` and `ingestion.archive_strategy` both read the same turns. What they propose is applied together or
not at all.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from memory.ingestion.calls import CallLog
from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.operations import Operation
from memory.ingestion.reported_wishes import reported_wishes
from memory.ingestion.strategies.base import Proposal, Strategy
from memory.ingestion.unrequested_deletions import leave_what_nobody_asked
from memory.ingestion.vectors import TextVectors
from memory.mending.spoken_wishes import Spoken
from memory.models import Tier
from relationships.configuration.plugins import load


@dataclass(frozen=True, slots=True)
class Proposed:
    """What all strategies propose. `given` has every entry that was shown, to which the numbers refer."""

    given: IngestionInput
    items: list[Operation]
    vectors: tuple[TextVectors, ...] = ()
    wishes: tuple[Spoken, ...] = ()


def propose_all(given: IngestionInput, log: CallLog, *, purpose: str) -> Proposed:
    """Ask all strategies of the configuration. Raises what a strategy raises."""
    before = len(log.waiting)
    proposals: list[tuple[str, Proposal]] = []
    for strategy, tier in strategies_of(given):
        asked = len(log.ids)
        proposal = strategy.propose(given, log, purpose=purpose)
        call_id = log.ids[-1] if len(log.ids) > asked else None
        by: dict[str, Any] = {"strategy": strategy.slug, "tier": tier, "call_id": call_id}
        model = log.last_model if call_id else ""
        signed = [replace(item, **by, model=model) for item in proposal.items]
        proposals.append((strategy.slug, replace(proposal, items=signed)))
    proposed = combine(given, proposals)
    answers = [record.completion.text for record in log.waiting[before:] if record.completion]
    wishes, refusals = reported_wishes(answers, given)
    items = leave_what_nobody_asked(proposed.items, proposed.given, wishes)
    return replace(proposed, items=[*items, *refusals], wishes=tuple(wishes))


def strategies_of(given: IngestionInput) -> Iterator[tuple[Strategy, Tier]]:
    """The strategies that read these turns, and the tier to which each adds entries."""
    ingestion = given.ingestion
    yield load("INGESTION_STRATEGIES", ingestion.strategy)(), Tier(ingestion.tier)
    if ingestion.archive_strategy is not None:
        yield load("INGESTION_STRATEGIES", ingestion.archive_strategy)(), Tier.ARCHIVE


def combine(given: IngestionInput, proposals: Sequence[tuple[str, Proposal]]) -> Proposed:
    """Combine proposals under one numbering. An entry that was edited in between is listed as each strategy saw it.

    If a strategy changes an entry, changes of it by later strategies are refused.
    """
    entries = list(dict.fromkeys(entry for _, proposal in proposals for entry in proposal.shown))
    places = {entry: place for place, entry in enumerate(entries, start=1)}
    changed: dict[UUID, str] = {}
    items: list[Operation] = []
    for slug, proposal in proposals:
        theirs: dict[UUID, str] = {}
        for item in proposal.items:
            if item.entry is not None:
                entry = proposal.shown[item.entry - 1]
                item = replace(item, entry=places[entry])
                if item.op != "known" and (other := changed.get(entry.id)) is not None:
                    item = item.refused(f"{other}, which reads the same turns, changes this entry already")
                elif item.op != "known":
                    theirs[entry.id] = slug
            items.append(item)
        changed |= theirs
    vectors = tuple(proposal.vectors for _, proposal in proposals if proposal.vectors is not None)
    return Proposed(replace(given, entries=tuple(entries)), items, vectors)
