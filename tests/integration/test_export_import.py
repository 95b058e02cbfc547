"""Whatever a session of API and admin UI leaves behind can be exported, imported, and exported again as it was.

Random sessions with fixed seeds. RAPPORT_FUZZ=long plays many more.
"""

import json
import os
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from memory.models import EntryState, HeldDeletion
from relationships.models import Companion, EndUser, Relationship
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.people import meet
from tests.fixtures.turns import add, answer, delete, update
from tests.integration.life import COMPANION, WORDS, Beside
from tests.unit.memory.entries.documents import comparable
from upkeep.verification.pipeline import verify

LONG = os.environ.get("RAPPORT_FUZZ") == "long"
STEPS = 60
SESSIONS = ["current", "web", "a b", "ünï"]
TRIGGERS = ["every_turn", "every_n_turns", "session_end", "explicit"]


class Life(Beside):
    """With what is said, and with entries, by the API and by people."""

    def __init__(
        self, relationship: Relationship, api: Api, editor: Client, provider: ScriptedProvider, seed: int
    ) -> None:
        super().__init__(relationship, api, editor, provider, seed)
        self.steps += [
            *[self.say] * 8, *[self.remember] * 3, *[self.ui_entry] * 2, *[self.ui_bulk] * 2, self.ui_merge,
            self.ui_undo, self.ui_profile, self.revise, self.revise, self.delete, self.restore, self.erase,
            self.profile, self.state, self.end, self.pause, self.decide, self.decide, self.prompt, self.configure,
            self.retry, self.ingest,
        ]  # fmt: skip

    def _operations(self) -> Any:
        """What a model makes of it: sense, nonsense, too much, or no JSON at all."""
        many = len(self.entries(state=EntryState.ACTIVE, tier="scratchpad"))
        numbers = self.random.sample(range(1, many + 1), min(many, self.random.choice([0, 1, 2, 5])))
        gone = self.random.random() < 0.5
        said = [
            add(self.text(), key=self.random.choice([None, "city", "Naïve Key"]), reason=self.text(900)),
            add("The same again", importance=self.random.choice([0.1, 1, 7, "high"])),
            {"op": "sing", "why": [self.text()] * 60, "deep": [[[[[[1]]]]]]},
            *[delete(n, reason=self.text(900)) if gone else update(n, self.text()) for n in numbers],
        ]
        self.random.shuffle(said)
        return self.random.choice([answer(*said), answer(*said), answer(), "no JSON \u0007"])

    def say(self) -> Any:
        messages = [
            {"role": role, "content": self.text(settings.MAX_MESSAGE_BYTES)}
            for role in self.random.choice([["user"], ["user", "assistant"], ["system", "user"], ["tool"]])
        ]
        trigger = {"ingestion": {"trigger": {"mode": self.random.choice(TRIGGERS)}}}
        body = {"messages": messages, "session": self.random.choice(SESSIONS)}
        found = self.api.post(f"{self.path}/turns", {**body, "config": self.random.choice([{}, {}, trigger])})
        if self.random.random() < 0.8:
            self.provider.otherwise = lambda request: self._operations()
            self.conversation.drain()
        return found

    def remember(self) -> Any:
        return self.api.post(f"{self.path}/entries", {
            "content": self.text(), "type": self.random.choice(["other", "identity"]),
            "subject": self.random.choice(["user", "Ana María"]), "key": self.random.choice([None, "city", "pet"]),
            "tier": self.random.choice(["scratchpad", "archive"]), "weight": self.random.choice([0, 1, 99.5]),
            "tags": {"a.b": self.random.choice(["", "ü"])}, "metadata": {"deep": [{"er": self.text(20_000)}]},
            "expires_at": self.random.choice([None, "9999-12-29T00:00:00Z"]),
            "happens_at": self.random.choice([None, "0002-01-01T00:00:00+05:00", "2026", "2026-03", "2026-03-14/2026-03-20"]),
        })  # fmt: skip

    def revise(self) -> Any:
        entry = self.entry()
        what = [
            {"pinned": True}, {"tier": "archive"}, {"read_only": self.random.random() < 0.3}, {"importance": 1},
            {"content": self.text()}, {"tags": {"a.b": None, "c": "d"}}, {"valid_to": "2020-01-01T00:00:00Z"},
        ]  # fmt: skip
        return entry and self.api.patch(f"{self.path}/entries/{entry.id}", self.random.choice(what))

    def delete(self) -> Any:
        entry = self.entry()
        return entry and self.api.delete(f"{self.path}/entries/{entry.id}")

    def restore(self) -> Any:
        entry = self.entry(state__in=["deleted", "superseded"])
        return entry and self.api.post(f"{self.path}/entries/{entry.id}/restore", {"reason": "needed"})

    def erase(self) -> Any:
        entry = self.entry()
        keep = self.random.choice(["", "&messages=keep"])
        return entry and self.api.delete(f"{self.path}/entries/{entry.id}?permanent=true{keep}")

    def ui_entry(self) -> Any:
        form = {
            "content": self.text(), "type": "other", "importance": "0.25", "key": self.random.choice(["", "city"]),
            "subject": self.random.choice(["", "a\u0001b", "Bo"]),
        }  # fmt: skip
        entry = self.entry(state=EntryState.ACTIVE)
        if entry is None or self.random.random() < 0.5:
            return self.editor.post(f"{self.page}entries/", form)
        return self.editor.post(f"{self.page}entries/{entry.id}/edit/", {**form, "version": entry.version})

    def ui_bulk(self) -> Any:
        chosen = self.random.sample(found := self.entries(), min(len(found), 3))
        do = self.random.choice(["delete", "restore", "pin", "unpin", "archive", "scratchpad"])
        return self.editor.post(f"{self.page}bulk/", {"do": do, "entry": [str(entry.id) for entry in chosen]})

    def ui_merge(self) -> Any:
        chosen = self.random.sample(found := self.entries(state=EntryState.ACTIVE), min(len(found), 2))
        return self.editor.post(
            f"{self.page}bulk/", {"do": "merge", "entry": [str(one.id) for one in chosen]}
        )

    def ui_undo(self) -> Any:
        history = self.api.get(f"{self.path}/history").body["items"]
        step = self.random.choice(history) if history else None
        return step and self.editor.post(f"{self.page}entries/{step['entry_id']}/undo/{step['seq']}/")

    def ui_profile(self) -> Any:
        return self.editor.post(f"{self.page}profile/", {"document": json.dumps({"note": self.text()})})

    def profile(self) -> Any:
        data = {"plan": self.random.choice(WORDS), "n": [1.5, None, 2**53]}
        return self.random.choice([self.api.put, self.api.patch])(f"{self.path}/profile", data)

    def state(self) -> Any:
        session = self.random.choice(SESSIONS[:2])
        return self.api.patch(
            f"{self.path}/sessions/{session}", {"state": {"mood": self.random.choice([None, *WORDS])}}
        )

    def end(self) -> Any:
        return self.api.post(f"{self.path}/sessions/{self.random.choice(SESSIONS[:2])}/end")

    def pause(self) -> Any:
        paused = {"ingestion_paused": self.random.random() < 0.3}
        return self.api.patch(f"/users/{self.relationship.user_id}", paused)

    def decide(self) -> Any:
        held = HeldDeletion.objects.for_relationship(self.relationship.id).waiting().first()
        do = self.random.choice(["confirm", "decline"])
        return held and self.api.post(f"{self.path}/held-deletions/{held.id}/{do}")

    def prompt(self) -> Any:
        body = {"template": "Remember what {{ user }} says.", "note": "shorter", "publish": True}
        return self.api.post(f"/companions/{self.relationship.companion_id}/prompts", body)

    def configure(self) -> Any:
        config = {"ingestion": {"trigger": {"mode": self.random.choice(TRIGGERS), "n": 2}}}
        return self.api.patch(
            self.path, {"config": config, "timezone": self.random.choice(["Asia/Tokyo", "UTC"])}
        )

    def retry(self) -> Any:
        turns = self.api.get(f"{self.path}/turns").body["items"]
        return turns and self.api.post(f"{self.path}/turns/{self.random.choice(turns)['id']}/retry")

    def ingest(self) -> Any:
        return self.api.post(f"{self.path}/ingest")


