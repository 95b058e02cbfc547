from threading import Event
from typing import ClassVar

from context.layers.base import Layer, LayerRequest, LayerText

ANSWERED = Event()  # set by a test: what LateLayer waits for has come


class BrokenLayer(Layer):
    """One that meets a mistake, whose text quotes somebody."""

    slug = "broken"
    mistake: ClassVar[type[Exception]] = KeyError

    def render(self, request: LayerRequest) -> LayerText:
        raise self.mistake(request.message)


class MoodLayer(Layer):
    """An outsider's layer: one line from the person's name."""

    slug = "mood"

    def render(self, request: LayerRequest) -> LayerText:
        return LayerText(f"{request.facts.user_name} is in a good mood.", reason="a hunch")


class LateLayer(Layer):
    """One that waits for something outside."""

    slug = "late"

    def render(self, request: LayerRequest) -> LayerText:
        ANSWERED.wait(20)
        return LayerText("Late news.")
