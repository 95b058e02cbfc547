"""The demo from curtain to curtain."""

import json
import time
from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

from django.urls import get_resolver
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from memory.demo.conversation import Conversation
from memory.demo.play import Player
from memory.demo.rest import Rest
from memory.demo.screen import Screen
from memory.demo.stage import set_up
from memory.models import HeldState

SHORT = 60  # turns up to which each is waited for, as a developer would; a longer file is read in batches
AHEAD = 80


def play_show(*, rest: Rest, conversation: Conversation, provider: Mapping[str, Any], screen: Screen) -> bool:
    """Play it all and show what came of it. True if every turn was remembered. Raises DemoFailed."""
    screen.opening(conversation, rest.url, provider)
    relationship, forgotten = set_up(rest, conversation)
    if forgotten:
        screen.say(f"{conversation.user.name} was here before, and was erased first (DELETE /v1/users/…).")
    failed = _play(rest, relationship, conversation, screen)
    _show_memory(rest, relationship, conversation, screen)
    _farewell(rest, relationship, conversation.question, screen)
    return not failed


def _play(rest: Rest, relationship: str, conversation: Conversation, screen: Screen) -> int:
    """How many turns failed."""
    zone = ZoneInfo(conversation.user.timezone)
    turns = conversation.turns
    ahead = 0 if len(turns) <= SHORT else AHEAD
    player = Player(rest, relationship, turns, ahead=ahead, trouble=screen.trouble)
    began, failed = time.monotonic(), 0
    with _progress(screen) as progress:
        task = progress.add_task("turns", total=len(turns))
        for played in player.play():
            screen.turn(played, zone)
            failed += played.state == "failed"
            progress.advance(task)
    screen.tally(len(turns), time.monotonic() - began, player.usage)
    if failed:
        screen.say(
            f"{failed} turns failed; POST /v1/relationships/{relationship}/turns/…/retry tries one again."
        )
    return failed


def _progress(screen: Screen) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=screen.console, transient=True)


def _show_memory(rest: Rest, relationship: str, conversation: Conversation, screen: Screen) -> None:
    path = f"/relationships/{relationship}"
    entries = sorted(rest.every(f"{path}/entries"), key=lambda entry: entry["effective_at"])
    screen.scratchpad(entries, conversation.user.name, ZoneInfo(conversation.user.timezone))
    held = [found for found in rest.every(f"{path}/held-deletions") if found["state"] == HeldState.WAITING]
    for found in held:
        screen.say(
            f"? {len(found['entries'])} deletions wait for a person: "
            f"POST /v1{path}/held-deletions/{found['id']}/confirm or /decline"
        )
    asked = {"message": conversation.question, "session": conversation.turns[-1].session}
    context = rest.post(f"{path}/context", asked)
    screen.context(context, conversation.question)


def _farewell(rest: Rest, relationship: str, question: str, screen: Screen) -> None:
    screen.heading("The service stays up")
    admin = _admin_prefix()
    screen.lines_of(
        [
            ("address", rest.url),
            ("API docs", f"{rest.url}/v1/docs"),
            *([("admin UI", f"{rest.url}/{admin}")] if admin is not None else []),
            ("API key", rest.key),
            ("stop it", "make stop"),
            ("again", "make demo"),
        ]
    )
    screen.say("\nAsk it yourself:")
    body = json.dumps({"message": question}, ensure_ascii=False).replace("'", "'\\''")
    screen.console.print(
        f"curl -s {rest.url}/v1/relationships/{relationship}/context -H 'Authorization: Bearer {rest.key}' \\\n"
        f"  -H 'Content-Type: application/json' -d '{body}'",
        soft_wrap=True,
        markup=False,
    )


def _admin_prefix() -> str | None:
    """Where the admin UI is, if it is there."""
    found = get_resolver().namespace_dict.get("admin_ui")
    return None if found is None else str(found[0])
