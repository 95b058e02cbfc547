from relationships.models.api_key import ApiKey, Scope
from relationships.models.audit_event import AuditEvent
from relationships.models.companion import Companion
from relationships.models.end_user import EndUser
from relationships.models.idempotency_key import IdempotencyKey
from relationships.models.membership import Membership, Role
from relationships.models.message import Message, MessageRole
from relationships.models.operator import Operator
from relationships.models.owned import OwnedQuerySet, QueuedOwnedQuerySet, RelationshipOwned
from relationships.models.profile import Profile, ProfileRevision
from relationships.models.project import Project
from relationships.models.relationship import Relationship
from relationships.models.relationship_token import RelationshipToken
from relationships.models.session_state import DEFAULT_SESSION, SessionState
from relationships.models.snapshot import Snapshot
from relationships.models.spending import ModelSpending
from relationships.models.turn import Turn, TurnState

__all__ = [
    "DEFAULT_SESSION",
    "ApiKey",
    "AuditEvent",
    "Companion",
    "EndUser",
    "IdempotencyKey",
    "Membership",
    "Message",
    "MessageRole",
    "ModelSpending",
    "Operator",
    "OwnedQuerySet",
    "Profile",
    "ProfileRevision",
    "Project",
    "QueuedOwnedQuerySet",
    "Relationship",
    "RelationshipOwned",
    "RelationshipToken",
    "Role",
    "Scope",
    "SessionState",
    "Snapshot",
    "Turn",
    "TurnState",
]
