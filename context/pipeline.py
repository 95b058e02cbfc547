"""Assemble what the model is shown before a reply: read the facts, then render each layer."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from time import perf_counter
from typing import Any
from uuid import UUID

import structlog
from django.db import InterfaceError, InternalError, OperationalError

from config import tracing
from context.answer import AssembledContext, LayerReport
from context.budget import Want, divide
from context.facts import read_facts
from context.layers.base import Layer, LayerRequest, LayerText
from context.layers.messages import MessagesLayer
from context.plan import plan_for
from context.recall import Recall
from context.text import line_cost, message_tokens
from context.waiting import LEFT_OUT, Late, Waited, is_from_plugin
from memory.entries.access import note_access
from providers.tokens import estimate_tokens
from relationships.configuration.plugins import known_slug, load
from relationships.models import DEFAULT_SESSION
from web.authentication import RememberedKey
from web.errors import FieldProblem, InvalidConfiguration, NotFound
from worker.leases import error_place

log = structlog.get_logger(__name__)
TELLING_THE_DAY = line_cost("Today is Wednesday, 2026-01-01.")
Rendered = tuple[str, LayerText, float]  # the layer's name, its text, and how many milliseconds it took
# Errors of the call itself or of the database, on which the context fails instead of leaving the layer out.
NOT_THE_LAYERS = (InvalidConfiguration, NotFound, OperationalError, InterfaceError, InternalError)


def build_context(
    *,
    project_id: UUID,
    relationship_id: UUID,
    message: str | None,
    session: str | None = None,
    config: Mapping[str, Any] | None = None,
    format: str | None = None,
    explain: bool = False,
    now: datetime | None = None,
    key: RememberedKey | None = None,
    conversation: Collection[str] | None = None,
    preview: bool = False,
    stored: bool = True,
) -> AssembledContext:
    """Return the system text and the messages for a reply to `message`, with a report on each layer.

    `session`: the developer's own ID; None is the default one. `config`: the cascade's highest level, for this context
    only. `key`: see read_facts. `conversation`: messages that the caller shows the model itself, in place of the layer
    `messages`, and not twice. Without `stored` nothing is written. `preview`: nor does a behaviour fire; embedder and
    reranker are called even so. Raises NotFound (also for another project), InvalidConfiguration, KeyChanged.
    """
    now, session = now or datetime.now(UTC), session or DEFAULT_SESSION
    facts = read_facts(project_id=project_id, relationship_id=relationship_id, session=session, key=key)
    plan = plan_for(facts.levels, config)
    configuration = plan.resolved.values
    format = _known_format(format) if format else configuration.context.format
    asked = (facts, configuration, message, now, Recall(facts, configuration, message, now, explain=explain))
    request = LayerRequest(*asked, preview=preview, stored=stored, conversation=conversation)
    rendered = render_layers(plan.layers, request)
    retrieved = {UUID(entry_id) for _, text, _ in rendered for entry_id in text.retrieved}
    if retrieved and configuration.retrieval.record_access and stored and not preview:
        note_access(relationship_id=relationship_id, entry_ids=retrieved, at=now)
    reports = [_report(*of_layer, explain=explain) for of_layer in rendered]
    system = "\n\n".join(text.text for _, text, _ in rendered if text.text)
    messages = [line for _, text, _ in rendered for line in text.messages]
    return AssembledContext(
        system=system,
        messages=messages,
        layers=reports,
        total_tokens=sum(report.tokens for report in reports),
        capacity=next((text.capacity for _, text, _ in rendered if text.capacity), None),
        format=format,
        rendered=load("CONTEXT_FORMATS", format)(system, messages) if format else None,
        provenance=plan.resolved.levels() if explain else None,
        relationship_id=relationship_id,
        session=session,
        assembled_at=now,
        budget=configuration.context.budget,
    )


def render_layers(layers: Sequence[Layer], request: LayerRequest) -> list[Rendered]:
    """Render the layers. If they exceed the context's budget, those with a weight are rendered again, shorter."""
    if request.conversation is not None:
        layers = [layer for layer in layers if layer.name != MessagesLayer.slug]
    rendered, budget = _render_all(layers, request), request.configuration.context.budget
    tokens = {name: _tokens(text) for name, text, _ in rendered}
    if budget is not None and sum(tokens.values()) > budget:
        cut = [layer for layer in layers if layer.weight and tokens.get(layer.name)]
        whole = {said[0]: said for said in rendered if said[0] not in {layer.name for layer in cut}}
        room = budget - sum(tokens.get(name, 0) for name in whole)
        texts = {name: text for name, text, _ in rendered}
        wants = {layer.name: _want(layer, texts[layer.name], room=room) for layer in cut}
        rendered = _render_all(layers, replace(request, limits=divide(room, wants)), whole)
    return rendered


