"""Run by pytest of an interpreter that has the OpenAI Agents SDK: its own tests of sessions, on ours.

Left out are those about SQLite's files, locks, threads and damaged rows.
"""

import os
import sys
from typing import Any
from uuid import uuid4

import pytest
from agents import SessionSettings
from rapport_client import Rapport
from rapport_client.adapters.openai_agents import RapportSession

sys.path.insert(0, os.environ["SOURCE"])
from tests.memory import test_session, test_session_limit

OF_SQLITE = "closes closed corrupt reaps threads lock rolls rollback quarantined cancellation"
CLIENT = Rapport()


class Session(RapportSession):
    """Made as their SQLiteSession is; a file is a person."""

    def __init__(
        self,
        session_id: str,
        db_path: Any = None,
        *,
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        person = uuid4().hex if db_path is None else str(db_path).replace("/", "-")
        super().__init__(session_id, CLIENT, companion="ada", user=person, session_settings=session_settings)

    def close(self) -> None:
        pass


for module in (test_session, test_session_limit):
    module.SQLiteSession = Session
    told = {name: value for name, value in vars(module).items() if name.startswith("test_")}
    globals().update(
        {name: test for name, test in told.items() if not any(word in name for word in OF_SQLITE.split())}
    )

ITEMS: list[Any] = [
    {"role": "user", "content": [{"type": "input_text", "text": "And in Porto?"}]},
    {"type": "reasoning", "id": "r1", "summary": []},
    {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"city": "Porto"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "Rain."},
    {"role": "developer", "content": "Be short."},
    {
        "type": "message",
        "id": "m1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "It rains.", "annotations": []}],
    },
    {"role": "assistant", "content": " "},
]


@pytest.mark.asyncio
async def test_every_kind_of_item_comes_back_as_it_was_and_its_words_are_messages() -> None:
    session = Session("kinds")
    await session.add_items(ITEMS)
    assert await session.get_items() == ITEMS
    said = CLIENT.items(CLIENT.messages_list, session._owner().id)
    assert [(one["role"], one["content"]) for one in said][::-1] == [
        ("user", "And in Porto?"),
        ("tool", "[reasoning]"),
        ("tool", '{"city": "Porto"}'),
        ("tool", "Rain."),
        ("system", "Be short."),
        ("assistant", "It rains."),
        ("assistant", "[message]"),
    ]
    await session.pop_item()
    await session.add_items([{"role": "user", "content": f"{number}"} for number in range(120)])
    assert [item["content"] for item in await session.get_items(2)] == ["118", "119"]
    assert len(await session.get_items()) == len(ITEMS) - 1 + 120
    await session.clear_session()
    assert await session.get_items() == []
