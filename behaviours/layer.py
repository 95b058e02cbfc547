from behaviours.priorities import fire_priorities
from context.layers.base import LayerRequest, LayerText
from context.layers.plain import HEADING, PrioritiesLayer
from context.text import line_cost

NOT_FIRED = "no behaviour fires in a preview"


class BehavioursLayer(PrioritiesLayer):
    """The configuration's priorities, and the texts of priority behaviours whose condition holds. Texts are never cut.
    In a preview the sources are all behaviours that would fire, with or without a text.
    """

    def render(self, request: LayerRequest) -> LayerText:
        plain = super().render(request)
        fired = fire_priorities(request)
        if not fired:
            return plain
        room = request.budget_of(self)
        text = plain.text or HEADING
        if room is not None:
            room -= line_cost(text)
        reasons: dict[str, str] = {}
        for one in fired:
            cost = line_cost(one.text)
            fits = room is None or cost <= room
            if one.text and fits:
                text = f"{text}\n{one.text}"
                room = None if room is None else room - cost
            reasons[one.name] = one.reason if fits else "left out: past the layer's budget"
        shown = [one for one in fired if one.text and not reasons[one.name].startswith("left out")]
        told = [NOT_FIRED] if request.preview else [f"{name}: {why}" for name, why in reasons.items()]
        return LayerText(
            text=text if plain.text or shown else "",
            sources=[one.name for one in (fired if request.preview else shown)],
            reason="; ".join([*([plain.reason] if plain.reason else []), *told]),
            reasons=reasons,
            left_out=plain.left_out,
        )
