"""OpenAI Agents SDK: `RapportSession` is a `Session`. Its messages are stored as turns, which a worker reads."""

import asyncio
from collections.abc import Iterator, Sequence
from copy import deepcopy
from itertools import islice
from typing import Any

from agents.items import TResponseInputItem
from agents.memory.session_settings import (
    SessionSettings,
    coerce_session_settings,
    resolve_session_limit,
)

from rapport_client.client import Rapport
from rapport_client.generated import models as m
from rapport_client.relationship import Relationship

ITEM = "openai_agents"  # the key of the item, without its text, in a message's metadata
MOST = 50  # messages per turn
MOST_HIDDEN = 500  # messages per call
PLACES: Sequence[Sequence[str | int]] = (("content",), ("content", 0, "text"), ("output",), ("arguments",))


class RapportSession:
    """A conversation with one person. Each item is a message. Popped and cleared messages are hidden, not deleted.

    It uses the synchronous client in threads, so it works in any event loop.
    """

    def __init__(
        self,
        session_id: str,
        client: Rapport,
        *,
        companion: str,
        user: str,
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings: SessionSettings | None = coerce_session_settings(session_settings or {})
        self._client, self._companion, self._user = client, companion, user
        self._known: Relationship | None = None

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the latest `limit` items, oldest first."""
        most = resolve_session_limit(limit, self.session_settings)
        return [_item(message) for message in reversed(await asyncio.to_thread(self._newest, most))]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        await asyncio.to_thread(self._add, items)

    async def pop_item(self) -> TResponseInputItem | None:
        popped = await asyncio.to_thread(self._hide, 1)
        return _item(popped[0]) if popped else None

    async def clear_session(self) -> None:
        await asyncio.to_thread(self._hide, None)

    def _add(self, items: Sequence[TResponseInputItem]) -> None:
        for turn in _turns([_message(item) for item in items]):
            self._owner().remember(turn, session=self.session_id)

    def _newest(self, most: int | None) -> list[m.MessageAnswer]:
        if most is not None and most <= 0:
            return []
        found = self._client.items(
            self._client.messages_list,
            self._owner().id,
            session=self.session_id,
            limit=min(most or 200, 200),
        )
        return list(islice(found, most))

    def _hide(self, most: int | None) -> list[m.MessageAnswer]:
        newest = self._newest(most)
        for first in range(0, len(newest), MOST_HIDDEN):
            part = [message["id"] for message in newest[first : first + MOST_HIDDEN]]
            self._client.messages_hide(self._owner().id, messages=part)
        return newest

    def _owner(self) -> Relationship:
        if self._known is None:
            self._known = self._client.relationship(companion=self._companion, user=self._user)
        return self._known


def _message(item: Any) -> Any:
    """Turn an item into a message: its text is the content, anything else of it is metadata."""
    role = {"developer": "system"}.get(item.get("role"), item.get("role", "tool"))
    message: Any = {"role": role, "content": f"[{item.get('type', 'message')}]"}
    rest = deepcopy(dict(item))
    for place in PLACES:
        words = _at(rest, place)
        if isinstance(words, str) and words.strip():
            message["content"] = words
            _put(rest, place, None)
            message["metadata"] = {ITEM: {"item": rest, "words": list(place)}}
            break
    else:
        message["metadata"] = {ITEM: {"item": rest}}
    if dict(item) == {"role": role, "content": message["content"]}:
        del message["metadata"]  # it would say no more than the message does
    return message


def _item(message: m.MessageAnswer) -> Any:
    kept = message["metadata"].get(ITEM)
    if not isinstance(kept, dict):
        return {"role": message["role"], "content": message["content"]}
    if words := kept.get("words"):
        _put(kept["item"], words, message["content"])
    return kept["item"]


def _turns(messages: Sequence[m.MessageBody]) -> Iterator[list[m.MessageBody]]:
    """Split messages into as few turns as possible. A system message begins one, and so does a tool's message that does
    not follow an assistant's.
    """
    turn: list[m.MessageBody] = []
    for message in messages:
        before, role = turn[-1]["role"] if turn else "", message["role"]
        apart = (role == "system" and before not in ("", "system")) or (
            role == "tool" and before in ("user", "system")
        )
        if apart or len(turn) == MOST:
            yield turn
            turn = []
        turn.append(message)
    if turn:
        yield turn


def _at(item: Any, place: Sequence[str | int]) -> Any:
    for step in place:
        try:
            item = item[step]
        except (KeyError, IndexError, TypeError):
            return None
    return item


def _put(item: Any, place: Sequence[str | int], words: str | None) -> None:
    _at(item, place[:-1])[place[-1]] = words
