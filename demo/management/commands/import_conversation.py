from argparse import ArgumentParser
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from django.core.management.base import CommandError
from django.template.defaultfilters import pluralize
from pydantic import TypeAdapter

from demo.conversation import Conversation
from demo.importing import Progress, hand_over, see_through, worker_lives
from demo.reading import read_conversation
from memory.models import ScratchpadEntry
from relationships.management.projects import find_project
from relationships.models import Project, Relationship
from relationships.services.companions import create_companion, find_companion
from relationships.services.relationships import get_or_create_relationship
from web.actor import Actor
from web.errors import InvalidInput
from web.fields import CompanionSlug, ExternalId, TimeZone, checked_value
from web.management.base import ServiceCommand

BY = Actor.policy("import_conversation")


class Command(ServiceCommand):
    help = (
        "Import a conversation (LoCoMo, or Rapport's own JSON) and have it remembered, with each turn's date."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE")
        parser.add_argument("--companion", required=True, metavar="SLUG", help="created if it does not exist")
        parser.add_argument(
            "--user", required=True, metavar="EXTERNAL_ID", help="created if they do not exist"
        )
        parser.add_argument(
            "--as",
            dest="speaker",
            metavar="NAME",
            help="which speaker of a LoCoMo file is the user (default: speaker_a)",
        )
        parser.add_argument("--project", metavar="NAME_OR_ID", help="needed if there are several")
        parser.add_argument(
            "--timezone", metavar="ZONE", help="the time zone of the file's dates (default: UTC)"
        )
        parser.add_argument(
            "--no-wait", action="store_true", help="hand over the turns and leave the rest to a worker"
        )

    def handle(self, *, file: Path, no_wait: bool, **options: Any) -> None:
        try:
            conversation = _read(file, speaker=options["speaker"], zone=options["timezone"])
            project = find_project(options["project"])
            relationship = self._relationship(
                project, conversation, companion=options["companion"], user=options["user"]
            )
            outcome = self._import(relationship, conversation, wait=not no_wait)
        except KeyboardInterrupt:
            raise CommandError(
                "Stopped. The turns handed over stay, and a worker reads them; run it again for the rest."
            ) from None
        if outcome is not None and outcome.failed:
            raise CommandError(
                f"{outcome.failed} turn{pluralize(outcome.failed)} failed. "
                f"POST /v1/relationships/{relationship.id}/turns/…/retry"
            )

    def _relationship(
        self, project: Project, conversation: Conversation, *, companion: str, user: str
    ) -> Relationship:
        user = checked_value(TypeAdapter(ExternalId), user, field="--user")
        if find_companion(project_id=project.id, slug_or_id=companion) is None:
            slug = _slug(companion)
            create_companion(
                project_id=project.id,
                slug=slug,
                name=conversation.companion.name,
                config=_config(conversation),
                by=BY,
            )
            self.stdout.write(f"Created the companion {slug}.")
        found, _ = get_or_create_relationship(
            project_id=project.id,
            companion=companion,
            user=user,
            display_name=conversation.user.name,
            timezone=conversation.user.timezone,
            by=BY,
        )
        return found

    def _import(
        self, relationship: Relationship, conversation: Conversation, *, wait: bool
    ) -> Progress | None:
        """Import the turns. Returns how reading ended; None if `wait` is off."""
        handed = hand_over(relationship=relationship, turns=conversation.turns)
        if wait and not worker_lives():
            self.stdout.write("No worker is running, so the turns are read here.")
        outcome = None
        if wait:
            outcome = see_through(
                relationship_id=relationship.id, turn_ids=handed.turn_ids, look=self._progress()
            )
        known = len(handed.turn_ids) - handed.new
        self.stdout.write(
            f"{handed.new} turn{pluralize(handed.new, ' is,s are')} new"
            + (f", {known} {pluralize(known, 'was,were')} there already." if known else ".")
        )
        if outcome is not None:
            self._report(relationship, outcome)
        self.stdout.write(f"Relationship {relationship.id}")
        return outcome

    def _progress(self) -> Callable[[Progress], None]:
        """Make a function that prints the progress whenever it changes."""
        told = ""

        def look(progress: Progress) -> None:
            nonlocal told
            settled = progress.applied + progress.skipped + progress.failed
            trouble = f"  (trying again: {progress.trouble[:60]})" if progress.trouble else ""
            line = f"{settled} of {settled + progress.open + progress.waiting} turns{trouble}"
            if line != told:
                self.stdout.write(line)
            told = line

        return look

    def _report(self, relationship: Relationship, outcome: Progress) -> None:
        counts = {"read": outcome.applied, "skipped": outcome.skipped, "failed": outcome.failed}
        counts["waiting for their trigger"] = outcome.waiting
        self.stdout.write(", ".join(f"{count} {what}" for what, count in counts.items() if count) + ".")
        entries = ScratchpadEntry.objects.for_relationship(relationship.id).active().count()
        self.stdout.write(f"{entries} entr{pluralize(entries, 'y is,ies are')} now remembered.")


def _read(file: Path, *, speaker: str | None, zone: str | None) -> Conversation:
    known = (
        ZoneInfo(checked_value(TypeAdapter(TimeZone), zone, field="--timezone")) if zone is not None else None
    )
    return read_conversation(file.expanduser(), now=datetime.now(UTC), as_speaker=speaker, zone=known)


def _slug(companion: str) -> str:
    try:
        return checked_value(TypeAdapter(CompanionSlug), companion, field="--companion")
    except InvalidInput:
        raise InvalidInput.of(
            "--companion", "write lower-case letters, digits, - and _, at most 80"
        ) from None


def _config(conversation: Conversation) -> dict[str, Any]:
    prompt = conversation.companion.core_prompt
    return {"context": {"core_prompt": prompt}} if prompt else {}
