"""DELETE of what `relationships` reads and changes: erasure needs memory too, so these views add it to those."""

from typing import ClassVar
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from memory.services.erasure import Erasure, erase_companion, erase_project, erase_relationship, erase_user
from relationships.api.companions import CompanionView
from relationships.api.fields import Answer, Body, Name
from relationships.api.operations import operation
from relationships.api.projects import ProjectView
from relationships.api.relationships import RelationshipView
from relationships.api.users import UserView
from relationships.errors import InvalidInput
from relationships.models import Project

EXAMPLE = {"erased": {"relationship": 1, "turn": 12, "message": 24, "scratchpad_entry": 9, "model_call": 12}}


class ErasedAnswer(Answer):
    """How many rows of each table are gone."""

    erased: dict[str, int]


class ProjectErasureBody(Body):
    confirm: Name
    """The project's name, as a safeguard."""


class ErasableRelationshipView(RelationshipView):
    @operation(
        "relationships_erase",
        tag="Relationships",
        summary="Erase a relationship",
        answers={200: ErasedAnswer},
        answer_example=EXAMPLE,
    )
    def delete(self, request: Request, relationship_id: UUID) -> Response:
        """Deletes all that was said and remembered in it, with every copy. The user and the companion stay."""
        erasure = erase_relationship(
            project_id=self.project_id, relationship_id=relationship_id, by=self.actor
        )
        return self.answer(_shown(erasure))


class ErasableUserView(UserView):
    @operation(
        "users_erase",
        tag="Users",
        summary="Erase a user",
        answers={200: ErasedAnswer},
        answer_example=EXAMPLE,
    )
    def delete(self, request: Request, user_id: UUID) -> Response:
        """Deletes the person everywhere in your project: the user and all their relationships, with every copy.

        In one transaction for each relationship. If the call breaks off, send it again: it finishes the rest.
        """
        return self.answer(_shown(erase_user(project_id=self.project_id, user_id=user_id, by=self.actor)))


class ErasableCompanionView(CompanionView):
    scopes: ClassVar = {"DELETE": "admin"}

    @operation(
        "companions_erase",
        tag="Companions",
        summary="Erase a companion",
        answers={200: ErasedAnswer},
        answer_example=EXAMPLE,
    )
    def delete(self, request: Request, companion_id: UUID) -> Response:
        """Deletes it with its prompts and all its relationships. The users stay. Needs the scope `admin`."""
        erasure = erase_companion(project_id=self.project_id, companion_id=companion_id, by=self.actor)
        return self.answer(_shown(erasure))


class ErasableProjectView(ProjectView):
    scopes: ClassVar = {**ProjectView.scopes, "DELETE": "admin"}

    @operation(
        "project_erase",
        tag="Project",
        summary="Erase your project",
        body=ProjectErasureBody,
        answers={200: ErasedAnswer},
        example={"confirm": "My project"},
        answer_example=EXAMPLE,
    )
    def delete(self, request: Request) -> Response:
        """Deletes everything in it: users, companions, keys (this one too), and itself. Needs the scope `admin`."""
        name = Project.objects.values_list("name", flat=True).get(id=self.project_id)
        if self.body(ProjectErasureBody).confirm != name:
            raise InvalidInput.of("confirm", "is not the project's name, as GET /v1/project says it")
        return self.answer(_shown(erase_project(project_id=self.project_id, by=self.actor)))


def _shown(erasure: Erasure) -> dict[str, dict[str, int]]:
    return {"erased": dict(erasure.counts)}
