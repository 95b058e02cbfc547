from context.answer import ChatMessage
from providers.tokens import estimate_tokens

# What the vendors' chat templates put around a message: its role and its two borders.
AROUND_A_MESSAGE = 4


def message_tokens(message: ChatMessage) -> int:
    """Tokens of a message, with what stands around it."""
    return estimate_tokens(message["content"]) + AROUND_A_MESSAGE
