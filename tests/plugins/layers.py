from threading import Event
from typing import ClassVar

from context.layers.base import Layer, LayerRequest, LayerText, left_out
from context.text import fit_lines

ANSWERED = Event()  # set by a test to let LateLayer answer


class BrokenLayer(Layer):
    """A layer that fails, with an error text that quotes somebody."""

    slug = "broken"
    mistake: ClassVar[type[Exception]] = KeyError

    def render(self, request: LayerRequest) -> LayerText:
        raise self.mistake(request.message)


class MoodLayer(Layer):
    """A plugin's layer: one line with the person's name."""

    slug = "mood"

    def render(self, request: LayerRequest) -> LayerText:
        return LayerText(f"{request.facts.user_name} is in a good mood.", reason="a hunch")


class NewsLayer(Layer):
    """A layer that the context's budget may cut."""

    slug = "news"
    weight = 4

    def render(self, request: LayerRequest) -> LayerText:
        kept, left, least = fit_lines(
            [f"News of day {day}" for day in range(90)], budget=request.budget_of(self)
        )
        return LayerText(
            "\n".join(f"News of day {day}" for day in kept),
            left_out=left_out(list(map(str, left))),
            least=least,
        )


class LateLayer(Layer):
    """A layer that waits for something outside."""

    slug = "late"

    def render(self, request: LayerRequest) -> LayerText:
        ANSWERED.wait(20)
        return LayerText("Late news.")
