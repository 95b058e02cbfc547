"""The eight tools: what each takes, when it is to be used, and what it answers.

A tool is one function from its arguments to text for the model and, beside it, the same as data.
"""

import json
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from connect.mcp.wording import described_change, described_entry, described_message
from connect.mending import correct_entry, hide_entries, plan_for, restore_entries
from connect.own_api import Answered, OwnApi


class ToolFailed(Exception):
    """What the model is told went wrong."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Whose memory it is, and how it is reached."""

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


class Tool(BaseModel):
    """Its fields are the arguments; the docstring says when to use it. `run` answers or raises ToolFailed."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)
    name: ClassVar[str]
    title: ClassVar[str]
    reads_only: ClassVar[bool] = True
    destroys: ClassVar[bool] = False

    def run(self, asked: Asked) -> Told:
        raise NotImplementedError


EntryIds = Annotated[list[UUID], Field(max_length=50)]
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
    """The conversation's own ID, where there are several."""

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
    """Search what was said, word for word, instead of what was kept of it."""

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
    """identity, preference, goal, event, relationship or other, or one of the companion's own types."""

    def run(self, asked: Asked) -> Told:
        entry = good(asked.api.post(f"{asked.path}/entries", {"content": self.content, "type": self.type}))
        return Told(f"Remembered: {described_entry(entry)}", {"entry": entry})


class Correct(Tool):
    """Use this when something remembered is wrong or no longer true and the person says how it is. Call it
    first without entry_id: it changes nothing and shows what is remembered about it. Then call it again with
    the entry_id that is meant.
    """

    name = "correct"
    title = "Correct what is remembered"
    reads_only = False

    what: Text
    """What is wrong, in plain words."""
    to: Text
    """How it is, as a full sentence that replaces the entry."""
    entry_id: UUID | None = None
    """The entry to change, from the answer without it."""

    def run(self, asked: Asked) -> Told:
        if self.entry_id is None:
            plan = planned(asked, self.what)
            way_on = "Nothing was changed. Call correct again with the entry_id that is meant."
            return Told(f"{plan.text}\n{way_on}", {**plan.data, "changed": False})
        entry = good(correct_entry(asked.api, asked.relationship, str(self.entry_id), to=self.to))
        return Told(f"Corrected: {described_entry(entry)}", {"entry": entry, "changed": True})


class Forget(Tool):
    """Use this when the person asks you to forget something. Call it first without entry_ids: it changes
    nothing and shows what would go. Tell the person, and when they agree, call it again with the IDs. `restore`
    brings entries back.
    """

    name = "forget"
    title = "Forget something"
    reads_only = False
    destroys = True

    what: Text
    """What to forget, in plain words."""
    entry_ids: EntryIds = []
    """The entries to forget, from the answer without them."""
    restore: EntryIds = []
    """Entries forgotten before, to be brought back."""

    def run(self, asked: Asked) -> Told:
        if not self.entry_ids and not self.restore:
            plan = planned(asked, self.what)
            way_on = "Nothing was forgotten. Call forget again with the entry_ids that are meant."
            return Told(f"{plan.text}\n{way_on}", {**plan.data, "forgotten": []})
        hidden = hide_entries(asked.api, asked.relationship, [str(one) for one in self.entry_ids])
        restored = restore_entries(asked.api, asked.relationship, [str(one) for one in self.restore])
        lines = [f"Forgotten: {one}" if done.good else f"{one}: {done.sentence}" for one, done in hidden]
        lines += [
            f"Brought back: {one}" if done.good else f"{one}: {done.sentence}" for one, done in restored
        ]
        forgotten = [one for one, done in hidden if done.good]
        back = [one for one, done in restored if done.good]
        if not forgotten and not back:
            raise ToolFailed("\n".join(lines))
        if forgotten:
            lines.append("This can be undone with restore. What was said word for word is not erased by it.")
        return Told("\n".join(lines), {"forgotten": forgotten, "restored": back})


class History(Tool):
    """Use this when the person asks what changed, since when you know something, or where you know it from:
    every change of what is remembered, newest first, with what stood there before.
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
    """Read one thing that `search` found, whole, with where it comes from."""

    name = "fetch"
    title = "Read one thing"

    id: UUID
    """From search."""

    def run(self, asked: Asked) -> Told:
        entry = good(asked.api.get(f"{asked.path}/entries/{self.id}"))
        metadata = {
            name: str(entry[name]) for name in ("type", "subject", "source", "effective_at") if entry[name]
        }
        document = {
            "id": entry["id"],
            "title": entry["content"][:120],
            "text": entry["content"],
            "url": address_of(asked, entry["id"]),
            "metadata": metadata,
        }
        return Told(json.dumps(document, ensure_ascii=False), document)


TOOLS: dict[str, type[Tool]] = {
    tool.name: tool for tool in (GetContext, Recall, Remember, Correct, Forget, History, Search, Fetch)
}


def good(answered: Answered) -> Any:
    """Its body. Raises ToolFailed with the problem's sentence."""
    if not answered.good:
        raise ToolFailed(answered.sentence)
    return answered.body


def planned(asked: Asked, what: str) -> Told:
    plan = plan_for(asked.api, asked.relationship, what)
    if plan.problem:
        raise ToolFailed(plan.problem)
    lines = [described_entry(one) for one in plan.entries] or ["Nothing is remembered about this."]
    if plan.messages:
        lines.append(
            f"{len(plan.messages)} messages speak of it, too; they stay in the conversation's record."
        )
    return Told("\n".join(lines), {"entries": plan.entries, "messages": plan.messages})


def address_of(asked: Asked, entry_id: str) -> str:
    return f"{asked.address}/v1{asked.path}/entries/{entry_id}"
