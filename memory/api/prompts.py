from datetime import datetime
from typing import Any, ClassVar
from uuid import UUID

from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.answers import JudgementAnswer, money
from memory.api.schemas import PreviewBody, PromptBody
from memory.ingestion.ingestion_input import Instructions, find_instructions
from memory.ingestion.preview import Preview, nobody_of, preview_prompt
from memory.ingestion.prompt_versions import SHIPPED, create_prompt, prompt_of, publish_prompt
from memory.model_calls import asking_for_a_request
from memory.models import IngestionPrompt
from relationships.api.views import ApiView
from relationships.models import Companion, Relationship
from relationships.services.rows import require
from relationships.services.turns import NewMessage
from web.errors import InvalidInput
from web.fields import Answer, Page, PageQuery
from web.operations import operation

TAG = "Prompts"


class PromptAnswer(Answer):
    """One version of a companion's ingestion prompt; 0 is the one that ships with Rapport."""

    version: int
    template: str
    note: str
    published: bool
    created_by: str | None
    created_at: datetime | None


class PreviewAnswer(Answer):
    """What a prompt would have kept. Nothing was written."""

    prompt_version: int | None
    operations: list[JudgementAnswer]
    entries: list[dict[str, Any]]
    """The resulting scratchpad."""
    system: str
    prompt: str
    answers: list[str]
    prompt_tokens: int | None
    output_tokens: int | None
    cost: str | None
    milliseconds: float


def _present(prompt: IngestionPrompt, companion: Companion) -> dict[str, Any]:
    author = f"{prompt.created_by_kind}:{prompt.created_by_id}" if prompt.created_by_kind else None
    published = prompt.version == (companion.prompt_version or SHIPPED)
    return PromptAnswer.of(prompt, published=published, created_by=author)


def _present_preview(preview: Preview) -> dict[str, Any]:
    return PreviewAnswer.of(
        preview,
        operations=[result.as_json() for result in preview.results],
        cost=money(preview.cost),
    )


class CompanionPromptsView(ApiView):
    """What the views of one companion's prompts share: the companion itself."""

    def companion(self, companion_id: UUID) -> Companion:
        rows = Companion.objects.of_project(self.project_id).select_related("project")
        companion: Companion = require(rows.filter(id=companion_id), "companion")
        return companion


class PromptsView(CompanionPromptsView):
    @operation(
        "prompts_list",
        "List a companion's ingestion prompts, newest first",
        answers={200: Page[PromptAnswer]},
    )
    def get(self, request: Request, companion_id: UUID, query: PageQuery) -> Response:
        companion = self.companion(companion_id)

        def present(prompt: Any) -> dict[str, Any]:
            return _present(prompt, companion)

        return self.page(companion.prompts.all(), present, order=["-version"], query=query)

    @operation(
        "prompts_create",
        "Create a new version of the ingestion prompt",
        answers={200: PromptAnswer, 201: PromptAnswer},
    )
    def post(self, request: Request, companion_id: UUID, body: PromptBody) -> Response:
        """Answers 201; or 200 with the newest version if that has the same template, so you can send it at each start.
        A template that can't be rendered is refused; the answer names the line.
        """
        companion = self.companion(companion_id)
        prompt, created = create_prompt(
            companion=companion, template=body.template, note=body.note, publish=body.publish, by=self.actor
        )
        return self.answer(_present(prompt, companion), status=201 if created else 200)


class PromptView(CompanionPromptsView):
    @operation("prompts_read", "Read one version", answers={200: PromptAnswer})
    def get(self, request: Request, companion_id: UUID, version: int) -> Response:
        companion = self.companion(companion_id)
        return self.answer(_present(prompt_of(companion, version), companion))


class PublishPromptView(CompanionPromptsView):
    @operation("prompts_publish", "Use this version from the next turn on", answers={200: PromptAnswer})
    def post(self, request: Request, companion_id: UUID, version: int) -> Response:
        """Publishing an earlier version rolls back; version 0 is the prompt that ships with Rapport."""
        companion = publish_prompt(companion=self.companion(companion_id), version=version, by=self.actor)
        return self.answer(_present(prompt_of(companion, version), companion))


class PreviewPromptView(CompanionPromptsView):
    counts_as: ClassVar = {"POST": "previews"}

    @operation(
        "prompts_preview",
        "See what a prompt would keep, without writing",
        answers={200: PreviewAnswer},
        problems=(429, 502),
    )
    def post(self, request: Request, companion_id: UUID, body: PreviewBody) -> Response:
        """Asks the model while you wait; only a few such requests are served at a time."""
        companion = self.companion(companion_id)
        instructions = (
            Instructions(None, body.template)
            if body.template is not None
            else find_instructions(companion, body.version)
        )
        with asking_for_a_request():
            return self.answer(_present_preview(self._preview(companion, instructions, body)))

    def _preview(self, companion: Companion, instructions: Instructions, body: PreviewBody) -> Preview:
        messages = body.messages or ()
        return preview_prompt(
            relationship=self._relationship(companion, body.relationship) or nobody_of(companion),
            instructions=instructions,
            turn_ids=body.turns or (),
            messages=[NewMessage(m.role, m.content, m.speaker, m.occurred_at) for m in messages],
            present_entries=body.start_from == "present",
        )

    def _relationship(self, companion: Companion, relationship_id: UUID | None) -> Relationship | None:
        if relationship_id is None:
            return None
        related = ("companion", "project", "user")
        relationship = self.get_relationship(relationship_id, *related)
        if relationship.companion_id != companion.id:
            raise InvalidInput.of("relationship", "is another companion's")
        return relationship
