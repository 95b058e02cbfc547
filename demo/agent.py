"""An agent works for the person once: what it did, the files there are then, and what it leaves for chat."""

import time

from demo.errors import DemoFailed
from demo.rest import Rest
from demo.screen import Screen

TASK = "Write up what is known of {name}, for the next conversation."
STUCK_SECONDS, PAUSE_SECONDS = 60.0, 0.3
OPEN = ("hydrating", "running", "curating", "merging")


def let_agent_work(rest: Rest, relationship: str, name: str, screen: Screen) -> None:
    """Raises DemoFailed, RequestFailed. A session that fails says why, and the show goes on."""
    path = f"/relationships/{relationship}"
    screen.heading("An agent works at a task, in files")
    started = rest.post(f"{path}/agent-sessions", {"task": TASK.format(name=name)})
    session = _ended(rest, f"{path}/agent-sessions/{started['id']}")
    for step in rest.every(f"{path}/agent-sessions/{started['id']}/steps"):
        screen.say(f"  {step['number']}. {step['tool']} {step['arguments'].get('path', '')}".rstrip())
    screen.say(f"The session is {session['state']}. {session['error'] or session['summary']}")
    screen.heading("The files")
    for file in rest.get(f"{path}/files")["files"]:
        screen.say(f"  {file['path']}  {file['size']} bytes{', read-only' if file['read_only'] else ''}")
    screen.heading("Hot context, which chat is shown from now on")
    screen.say(rest.get(f"{path}/hot-context")["content"].strip())


def _ended(rest: Rest, path: str) -> dict[str, str]:
    until = time.monotonic() + STUCK_SECONDS
    while (session := rest.get(path))["state"] in OPEN:
        if time.monotonic() > until:
            raise DemoFailed(f"The agent's session is {session['state']} after {STUCK_SECONDS:g} s.")
        time.sleep(PAUSE_SECONDS)
    return session