@pytest.mark.parametrize("seed", range(200 if LONG else 6))
def test_what_a_session_made_comes_back_as_it_was(
    seed: int, relationship: Relationship, api: Api, editor: Client, scripted_provider: ScriptedProvider
) -> None:
    Companion.objects.filter(id=relationship.companion_id).update(config=COMPANION)
    life = Life(relationship, api, editor, scripted_provider, seed)
    life.live(STEPS)
    there = meet(relationship.companion)
    person = EndUser.objects.values().get(id=there.user_id)

    document = exported(api, relationship)
    taken = api.post(f"/relationships/{there.id}/import", document)

    assert taken.status == 200, taken
    assert not (wrong := differing(comparable(document), comparable(exported(api, there)))), wrong
    if not life.wishing:
        assert not (wrong := differing(told(api, relationship), told(api, there))), wrong
    assert unsound(relationship) == unsound(there) == []
    assert all(document[name] for name in ("turns", "entries", "revisions"))
    assert 202 in life.seen["say"] and 201 in life.seen["remember"] and 200 in life.seen["state"], life.seen
    assert EndUser.objects.values().get(id=there.user_id) == person


def test_what_was_forgotten_leaves_no_gap_in_the_history_that_an_export_takes_along(
    relationship: Relationship, api: Api, scripted_provider: ScriptedProvider
) -> None:
    path = f"/relationships/{relationship.id}"
    entry = api.post(f"{path}/entries", {"type": "other", "content": "Lives in Klosterneuburg"}).body
    scripted_provider.wishes_answer = {"says": [{"number": 1}], "unsure": []}
    assert api.post(f"{path}/forget", {"what": "where I live"}).body["state"] == "carried_out"
    there = meet(relationship.companion)

    assert api.post(f"/relationships/{there.id}/import", exported(api, relationship)).status == 200

    events = [step["event"] for step in api.get(f"/relationships/{there.id}/history").body["items"]]
    assert events == ["redact", "add"]
    assert api.get(f"/relationships/{there.id}/entries/{entry['id']}").status == 410
    assert unsound(there) == []


