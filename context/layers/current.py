from context.answer import ChatMessage
from context.layers.base import NOTHING, Layer, LayerRequest, LayerText
from memory.fence import cut_fenced


class CurrentLayer(Layer):
    """The person's current message. The reply answers it, so no budget leaves it out.

    A block that looks like our fence is cut out, so that nobody can plant memories in a message.
    """

    slug = "current"

    def render(self, request: LayerRequest) -> LayerText:
        content, cut = cut_fenced(request.message or "")
        if not content.strip():
            return NOTHING
        reason = f"the current message, without {cut} fenced characters" if cut else "the current message"
        return LayerText(messages=[ChatMessage(role="user", content=content)], reason=reason)
