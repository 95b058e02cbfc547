from typing import Any, ClassVar
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from context.api.schemas import ContextAnswer, ContextBody, present_context
from context.pipeline import build_context
from relationships.api.views import ApiView
from web.operations import operation

EXAMPLE = {"message": "What should I cook tonight?", "session": "phone", "format": "anthropic"}


class ContextView(ApiView):
    open_to_tokens = True
    rereads_key = ("POST",)
    scopes: ClassVar = {"POST": "read"}  # changes no memory; a message may be too long for a GET

    @operation(
        "context_build",
        tag="Context",
        summary="Assemble the context of a reply",
        body_optional=True,
        answers={200: ContextAnswer},
        example=EXAMPLE,
    )
    def post(self, request: Request, relationship_id: UUID, body: ContextBody) -> Response:
        """What the model is shown before it replies: the companion's prompt, what is remembered, the profile, the
        session's state, the recent messages and the current one. Rapport takes the call as the beginning of a reply:
        priority behaviours fire, and `retrieval.record_access` notes what was shown. Nothing else is stored.
        """
        config = self.own_level(body.config) if body.config else {}

        def make() -> dict[str, Any]:
            assembled = build_context(
                project_id=self.project_id,
                relationship_id=relationship_id,
                message=body.message,
                session=body.session,
                config=config,
                format=body.format,
                explain=body.explain,
                key=self.credentials.remembered,
            )
            return self.without_configuration(present_context(assembled), provenance=None)

        return self.answer_by(body, make)
