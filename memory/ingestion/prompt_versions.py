"""A companion's ingestion prompt: versions that never change, one of them published."""

from django.db import transaction

from memory.ingestion.templates import check_instructions, default_instructions
from memory.models import IngestionPrompt
from relationships.models import Companion
from relationships.services.audit import audit_row
from relationships.services.companions import get_companion
from web.actor import Actor
from web.errors import NotFound

SHIPPED = 0  # the version number that stands for the prompt that ships with Rapport


def prompt_of(companion: Companion, version: int) -> IngestionPrompt:
    """One version; SHIPPED is stored nowhere. Raises NotFound."""
    if version == SHIPPED:
        note = "ships with Rapport"
        return IngestionPrompt(version=SHIPPED, template=default_instructions(), note=note)
    prompt = IngestionPrompt.objects.filter(companion_id=companion.id, version=version).first()
    if prompt is None:
        raise NotFound(f"This companion's prompt has no version {version}.")
    return prompt


@transaction.atomic
def create_prompt(
    *, companion: Companion, template: str, note: str, publish: bool, by: Actor
) -> tuple[IngestionPrompt, bool]:
    """Store a new version, unless the newest says the same, as after each start of a program that sends its prompt.
    Returns the version, and whether it is new. Raises InvalidTemplate, naming the line; NotFound.
    """
    check_instructions(template)
    _locked(companion)
    newest = companion.prompts.order_by("-version").first()
    if newest is not None and newest.template == template:
        prompt, created = newest, False
    else:
        prompt, created = _next_version(companion, newest, template, note, by), True
    if publish:
        publish_prompt(companion=companion, version=prompt.version, by=by)
    return prompt, created


@transaction.atomic
def publish_prompt(*, companion: Companion, version: int, by: Actor) -> Companion:
    """Use this version from the next turn on; 0 goes back to the one that ships. Raises NotFound."""
    prompt_of(companion, version)
    locked = _locked(companion)
    before = locked.prompt_version or SHIPPED
    if before != version:
        Companion.objects.filter(id=companion.id).update(
            prompt_version=None if version == SHIPPED else version, version=locked.version + 1
        )
        audit_row(companion, "prompt.published", by, before=before, after=version)
    companion.refresh_from_db()
    return companion


def _next_version(
    companion: Companion, newest: IngestionPrompt | None, template: str, note: str, by: Actor
) -> IngestionPrompt:
    prompt = IngestionPrompt.objects.create(
        companion=companion,
        version=(newest.version if newest else SHIPPED) + 1,
        template=template,
        note=note,
        created_by_kind=by.kind,
        created_by_id=by.id,
    )
    audit_row(companion, "prompt.created", by, version=prompt.version)
    return prompt


def _locked(companion: Companion) -> Companion:
    """The companion as it is now. Raises NotFound."""
    return get_companion(project_id=companion.project_id, companion_id=companion.id, lock=True)
