from behaviours.models.outbox_message import OutboxMessage
from behaviours.models.run import BehaviourRun, RunState

__all__ = ["BehaviourRun", "OutboxMessage", "RunState"]
