"""Accepts the person's message before the reply begins, so that it is read for memory at the same time."""

from datetime import timedelta

from chat.replies import Question
from memory.ingestion.intake import accept_turn
from relationships.models import Message, Turn
from relationships.services.turns import NewTurn

AT_ONCE = frozenset({"classifier"})  # strategies that need only the person's message
# OpenAI's clients time out after ten minutes, and try three times.
RETRIED_WITHIN = timedelta(minutes=30)


def take_early(question: Question) -> Turn | None:
    """Accept the message as a turn if the badge is wanted and reading needs no reply; otherwise return None.

    A client that retries, because it got no reply, gets the turn of its first try.
    """
    ingestion = question.configuration.ingestion
    if (
        question.wait is None
        or not question.remembered
        or ingestion.strategy not in AT_ONCE
        or not question.new
    ):
        return None
    new = NewTurn(list(question.new), occurred_at=question.now, session=question.session)
    return _unanswered(question) or accept_turn(relationship=question.relationship, new=new).turn


def _unanswered(question: Question) -> Turn | None:
    """The session's last turn, if it consists of exactly these messages."""
    relationship_id, count = question.relationship.id, len(question.new)
    messages = Message.objects.for_relationship(relationship_id).filter(session=question.session)
    last = list(messages.order_by("-seq")[: count + 1])
    of_turn = [message for message in last if message.turn_id == last[0].turn_id]
    if [(m.role, m.content) for m in reversed(of_turn)] != [(m.role, m.content) for m in question.new]:
        return None
    turns = Turn.objects.for_relationship(relationship_id).filter(id=of_turn[0].turn_id)
    return turns.filter(recorded_at__gte=question.now - RETRIED_WITHIN).first()
