from context.layers.base import NOTHING, Layer, LayerRequest, LayerText, left_out
from context.text import fill_names, fit_lines

HEADING = "Before everything else:"


class PrioritiesLayer(Layer):
    """The configuration's priorities: rules that come before everything else, one line each."""

    slug = "priorities"

    def render(self, request: LayerRequest) -> LayerText:
        priorities = request.configuration.context.priorities
        if not priorities:
            return NOTHING
        lines = [f"- {fill_names(' '.join(line.split()), request.facts)}" for line in priorities]
        kept, left, _ = fit_lines(lines, budget=request.budget_of(self), frame=HEADING)
        return LayerText(
            "\n".join([HEADING, *(lines[place] for place in kept)]) if kept else "",
            reason="the configuration's priorities, in order",
            left_out=left_out([f"priority {place + 1}" for place in left]),
        )
