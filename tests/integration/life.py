"""What may happen in a relationship besides turns and entries: files, agents, wishes, summaries, behaviours. Each step
does one thing, chosen at random.
"""

import random
import re
from base64 import b64encode
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.test import Client

from memory.models import MendingPlan, ScratchpadEntry
from providers.llm.base import CompletionRequest
from relationships.models import Message, Relationship
from summaries.models import Summary
from tests.fakes import ScriptedProvider
from tests.fixtures import behaviours
from tests.fixtures.api import Api
from tests.fixtures.summaries import summarise
from tests.fixtures.turns import Conversation
from tests.fixtures.workspaces import done, step, whole, work
from workspace.hot_context import PATH as HOT_CONTEXT
from workspace.models import AgentSession, HeldChange
from workspace.sessions.commands import get_session

WORDS = [
    *("tea", "Ångström", "猫が好き", "🦊🦊", "a\u0001b", "“so it goes”", "1 < 2 & 3", "\t tab", "x" * 300, "nã\u0303o")
]  # fmt: skip
PATHS = ["plan.md", "outputs/ångström/猫.md", "outputs/picture.png", "outputs/a b/ü.txt", HOT_CONTEXT]
NUMBERED = re.compile(r"^\[(\d+)\]", re.MULTILINE)
COMPANION = {
    "ingestion": {"provider": "scripted", "deletion_hold": {"share": 0, "count": 1}},
    "summaries": {"at": [3, 6], "every": 5},
    "workspace": {"provider": "scripted"},
    "behaviours": {
        "named": {
            "greet": {"message": "Hello {{ user }}: {{ message }}"},
            "hint": {"text": "Be kind about {{ message }}", "when": {"every_n_turns": 2}},
            "note": {"prompt": {"prompt": "Note {{ message }}", "into": "entry"}},
            "ring": {"webhook": {"url": "http://127.0.0.1:9/"}, "when": {"every_n_turns": 3}},
        }
    },
}


