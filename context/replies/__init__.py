"""Replies in a companion's name: the context, one question to a model, and the turn that both make."""

from context.replies.pipeline import Reply, reply

__all__ = ["Reply", "reply"]
