"""Coverage: how many of a question's evidence turns are in the assembled context, at a budget of tokens.

A turn is there as an episode, or as a message that a shown entry rests on. The entries are what the offline rules
remember; a model would remember more.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import numpy as np

from benchmarks.recall.sets import Talk
from benchmarks.report import Figure, Goal, Section
from benchmarks.runner import say
from benchmarks.seed import make_pair
from context.pipeline import build_context
from memory.ingestion.intake import accept_turn
from memory.ingestion.pipeline import drain_relationship
from memory.models import ScratchpadEntry
from memory.retrieval.idle_messages import asks_nothing
from relationships.models import Message, Relationship
from relationships.services.turns import NewMessage, NewTurn

BUDGETS = (1000, 2000, 4000)
COUNTS = (10, 20, 40)  # of retrieval.top_messages
GOAL = 80.0  # at 2,000 tokens, of both
_HOW = (
    "LoCoMo, {talks} conversations, {questions} questions: of each question's evidence turns, the share that stands in"
    " the context, as itself or as what a shown entry rests on. As installed, with no key; `both` gives half of"
    " the budget to each. Tokens: what the context takes on average."
)
_GATE = "Messages that look nothing up. A turn of the set that is closed and is evidence would be a loss."
Level = Mapping[str, Any]


def coverage(talks: Sequence[Talk]) -> list[Section]:
    """Hand over every conversation, and build a context for each of its questions."""
    shares: dict[str, list[float]] = {name: [] for name in _variants()}
    tokens: dict[str, list[int]] = {name: [] for name in shares}
    for talk in talks:
        say(f"playing LoCoMo, as installed: {talk.name}")
        relationship, ids = _play(talk)
        cited = dict(
            ScratchpadEntry.objects.for_relationship(relationship.id).values_list("id", "source_message_ids")
        )
        for question in talk.questions:
            evidence = {ids[turn] for turn in question.evidence}
            for name, level in _variants().items():
                shown, taken = _shown(relationship, question.text, level, cited)
                shares[name].append(100 * len(evidence & shown) / len(evidence))
                tokens[name].append(taken)
    means = {name: float(np.mean(values)) for name, values in shares.items()}
    rows: list[Sequence[str]] = [
        (name, f"{means[name]:.1f}", f"{np.mean(tokens[name]):.0f}") for name in means
    ]
    figure = Figure("both at 2,000 tokens", means["both at 2,000"], "%", Goal(GOAL, at_most=False))
    how = _HOW.format(talks=len(talks), questions=len(next(iter(shares.values()))))
    return [Section("Evidence in the context", how, [figure], ("", "covered", "tokens"), rows), _gate(talks)]


def _variants() -> dict[str, Level]:
    found: dict[str, Level] = {}
    for budget in BUDGETS:
        found[f"list at {budget:,}"] = _level(memory=budget)
        found[f"episodes at {budget:,}"] = _level(most=200, episodes=budget)
        found[f"both at {budget:,}"] = _level(most=200, memory=budget // 2, episodes=budget // 2)
    found |= {
        f"as installed, {count} messages at most": _level(most=count, memory=4000, episodes=2000)
        for count in COUNTS
    }
    return found


def _level(*, most: int | None = None, **budgets: int) -> Level:
    layers = {name: {"budget": budget} for name, budget in budgets.items()}
    own: dict[str, Any] = {"context": {"order": list(budgets), "layers": layers}}
    return own if most is None else own | {"retrieval": {"top_messages": most}}


def _play(talk: Talk) -> tuple[Relationship, dict[str, UUID]]:
    """Hand over a conversation, and have the offline rules read it. Return the ID of each turn's message."""
    user, companion = talk.speakers
    relationship = make_pair(f"installed-{talk.name}", user=user, companion=companion)
    ids = {}
    for turn in talk.turns:
        role = "user" if turn.speaker == user else "assistant"
        new = NewTurn([NewMessage(role, turn.content)], occurred_at=turn.said_at, session=turn.session)
        accepted = accept_turn(relationship=relationship, new=new)
        ids[turn.id] = Message.objects.for_relationship(relationship.id).get(turn_id=accepted.turn.id).id
    drain_relationship(relationship_id=relationship.id, worker="benchmark")
    return relationship, ids


def _shown(
    relationship: Relationship, question: str, level: Level, cited: Mapping[UUID, Sequence[UUID]]
) -> tuple[set[UUID], int]:
    assembled = build_context(
        project_id=relationship.project_id,
        relationship_id=relationship.id,
        message=question,
        session="asked",
        config=level,
    )
    sources = {report.name: [UUID(source) for source in report.sources] for report in assembled.layers}
    rested_on = {message for entry in sources.get("memory", ()) for message in cited.get(entry, ())}
    return rested_on | set(sources.get("episodes", ())), assembled.total_tokens


def _gate(talks: Sequence[Talk]) -> Section:
    questions = turns = lost = 0
    closed: list[bool] = []  # for each closed turn, whether it is evidence
    for talk in talks:
        evidence = {turn for question in talk.questions for turn in question.evidence}
        questions, turns = questions + len(talk.questions), turns + len(talk.turns)
        lost += sum(asks_nothing(one.text, names=talk.speakers) for one in talk.questions)
        closed += [
            turn.id in evidence for turn in talk.turns if asks_nothing(turn.content, names=talk.speakers)
        ]
    rows: list[Sequence[str]] = [
        ("questions", f"{lost} of {questions}"),
        ("turns", f"{len(closed)} of {turns}"),
        ("turns that are evidence", f"{sum(closed)} of {len(closed)}"),
    ]
    figure = Figure("questions that the gate closes", 100 * lost / max(1, questions), "%", Goal(0))
    return Section("What the gate `content` keeps from looking", _GATE, [figure], ("", "closed"), rows)
