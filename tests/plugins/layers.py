from context.layers.base import Layer, LayerRequest, LayerText


class BrokenLayer(Layer):
    """One that meets a mistake, whose text quotes somebody."""

    slug = "broken"

    def render(self, request: LayerRequest) -> LayerText:
        raise KeyError(request.message)


class MoodLayer(Layer):
    """An outsider's layer: one line from the person's name."""

    slug = "mood"

    def render(self, request: LayerRequest) -> LayerText:
        return LayerText(f"{request.facts.user_name} is in a good mood.", reason="a hunch")
