from dataclasses import dataclass
from typing import Self

from django.db import models


class ActorKind(models.TextChoices):
    MODEL = "model"
    OPERATOR = "operator"
    DEVELOPER = "developer"
    END_USER = "end_user"
    POLICY = "policy"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who makes a change. Every service that changes something takes one as `by`."""

    kind: ActorKind
    id: str = ""

    @classmethod
    def policy(cls, name: str) -> Self:
        """Rapport itself, by a rule: expiry, idle timeout, a command."""
        return cls(ActorKind.POLICY, name)


AGENT = Actor(ActorKind.MODEL, "agent")
