from context.layers.base import NOTHING, Layer, LayerRequest, LayerText, left_out
from context.text import fill_names, fit_lines


class CoreLayer(Layer):
    """The companion's system prompt, as its developer wrote it."""

    slug = "core"

    def render(self, request: LayerRequest) -> LayerText:
        prompt = fill_names(request.configuration.context.core_prompt, request.facts).strip()
        if not prompt:
            return NOTHING
        budget = request.budget_of(self)
        if budget is None:
            return LayerText(prompt, reason="the companion's core prompt")
        lines = prompt.splitlines()
        kept, left, _ = fit_lines(lines, budget=budget)
        return LayerText(
            "\n".join(lines[place] for place in kept),
            reason="the companion's core prompt",
            left_out=left_out([f"line {place + 1}" for place in left]),
        )
