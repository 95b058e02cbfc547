"""The eight tools: their arguments, when to use them, and their answers.

A tool turns its arguments into text for the model and the same as data. In the text each thing is one line, whatever it
contains, so that no part of it can pass for another.
"""

import json
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar
from uuid import UUID

from pydantic import ConfigDict, Field

from connect.own_api import Answered, OwnApi
from relationships.text_names import folded
from web.described import Described


class ToolFailed(Exception):
    """A failure; the message is for the model."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The relationship of a call, and how to reach it."""

    api: OwnApi
    relationship: str
    address: str  # of the service, as the client sees it

    @property
    def path(self) -> str:
        return f"/relationships/{self.relationship}"


@dataclass(frozen=True, slots=True)
class Told:
    text: str
    data: dict[str, Any]


class Tool(Described):
    """The fields are the arguments; the docstring is the description for the model. `run` raises ToolFailed."""

    model_config = ConfigDict(extra="forbid")
    name: ClassVar[str]
    title: ClassVar[str]
    reads_only: ClassVar[bool] = True
    destroys: ClassVar[bool] = False

    def run(self, asked: Asked) -> Told:
        raise NotImplementedError


Ticked = Annotated[list[int], Field(max_length=500)] | None
Text = Annotated[str, Field(min_length=1, max_length=8_000)]
Limit = Annotated[int, Field(ge=1, le=50)]


class GetContext(Tool):
    """Call this first, before you answer the person: it gives everything worth knowing about them for this
    message (who they are, what they like, what was agreed, the last messages). Use it naturally, as a friend
    would; don't recite it.
    """

    name = "get_context"
    title = "What to know before answering"

    message: Annotated[str, Field(max_length=8_000)] | None = None
    """What the person has just said."""
    session: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    """The conversation's ID, if there are several."""

    def run(self, asked: Asked) -> Told:
        body = self.model_dump(exclude_none=True) | {"format": "text"}
        found = good(asked.api.post(f"{asked.path}/context", body))
        rendered = found["rendered"]
        text = rendered if isinstance(rendered, str) else json.dumps(rendered, ensure_ascii=False)
        return Told(text, {"context": text, "total_tokens": found["total_tokens"]})


class Recall(Tool):
    """Use this when you need something particular about the person that the context does not say: a name, a date, a
    preference, what they told you about a topic. Searches what is remembered, by words and by meaning.
    """

    name = "recall"
    title = "Look something up"

    query: Text
    """A question or a topic, in plain words."""
    limit: Limit = 8
    messages: bool = False
    """Search the messages, word for word, instead of what is remembered."""

    def run(self, asked: Asked) -> Told:
        kind, show = ("messages", described_message) if self.messages else ("entries", described_entry)
        found = good(
            asked.api.post(f"{asked.path}/{kind}/search", {"query": self.query, "top_k": self.limit})
        )["items"]
        text = "\n".join(show(one) for one in found) or "Nothing is remembered about this."
        return Told(text, {"items": found})


class Remember(Tool):
    """Use this when the person tells you something about themselves that will matter in later conversations (a
    fact, a preference, a plan, a date), or asks you to remember something. One fact a call, as a full sentence.
    Don't announce it.
    """

    name = "remember"
    title = "Remember something"
    reads_only = False

    content: Text
    """One fact about the person in one sentence, such as: Is allergic to peanuts."""
    type: Annotated[str, Field(max_length=60)] = "other"
    """identity, preference, goal, event, relationship, agreement, opinion, worry, other, or a companion's own type."""

    def run(self, asked: Asked) -> Told:
        given = {"content": self.content, "type": self.type}
        answered, is_new = asked.api.add_entry(f"{asked.path}/entries", given)
        entry = good(answered)
        done = "Remembered" if is_new else "Known already"
        return Told(f"{done}: {described_entry(entry)}", {"entry": entry})


class Correct(Tool):
    """Use this when something remembered is wrong or no longer true and the person says how it is. Call it
    first without plan_id: it changes nothing and shows what it would change. Then call it again with the plan's ID.
    """

    name = "correct"
    title = "Correct what is remembered"
    reads_only = False

    what: Text
    """What is wrong, in plain words."""
    to: Text
    """How it is, as a full sentence that replaces what is wrong."""
    plan_id: UUID | None = None
    """The plan to carry out, from the answer without it."""
    ticked: Ticked = None
    """Numbers of the plan's items to change; by default those that are ticked."""

    def run(self, asked: Asked) -> Told:
        if self.plan_id is not None:
            return carried_out(asked, self.plan_id, self.ticked, "Corrected")
        wish = {"what": self.what, "to": self.to, "dry_run": True}
        plan = good(asked.api.post(f"{asked.path}/correct", wish))
        return Told(described_plan(plan), {"plan": plan, "changed": False})


class Forget(Tool):
    """Use this when the person asks you to forget something. Call it first without plan_id: it changes nothing
    and shows what would go, messages too. Tell the person, and when they agree, call it again with the plan's ID.
    `undo` brings back what a plan hid.
    """

    name = "forget"
    title = "Forget something"
    reads_only = False
    destroys = True

    what: Text
    """What to forget, in plain words."""
    plan_id: UUID | None = None
    """The plan to carry out, from the answer without it."""
    ticked: Ticked = None
    """Numbers of the plan's items to change; by default those that are ticked."""
    undo: UUID | None = None
    """A plan that was carried out, to be undone."""

    def run(self, asked: Asked) -> Told:
        if self.undo is not None:
            plan = good(asked.api.post(f"{asked.path}/plans/{self.undo}/undo", {}))
            return Told("It is remembered again.", {"plan": plan, "forgotten": False})
        if self.plan_id is not None:
            return carried_out(asked, self.plan_id, self.ticked, "Forgotten")
        plan = good(asked.api.post(f"{asked.path}/forget", {"what": self.what, "dry_run": True}))
        return Told(described_plan(plan), {"plan": plan, "forgotten": False})


