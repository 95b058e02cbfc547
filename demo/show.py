"""Runs the demo from beginning to end."""

import json
import time
from collections.abc import Mapping
from typing import Any
from zoneinfo import ZoneInfo

from django.template.defaultfilters import pluralize
from django.urls import reverse
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from demo.conversation import Conversation
from demo.errors import DemoFailed, RequestFailed
from demo.play import Player
from demo.recipes import uses_vectors
from demo.rest import Rest
from demo.screen import Screen
from demo.service import readiness, wait_until_embedded
from demo.stage import EMAIL, set_up
from memory.models import HeldState, Tier

SHORT = 60  # up to this many turns, each is waited for; longer conversations are read in batches
AHEAD = 80
BADGE_SECONDS = 5  # how long the reply waits to show what it changed in memory


def play_show(*, rest: Rest, conversation: Conversation, screen: Screen, password: str) -> bool:
    """Play the conversation and show the result. Returns whether every turn was remembered. Raises DemoFailed.

    `password`: of the operator who may open the admin UI.
    """
    providers = readiness(rest.url).get("providers", {})
    recipe = conversation.companion.recipe
    embedder = providers.get("embedder", {}) if recipe and uses_vectors(recipe) else None
    screen.opening(conversation, rest.url, providers.get("llm", {}), embedder)
    relationship, forgotten = set_up(rest, conversation)
    if forgotten:
        screen.say(f"{conversation.user.name} was here before, and was erased first (DELETE /v1/users/…).")
    failed = _play(rest, relationship, conversation, screen)
    wait_until_embedded(rest.url)
    let_agent_work(rest, relationship, conversation.user.name, screen)
    _show_memory(rest, relationship, conversation, screen)
    _chat(rest, conversation, screen)
    _farewell(rest, relationship, conversation, screen, password)
    return not failed


def _play(rest: Rest, relationship: str, conversation: Conversation, screen: Screen) -> int:
    """Play the turns. Returns how many failed."""
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
            f"{failed} turn{pluralize(failed)} failed; "
            f"POST /v1/relationships/{relationship}/turns/…/retry tries one again."
        )
    return failed


def _progress(screen: Screen) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=screen.console, transient=True)


def _show_memory(rest: Rest, relationship: str, conversation: Conversation, screen: Screen) -> None:
    path = f"/relationships/{relationship}"
    entries = sorted(rest.every(f"{path}/entries"), key=lambda entry: entry["effective_at"])
    name, zone = conversation.user.name, ZoneInfo(conversation.user.timezone)
    archived = [entry for entry in entries if entry["tier"] == Tier.ARCHIVE]
    listed = [entry for entry in entries if entry["tier"] != Tier.ARCHIVE]
    if listed or not archived:
        screen.entries(f"What is remembered of {name}", listed, zone)
    if archived:
        screen.entries(f"In the archive of {name}, shown when it has to do with a message", archived, zone)
    held = [found for found in rest.every(f"{path}/held-deletions") if found["state"] == HeldState.WAITING]
    for found in held:
        screen.say(
            f"? {len(found['entries'])} deletions await review: "
            f"POST /v1{path}/held-deletions/{found['id']}/confirm or /decline"
        )
    asked = {"message": conversation.question, "session": conversation.turns[-1].session, "explain": True}
    context = rest.post(f"{path}/context", asked)
    screen.context(context, conversation.question)
    if why := _reasons(context, {entry["id"]: entry["content"] for entry in archived}):
        screen.reasons(why)


def _chat(rest: Rest, conversation: Conversation, screen: Screen) -> None:
    """Send one message to the chat endpoint, as any OpenAI client would."""
    said = [{"role": "user", "content": conversation.question}]
    body = {
        "model": conversation.companion.slug,
        "user": conversation.user.external_id,
        "metadata": {"session": conversation.turns[-1].session},
        "messages": said,
        "rapport": {"wait_for_memory": BADGE_SECONDS},
    }
    try:
        answer = rest.post("/chat/completions", body)
    except RequestFailed as error:  # the model failed, but memory is not affected
        screen.trouble(str(error))
        return
    message = answer["choices"][0]["message"]
    screen.reply(conversation, message["content"] or message["refusal"] or "", answer["rapport"])


def _reasons(context: Mapping[str, Any], contents: Mapping[str, str]) -> list[tuple[str, str]]:
    """The archived entries that the context shows, in its order, and why each was retrieved."""
    return [
        (contents[source], layer["reasons"][source].split("; rests on")[0])
        for layer in context["layers"]
        for source in layer["sources"]
        if source in contents and source in (layer["reasons"] or {})
    ]


def _farewell(
    rest: Rest, relationship: str, conversation: Conversation, screen: Screen, password: str
) -> None:
    recipe = conversation.companion.recipe
    token = rest.post(f"/relationships/{relationship}/tokens", {"scopes": ["write"], "expires_in": 86_400})
    screen.heading("The service stays up")
    screen.lines_of(
        [
            ("address", rest.url),
            ("API docs", f"{rest.url}/v1/docs"),
            ("admin UI", rest.url + reverse("admin_ui:overview")),
            ("email", EMAIL),
            ("password", password or f"not kept; manage.py changepassword {EMAIL}"),
            ("API key", rest.key),
            (f"{conversation.user.name} sees", rest.url + token["page"]),
            ("stop it", "make stop"),
            ("again", f"make demo RECIPE={recipe}" if recipe else "make demo"),
        ]
    )
    screen.say("\nAsk it yourself:")
    body = json.dumps({"message": conversation.question}, ensure_ascii=False).replace("'", "'\\''")
    screen.console.print(
        f"curl -s {rest.url}/v1/relationships/{relationship}/context -H 'Authorization: Bearer {rest.key}' \\\n"
        f"  -H 'Content-Type: application/json' -d '{body}'",
        soft_wrap=True,
        markup=False,
    )


TASK = "Write up what is known of {name}, for the next conversation."
STUCK_SECONDS, PAUSE_SECONDS = 60.0, 0.3
OPEN = ("hydrating", "running", "curating", "merging")


def let_agent_work(rest: Rest, relationship: str, name: str, screen: Screen) -> None:
    """Run an agent's session and show it. If it fails, the demo continues. Raises DemoFailed, RequestFailed."""
    path = f"/relationships/{relationship}"
    screen.heading("An agent works at a task, in files")
    started = rest.post(f"{path}/agent-sessions", {"task": TASK.format(name=name)})
    session = _wait_for_end(rest, f"{path}/agent-sessions/{started['id']}")
    for step in rest.every(f"{path}/agent-sessions/{started['id']}/steps"):
        screen.say(f"  {step['number']}. {step['tool']} {step['arguments'].get('path', '')}".rstrip())
    screen.say(f"The session is {session['state']}. {session['error'] or session['summary']}")
    screen.heading("The files")
    for file in rest.get(f"{path}/files")["files"]:
        screen.say(f"  {file['path']}  {file['size']} bytes{', read-only' if file['read_only'] else ''}")
    screen.heading("Hot context, which chat is shown from now on")
    screen.say(rest.get(f"{path}/hot-context")["content"].strip())


def _wait_for_end(rest: Rest, path: str) -> dict[str, str]:
    until = time.monotonic() + STUCK_SECONDS
    while (session := rest.get(path))["state"] in OPEN:
        if time.monotonic() > until:
            raise DemoFailed(f"The agent's session is {session['state']} after {STUCK_SECONDS:g} s.")
        time.sleep(PAUSE_SECONDS)
    return session