def _want(layer: Layer, text: LayerText, *, room: int) -> Want:
    """What a layer would take of the budget. The last exchange comes first, with up to half of the room."""
    if text.messages:
        return Want(_cost(text), layer.weight, held=min(text.least, room // 2))
    day = TELLING_THE_DAY if layer.tells_days else 0  # it says the date if the layer that did gets no room
    return Want(_cost(text) + day, layer.weight, text.least + day)


def _render_all(
    layers: Sequence[Layer], request: LayerRequest, given: Mapping[str, Rendered] | None = None
) -> list[Rendered]:
    """Render the layers in order; those in `given` have been rendered before."""
    given = given or {}
    open_ = [layer for layer in layers if layer.name not in given]
    waited = {layer.name: Waited(layer, request) for layer in open_ if is_from_plugin(layer)}
    for layer in open_:
        with suppress(Exception):  # its rendering reports it
            layer.begin(request)
    rendered = []
    for layer in layers:
        said = given.get(layer.name) or _render(layer, request, waited.get(layer.name))
        rendered.append(said)
        if layer.tells_days and said[1].text:
            request = replace(request, day_is_told=True)
    return rendered


def _render(layer: Layer, request: LayerRequest, waited: Waited | None) -> Rendered:
    """Render one layer. If it fails or is late it is left out, and the report says so."""
    began = perf_counter()
    try:
        with tracing.span(f"layer {layer.name}"):
            text = layer.render(request) if waited is None else waited.text()
    except Late as why:
        LEFT_OUT.labels(layer.name, "late").inc()
        text = LayerText(reason=f"left out: {why}")
    except Exception as error:
        if waited is None and isinstance(error, NOT_THE_LAYERS):  # one of Rapport's own
            raise
        LEFT_OUT.labels(layer.name, "failed").inc()
        log.error(
            "a layer failed",
            event_name="context.layer.failed",
            layer=layer.name,
            where=error_place(error),
            relationship_id=str(request.facts.relationship_id),
        )
        text = LayerText(reason=f"left out: it failed ({type(error).__name__})")
    return layer.name, text, (perf_counter() - began) * 1000


def _report(name: str, text: LayerText, milliseconds: float, *, explain: bool) -> LayerReport:
    own = text.reasons or {}
    return LayerReport(
        name=name,
        tokens=_tokens(text),
        milliseconds=round(milliseconds, 3),
        sources=text.sources,
        reason=text.reason,
        left_out=text.left_out,
        reasons={source: own.get(source, text.reason) for source in text.sources} if explain else None,
        text=text.text,
        messages=text.messages,
        ends=text.ends,
        parts=text.parts,
    )


def _tokens(text: LayerText) -> int:
    return estimate_tokens(text.text) + sum(map(message_tokens, text.messages))


def _cost(text: LayerText) -> int:
    """Count tokens line by line, as layers fill their budget; a little more than the tokens of the whole text."""
    return sum(map(line_cost, text.text.splitlines())) + sum(map(message_tokens, text.messages))


def _known_format(name: str) -> str:
    try:
        return known_slug("CONTEXT_FORMATS", name)
    except ValueError as error:
        raise InvalidConfiguration([FieldProblem("format", str(error))]) from None
