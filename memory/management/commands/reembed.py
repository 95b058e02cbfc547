from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from config.management.progress import progress_bar
from memory.retrieval.index.reembed import Move, Moved, begin_move, change_over, drop_old, embed_beside
from providers.embeddings.registry import DEFAULT_EMBEDDER
from providers.errors import ProviderError
from relationships.management.projects import find_project, require_companion
from relationships.models import Companion
from web.actor import Actor
from web.errors import InvalidInput
from web.management.base import ServiceCommand

BY = Actor.policy("reembed")
GO_ON = "The vectors made so far stay, and searches work as before; run it again for the rest."


class Command(ServiceCommand):
    help = (
        "Move a companion to another embedder. Searches use the old vectors until the new ones are all there."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--companion", required=True, metavar="SLUG_OR_ID")
        parser.add_argument("--project", metavar="NAME_OR_ID", help="needed where there are several")
        parser.add_argument(
            "--embedder", required=True, metavar="ALIAS", help="of EMBEDDING_PROVIDERS, or default"
        )
        parser.add_argument(
            "--batch", type=int, default=100, help="texts in one call, 1 to 1000 (default: 100)"
        )

    def handle(
        self, *, companion: str, project: str | None, embedder: str, batch: int, **options: Any
    ) -> None:
        try:
            if not 1 <= batch <= 1000:
                raise InvalidInput.of("--batch", "write a number from 1 to 1000")
            move = _begin(require_companion(find_project(project), companion), embedder, batch)
            self._move(move)
        except ProviderError as error:
            raise CommandError(f"{embedder}: {error} {GO_ON}") from error
        except KeyboardInterrupt:
            raise CommandError(f"Stopped. {GO_ON}") from None

    def _move(self, move: Move) -> None:
        done = Moved()
        self._embed(move, done, "embedded")
        changed = change_over(move, by=BY)
        self._embed(move, done, "written meanwhile")
        dropped = drop_old(move)
        now = (
            f"{move.companion.slug} uses {move.alias} now"
            if changed
            else f"{move.companion.slug} used it already"
        )
        self.stdout.write(
            f"{now}: {move.space.model}, {move.space.dimensions} dimensions. "
            f"{done.written} vectors were made, {dropped} old ones removed."
        )
        if done.refused:
            codes = ", ".join(sorted(done.codes))
            self.stdout.write(f"Some texts were refused ({codes}): they are found by their words only.")

    def _embed(self, move: Move, done: Moved, what: str) -> None:
        with progress_bar(what, total=move.owed()) as advance:
            embed_beside(move, done, told=advance)


def _begin(companion: Companion, alias: str, batch: int) -> Move:
    """Raises InvalidInput, ProviderError."""
    known = [*settings.EMBEDDING_PROVIDERS, DEFAULT_EMBEDDER]
    if alias not in known:
        raise InvalidInput.of(
            "--embedder", f"there is none called {alias!r}; write one of {', '.join(known)}"
        )
    return begin_move(companion, alias=alias, batch=batch)