# What whoever asks is told, and in it what an import numbers anew, or a person is told of work that waits.
TOLD = [
    *("profile", "profile/history", "sessions", "turns", "messages", "entries?state=any", "history"),
    *("held-deletions", "summaries", "behaviour-runs", "outbox", "files", "hot-context"),
]
ANEW = {"relationship_id", "seq", "first_seq", "last_seq", "commit"}


def told(api: Api, relationship: Relationship) -> dict[str, Any]:
    found = {name: without_anew(api.get(f"/relationships/{relationship.id}/{name}").body) for name in TOLD}
    found["files"] = [file for file in found["files"]["files"] if not file["read_only"]]
    found["hot-context"] = found["hot-context"]["content"]
    found["summaries"] = [
        one for one in found["summaries"]["items"] if one["state"] != "erased"
    ]  # hidden, too
    return found


def without_anew(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_anew(below) for name, below in value.items() if name not in ANEW}
    return [without_anew(below) for below in value] if isinstance(value, list) else value


def differing(one: Any, other: Any, path: str = "") -> list[str]:
    """Where two JSON values differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        names = sorted(one.keys() | other.keys())
        return [
            said for name in names for said in differing(one.get(name), other.get(name), f"{path}.{name}")
        ]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return [said for place, (a, b) in pairs for said in differing(a, b, f"{path}.{place}")]
    return [] if one == other else [f"{path}: {one!r:.100} != {other!r:.100}"]


def exported(api: Api, relationship: Relationship) -> Any:
    answer = api.get(f"/relationships/{relationship.id}/export?calls=true")
    assert answer.status == 200
    return answer.body


def unsound(relationship: Relationship) -> list[str]:
    """What `manage.py verify` finds."""
    report = verify(relationship_id=relationship.id)
    return [f"{tally}" for tally in report.tallies.values() if tally.found]
