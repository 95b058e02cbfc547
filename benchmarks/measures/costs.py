"""What a turn costs under each recipe: calls of a model, tokens of its prompts, statements.

The turns are read in this process. The offline rules answer each strategy's questions, so that every run costs the
same. Tokens are a quarter of the characters.
"""

from datetime import UTC, datetime

from django.conf import settings

from benchmarks.measures.setup import Setup
from benchmarks.report import Figure, Goal, Section
from benchmarks.seed import make_pair
from benchmarks.service import statements
from memory.ingestion.intake import accept_turn
from memory.ingestion.pipeline import drain_relationship
from memory.models import ModelCall
from memory.retrieval.index.embed import embed_owed
from providers.embeddings.questions import forget_questions
from relationships.models import Relationship, Turn
from relationships.services.turns import NewMessage, NewTurn

DEFAULT_RECIPE = "scratchpad"
KNOWN = 200  # entries before the turns that are measured
SAID_AT = datetime(2026, 3, 2, 9, tzinfo=UTC)  # prompts tell it, and dates differ in length
FIXED_PROMPT = Goal(1400)
TURNS = {
    "nothing said": "Good morning! How was your day?",
    "a new fact": "I have a sister called Ana who works as a nurse.",
    "a fact that changed": "I moved to Lisbon.",
}
_CITIES = "Porto Braga Faro Evora Aveiro Coimbra Leiria Sintra Beja Viseu".split()


def strategies_cost(setup: Setup) -> Section:
    setup.service.stop_worker()
    figures: list[Figure] = []
    for recipe in settings.RECIPES:
        config = {
            "recipe": recipe,
            "ingestion": {"provider": "offline"},
            "retrieval": {"embedder": "offline"},
        }
        pair = make_pair(f"cost-{recipe.replace('_', '-')}", config)
        goal = FIXED_PROMPT if recipe == DEFAULT_RECIPE else None
        figures.append(_cost_of(pair, f"{recipe}, nothing known yet", "It rains.", goal))
        _remember(pair)
        figures += [_cost_of(pair, f"{recipe}, {told}", text) for told, text in TURNS.items()]
    return Section(
        "What a turn costs under each recipe",
        f"Turns of one message over {KNOWN} entries, answered by the offline rules. Calls of a model; statements to "
        "read and apply the turn with its search, not to embed it afterwards.",
        figures,
    )


def _cost_of(pair: Relationship, told: str, text: str, goal: Goal | None = None) -> Figure:
    turn = _accept(pair, text)
    forget_questions()  # vectors of the same words under another recipe
    with statements() as asked:
        drain_relationship(relationship_id=pair.id, worker="benchmark")
    turn = Turn.objects.for_relationship(pair.id).get(id=turn.id)
    assert turn.state == "applied", f"{turn.state}: {turn.error}"
    calls = ModelCall.objects.for_relationship(pair.id).filter(id__in=turn.model_call_ids)
    tokens = sum(call.prompt_tokens or 0 for call in calls)
    return Figure(f"{told}: {len(calls)} model, {len(asked)} SQL", tokens, "prompt tokens", goal)


def _remember(pair: Relationship) -> None:
    """Add KNOWN entries as the recipe's own strategy keeps them, with their vectors."""
    for place in range(KNOWN):
        city = _CITIES[place % len(_CITIES)]
        _accept(pair, "I live in Porto." if place == 0 else f"I love the {place}th bakery of {city}.")
    while drain_relationship(relationship_id=pair.id, worker="benchmark").applied:
        continue
    embed_owed(relationship_id=pair.id)


def _accept(pair: Relationship, text: str) -> Turn:
    new = NewTurn([NewMessage("user", text)], occurred_at=SAID_AT)
    return accept_turn(relationship=pair, new=new).turn
