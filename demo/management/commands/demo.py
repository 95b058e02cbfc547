from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connections

from config.management.arguments import between
from demo.reading import read_conversation
from demo.recipes import under_recipe
from demo.rest import Rest
from demo.screen import Screen
from demo.service import service, start_service, stop_service
from demo.show import play_show
from demo.stage import demo_key, demo_password
from web.management.base import ServiceCommand

CONVERSATION = settings.BASE_DIR / "demo" / "conversation.json"


class Command(ServiceCommand):
    help = (
        "Start the service, play a conversation through REST, show what is remembered, and leave it running."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--conversation", type=Path, default=CONVERSATION, metavar="FILE")
        parser.add_argument(
            "--as", dest="speaker", metavar="NAME", help="which speaker of a LoCoMo file is the user"
        )
        parser.add_argument("--recipe", default="", metavar="NAME", help="one of `manage.py recipes`")
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
        parser.add_argument(
            "--port", type=between(int, 1, 65535), default=8000, help="port to listen on (default: 8000)"
        )

    def handle(
        self, *, conversation: Path, speaker: str | None, recipe: str, host: str, port: int, **options: Any
    ) -> None:
        screen = Screen()
        try:
            told = read_conversation(conversation.expanduser(), now=datetime.now(UTC), as_speaker=speaker)
            told = under_recipe(told, recipe) if recipe else told
            url = self._service(screen, host=host, port=port)
            project_id, key = demo_key(settings.DATA_DIR / "demo.json")
            password = demo_password(settings.DATA_DIR / "operator.json", project_id=project_id)
            connections.close_all()  # from here on everything uses REST
            with Rest(url, key) as rest:
                remembered = play_show(rest=rest, conversation=told, screen=screen, password=password)
        except KeyboardInterrupt:
            raise CommandError("Stopped. `make stop` stops the service, too.") from None
        if not remembered:
            raise CommandError("Not every turn was remembered; see above.")

    def _service(self, screen: Screen, *, host: str, port: int) -> str:
        """Return the service's URL. One that runs in the background is restarted with the current code and settings."""
        running = service()
        if running is not None and not running.in_background:
            screen.say("Rapport is already running, started by hand: the demo uses it, with its settings.")
            call_command("migrate", interactive=False, verbosity=0)
            return running.url
        if stop_service() is not None:
            screen.say("Restarting the service …")
        else:
            screen.say("Starting the database, the web server and the worker …")
        connections.close_all()
        return start_service(host=host, port=port, say=screen.say).url
