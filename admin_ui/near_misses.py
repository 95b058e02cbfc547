"""The search results that a context retrieves for a message, and the next ones after them, with scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from admin_ui.shown_context import Source, sources_by_id
from context.configuration import DEFAULT_ORDER
from context.facts import read_facts
from context.layers.base import LayerRequest, LayerText
from context.pipeline import render_layers
from context.plan import Plan, plan_for
from context.recall import Recall
from memory.entries.snapshots import lines_at
from memory.models import Tier
from memory.retrieval.results import EntryFilters, Hit, MessageFilters, with_more
from memory.retrieval.search import SearchParams, search_entries, search_messages
from relationships.models import DEFAULT_SESSION, Relationship

NEAR_MISSES = 10  # results after the retrieved ones
_MOST = 200  # results that a search can return
_BUILT_IN_LAYERS = frozenset(DEFAULT_ORDER)


@dataclass(frozen=True, slots=True)
class Ranked:
    """A result. `share`: its score in per cent of the best score; `parts`: the score's components, as text."""

    source: Source
    score: float
    share: int
    parts: str
    retrieved: bool


@dataclass(frozen=True, slots=True)
class Ranking:
    """The results of a search, best first. `why_not`: why there are none."""

    title: str
    ranked: Sequence[Ranked]
    why_not: str = ""

    @property
    def retrieved(self) -> Sequence[Ranked]:
        return [hit for hit in self.ranked if hit.retrieved]

    @property
    def missed(self) -> Sequence[Ranked]:
        return [hit for hit in self.ranked if not hit.retrieved]


def near_misses_of(relationship: Relationship, *, message: str, session: str) -> list[Ranking]:
    """Search entries and messages like a context for `message`, but for more results. Writes nothing.

    `message` and `session` may be empty. Raises NotFound, InvalidConfiguration, InvalidInput.
    """
    now, session = datetime.now(UTC), session or DEFAULT_SESSION
    facts = read_facts(project_id=relationship.project_id, relationship_id=relationship.id, session=session)
    plan = plan_for(facts.levels, None)
    configuration = plan.resolved.values
    more = 0 if configuration.retrieval.reranker else configuration.retrieval.more_messages
    retrieval = configuration.retrieval.model_copy(update={"reranker": None})
    configuration = configuration.model_copy(update={"retrieval": retrieval})
    recall = Recall(facts, configuration, message or None, now)
    if not recall.question.text or not recall.gate.open:
        why = "Enter a message above." if not recall.question.text else recall.gate.reason
        return [Ranking("Memory", [], why), Ranking("Earlier messages", [], why)]
    shown = _render_shown(plan, LayerRequest(facts, configuration, message, now, recall, preview=True))
    search: SearchParams = {
        "project_id": relationship.project_id,
        "relationship_id": relationship.id,
        "retrieval": retrieval.model_copy(update={"min_score": None}),
        "participants": facts.participants,
        "now": now,
    }
    memory = configuration.context.memory
    entries: Sequence[Hit] = ()
    why = "The whole scratchpad is shown, and the archive is empty: nothing was left to search."
    scratchpad = {line[0] for line in lines_at(facts.scratchpad, fresh_until=facts.fresh_until, now=now)}
    is_cut = memory == "both" and "memory" in shown and not scratchpad <= set(shown["memory"].sources)
    if memory == "retrieved" or facts.has_archive or is_cut:
        tiers = (Tier.ARCHIVE,) if memory == "both" and not is_cut else ()
        search["top_k"] = min(_MOST, retrieval.top_k + NEAR_MISSES)
        entries = search_entries(text=recall.sought, filters=EntryFilters(tiers=tiers), **search).hits
        why = "" if entries else "No entry shares anything with the message."
    recent = shown["messages"].sources if "messages" in shown else ()
    search["top_k"] = min(_MOST, retrieval.top_messages + more + NEAR_MISSES)
    shown_anyway = tuple(message.seq for message in recall.recent if message.id in recent)
    filters = MessageFilters(roles=("user", "assistant"), without=shown_anyway)
    found = search_messages(text=recall.sought, filters=filters, **search)
    most = len(with_more(found, most=retrieval.top_messages, more=more))
    messages = found.hits[: most + NEAR_MISSES]
    known = sources_by_id(relationship, (str(hit.id) for hit in [*entries, *messages]))
    least = retrieval.min_score or 0.0
    return [
        Ranking("Memory", _ranked(entries, known, most=retrieval.top_k, least=least), why),
        Ranking("Earlier messages", _ranked(messages, known, most=most, least=least)),
    ]


def _render_shown(plan: Plan, request: LayerRequest) -> Mapping[str, LayerText]:
    """Render the layers `memory` and `messages`, by name.

    With a budget for the whole context they depend on all layers. Plugins' are left out, as they may write or call
    a model.
    """
    whole_budget = request.configuration.context.budget is not None
    wanted = _BUILT_IN_LAYERS if whole_budget else ("memory", "messages")
    layers = [layer for layer in plan.layers if layer.name in wanted]
    return {name: text for name, text, _ in render_layers(layers, request)}


def _ranked(hits: Sequence[Hit], known: dict[str, Source], *, most: int, least: float) -> list[Ranked]:
    best = max((hit.score for hit in hits), default=0.0)
    return [
        Ranked(
            source=known[str(hit.id)],
            score=hit.score,
            share=round(100 * hit.score / best) if best > 0 else 0,
            parts=", ".join(f"{name} {value:.3g}" for name, value in hit.parts.items() if round(value, 3)),
            retrieved=place < most and hit.score >= least,
        )
        for place, hit in enumerate(hits)
        if str(hit.id) in known
    ]