class History(Tool):
    """Use this when the person asks what changed, since when you know something, or where you know it from:
    every change of what is remembered, newest first, with the previous text. Forgotten texts are not shown.
    """

    name = "history"
    title = "What changed, and when"

    entry_id: UUID | None = None
    """Of one entry; if left out, of everything."""
    limit: Limit = 20

    def run(self, asked: Asked) -> Told:
        place = f"/entries/{self.entry_id}" if self.entry_id else ""
        found = good(asked.api.get(f"{asked.path}{place}/history", limit=self.limit))["items"]
        return Told("\n".join(map(described_change, found)) or "Nothing was changed yet.", {"items": found})


class Search(Tool):
    """Find remembered things to cite, as IDs with titles; `fetch` reads one. For assistants that search and
    then fetch documents; `recall` answers the same question with the texts at once.
    """

    name = "search"
    title = "Search"

    query: Text

    def run(self, asked: Asked) -> Told:
        found = good(asked.api.post(f"{asked.path}/entries/search", {"query": self.query}))["items"]
        results = [
            {"id": one["id"], "title": one["content"][:120], "url": address_of(asked, one["id"])}
            for one in found
        ]
        return Told(json.dumps({"results": results}, ensure_ascii=False), {"results": results})


class Fetch(Tool):
    """Read one result of `search`: the full text, its type, its source and its dates."""

    name = "fetch"
    title = "Read one thing"

    id: UUID
    """From search."""

    def run(self, asked: Asked) -> Told:
        entry = good(asked.api.get(f"{asked.path}/entries/{self.id}"))
        if entry["state"] == "deleted":
            raise ToolFailed("This is remembered no more.")
        metadata = {
            name: str(entry[name])
            for name in ("type", "subject", "source", "effective_at", "happens_at")
            if entry[name]
        }
        told = {"id": entry["id"], "title": entry["content"][:120], "text": entry["content"]}
        document = told | {"url": address_of(asked, entry["id"]), "metadata": metadata}
        return Told(json.dumps(document, ensure_ascii=False), document)


TOOLS: dict[str, type[Tool]] = {
    tool.name: tool for tool in (GetContext, Recall, Remember, Correct, Forget, History, Search, Fetch)
}


def good(answered: Answered) -> Any:
    """Return the answer's body. Raises ToolFailed with the problem's text."""
    if not answered.good:
        near = "; ".join(one["content"] for one in answered.body.get("looked_at", ()))
        raise ToolFailed(f"{answered.sentence} Looked at: {near}" if near else answered.sentence)
    return answered.body


def carried_out(asked: Asked, plan_id: UUID, ticked: list[int] | None, done: str) -> Told:
    body = {} if ticked is None else {"ticked": ticked}
    plan = good(asked.api.post(f"{asked.path}/plans/{plan_id}/carry-out", body))
    told = f"{done}. This can be undone by forget with undo={plan_id}."
    return Told(told, {"plan": plan, "changed": True, "forgotten": done == "Forgotten"})


def address_of(asked: Asked, entry_id: str) -> str:
    return f"{asked.address}/v1{asked.path}/entries/{entry_id}"


def described_entry(entry: dict[str, Any]) -> str:
    about = "" if entry["subject"] == "user" else f", about {entry['subject']}"
    happens = f", happens {entry['happens_at']}" if entry["happens_at"] else ""
    more = f"{about}{happens}, told {entry['effective_at'][:10]}, entry_id {entry['id']}"
    return f"- {folded(entry['content'])} ({entry['type']}{more})"


def described_message(message: dict[str, Any]) -> str:
    return f"- {message['occurred_at'][:10]} {message['speaker'] or message['role']}: {folded(message['content'])}"


def described_change(revision: dict[str, Any]) -> str:
    before, after = ((revision[side] or {}).get("content") for side in ("before", "after"))
    text = repr(after or before) if after or before else "what was forgotten"
    said = f"{before!r} became {after!r}" if before and after and before != after else text
    who = revision["actor_kind"]
    return f"- {revision['recorded_at'][:16]} {revision['event']} by {who}: {said} (entry_id {revision['entry_id']})"


def described_plan(plan: dict[str, Any]) -> str:
    """Describe a plan: one line per item, with the sentence that matches, ticked if it would change."""
    if not plan["items"]:
        return "Nothing is remembered about this."
    lines = [f"Plan {plan['id']}:"]
    for item in plan["items"]:
        mark = "x" if item["ticked"] else " "
        rest = f", which leaves: {folded(item['rest'])}" if item["rest"] else ""
        lines.append(f"[{mark}] {item['number']} {item['kind']}: {folded(item['sentence'])}{rest}")
    done = "changed" if plan["verb"] == "correct" else "forgotten"
    way_on = f"Call {plan['verb']} again with this plan_id, and the numbers that are meant as ticked."
    return "\n".join([*lines, f"Nothing was {done}. {way_on}"])