class Beside:
    """A relationship in which anything may happen. `wishing`: somebody may also ask to forget things."""

    def __init__(
        self, relationship: Relationship, api: Api, editor: Client, provider: ScriptedProvider, seed: int
    ) -> None:
        self.random, self.wishing = random.Random(seed), bool(seed % 2)
        self.relationship, self.api, self.editor, self.provider = relationship, api, editor, provider
        self.path, self.page = (
            f"/relationships/{relationship.id}",
            f"/admin-ui/relationships/{relationship.id}/",
        )
        self.conversation = Conversation(relationship)
        self.seen: dict[str, set[int]] = {}
        self.steps: list[Callable[[], Any]] = [
            *[self.write_file] * 3, self.change_files, self.write_program, self.checkpoint, self.go_back, self.begin_session,
            *[self.end_session] * 2, self.decide_change, self.summarise, self.ask_for_summary, self.edit_summary,
            self.context, *[self.behave] * 2, self.acknowledge, self.try_again,
            *([self.forget, self.correct, self.plan, self.hide, self.show, self.redact] if self.wishing else []),
        ]  # fmt: skip
        provider.wishes_answer = self._judged

    def live(self, most: int) -> None:
        """Do each step once, in random order, then random ones."""
        once = list(dict.fromkeys(self.steps))
        for chosen in [*self.random.sample(once, len(once)), *self.random.choices(self.steps, k=most)]:
            found = chosen()
            status = getattr(found, "status", None) or getattr(found, "status_code", None)
            assert status is None or status < 500, (chosen.__name__, found)
            self.seen.setdefault(chosen.__name__, set()).add(status or 0)

    def text(self, most: int = settings.MAX_ENTRY_BYTES) -> str:
        """A text: mostly short, sometimes as long as allowed, or longer."""
        length = self.random.choice([*[1, 2, 3] * 4, most // 4, most, most + 1])
        words = " ".join(self.random.choices(WORDS, k=3)) + f" {self.random.random()}"
        return words if length < 4 else (words + "y" * most).encode()[:length].decode("utf-8", "ignore")

    def entries(self, **filters: Any) -> list[ScratchpadEntry]:
        return list(
            ScratchpadEntry.objects.for_relationship(self.relationship.id).filter(**filters).order_by("id")
        )

    def entry(self, **filters: Any) -> ScratchpadEntry | None:
        found = self.entries(**filters)
        return self.random.choice(found) if found else None

    def any_of(self, model: Any, **filters: Any) -> Any:
        rows = list(model.objects.for_relationship(self.relationship.id).filter(**filters).order_by("id"))
        return self.random.choice(rows) if rows else None

    # Files, and the sessions of agents

    def _branch(self) -> str:
        session = self.any_of(AgentSession, state="running")
        return f"?branch={session.branch}" if session and self.random.random() < 0.6 else ""

    def _content(self) -> dict[str, str]:
        if self.random.random() < 0.3:
            raw = self.random.choice([b"", b"\x00\xff", b"\x89PNG" + self.random.randbytes(20)])
            return {"content": b64encode(raw).decode(), "encoding": "base64"}
        lines = [self.random.choice(["- one", "- two", "línea\r", self.text(2000)]) for _ in range(3)]
        return {"content": "\n".join(lines)}

    def write_file(self) -> Any:
        path = self.random.choice(PATHS)
        return self.api.put(f"{self.path}/files/{path}{self._branch()}", self._content())

    def change_files(self) -> Any:
        one, other = self.random.sample(PATHS, 2)
        how: dict[str, Any] = self.random.choice(
            [{"delete": True}, {"move_to": f"moved/{self.random.random()}"}]
        )
        changes = [{"path": one, **how}, {"path": other, **self._content()}]
        return self.api.post(f"{self.path}/files{self._branch()}", {"changes": changes, "message": "Both"})

    def write_program(self) -> Any:
        content = f"#!/bin/sh\necho {self.random.random()}\n"
        program = {"path": "bin/run.sh", "content": content, "executable": True}
        return self.api.post(f"{self.path}/files", {"changes": [program]})

    def checkpoint(self) -> Any:
        return self.api.post(f"{self.path}/checkpoints", {"name": "here"})

    def go_back(self) -> Any:
        found = self.api.get(f"{self.path}/checkpoints").body["items"]
        chosen = self.random.choice(found)["id"] if found else None
        what = {"memory": self.random.random() < 0.5}
        return chosen and self.api.post(f"{self.path}/checkpoints/{chosen}/restore", what)

    def begin_session(self) -> Any:
        worker = self.random.choice(["external", "external", "built_in"])
        begun = self.api.post(f"{self.path}/agent-sessions", {"task": "Plan a trip", "worker": worker})
        self._advance()
        return begun

    def end_session(self) -> Any:
        session = self.any_of(AgentSession, state="running")
        body = {"summary": self.text(1000), "facts": [self.text(500)]}
        for branch in (f"?branch={session.branch}", "") if session else ():  # both change one file
            self.api.put(f"{self.path}/files/plan.md{branch}", self._content())
        ended = session and self.api.post(f"{self.path}/agent-sessions/{session.id}/finish", body)
        self._advance()
        return ended

    def _advance(self) -> None:
        """Advance sessions as far as a worker would."""
        answers = [step("write", path="plan.md", content="- built in\n"), done("Planned.", "Likes trips")]
        for row in AgentSession.objects.for_relationship(self.relationship.id).exclude(due_at=None):
            said = iter(answers)
            self.provider.otherwise = lambda request, said=said: (
                next(said, done()) if request.schema else "Curated."
            )
            for _ in range(8):
                if work(whole(self.relationship), row).due_at is None:
                    break
            get_session(self.relationship.id, row.id)

    def decide_change(self) -> Any:
        held = self.any_of(HeldChange, state="open")
        accept = {"accept": self.random.random() < 0.5}
        return held and self.api.post(f"{self.path}/held-changes/{held.id}/decide", accept)

    # Summaries

    def summarise(self) -> None:
        self.provider.otherwise = lambda request: self.text(2000)
        summarise(self.conversation)

    def ask_for_summary(self) -> Any:
        return self.api.post(f"{self.path}/summaries")

    def edit_summary(self) -> Any:
        chosen = self.any_of(Summary)
        body = {"text": self.text(settings.MAX_MESSAGE_BYTES)}
        return chosen and self.api.put(f"{self.path}/summaries/{chosen.id}", body)

    # Behaviours

    def context(self) -> Any:
        return self.api.post(f"{self.path}/context", {"message": self.text()})

    def behave(self) -> None:
        self.provider.otherwise = lambda request: self.text()
        behaviours.work(self.conversation)

    def acknowledge(self) -> Any:
        waiting = self.api.get(f"{self.path}/outbox").body["items"]
        return waiting and self.api.post(f"{self.path}/outbox/{self.random.choice(waiting)['id']}/ack")

    def try_again(self) -> Any:
        runs = self.api.get(f"{self.path}/behaviour-runs").body["items"]
        return runs and self.api.post(f"{self.path}/behaviour-runs/{self.random.choice(runs)['id']}/retry")

    # Wishes to forget and to correct

    def _judged(self, request: CompletionRequest) -> dict[str, Any]:
        """A judgement: some of the numbered texts say it, some in part, some perhaps."""
        numbers = [int(found) for found in NUMBERED.findall(request.prompt)]
        chosen = self.random.sample(numbers, min(len(numbers), 3))
        rest = {"rest": self.random.choice(WORDS), "now": self.random.choice(WORDS)}
        return {
            "says": [{"number": n, **self.random.choice([{}, rest])} for n in chosen[:2]],
            "unsure": chosen[2:],
        }

    def forget(self) -> Any:
        depth, dry = self.random.choice(["hide", "hide", "erase"]), self.random.random() < 0.3
        return self.api.post(f"{self.path}/forget", {"what": "the tea", "depth": depth, "dry_run": dry})

    def correct(self) -> Any:
        dry = self.random.random() < 0.3
        return self.api.post(f"{self.path}/correct", {"what": "the tea", "to": self.text(), "dry_run": dry})

    def plan(self) -> Any:
        chosen, do = self.any_of(MendingPlan), self.random.choice(["carry-out", "undo", "decline"])
        return chosen and self.api.post(f"{self.path}/plans/{chosen.id}/{do}")

    def _messages(self) -> dict[str, list[str]]:
        found = list(Message.objects.for_relationship(self.relationship.id).order_by("seq"))
        return {"messages": [str(one.id) for one in self.random.sample(found, min(len(found), 2))]}

    def hide(self) -> Any:
        return self.api.post(f"{self.path}/messages/hide", self._messages())

    def show(self) -> Any:
        return self.api.post(f"{self.path}/messages/show", self._messages())

    def redact(self) -> Any:
        return self.api.post(f"{self.path}/messages/redact", self._messages())
