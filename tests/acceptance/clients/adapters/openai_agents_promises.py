"""Run by pytest of an interpreter that has the OpenAI Agents SDK: its own tests of sessions, on ours.

LEFT_OUT names those that are not run, each with its reason.
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

OF_CONNECTIONS = "about connections that it opens and closes for each thread; ours has a client's"
OF_ROWS = "writes a damaged row into its table"
OF_LOCKS = "about the lock and the rollback of a file of SQLite"
OF_CANCELLING = "about its own handling of a commit that is cancelled"
LEFT_OUT = {
    "sqlite_session_close_closes_worker_thread_connections": OF_CONNECTIONS,
    "sqlite_session_reaps_connections_from_exited_worker_threads": OF_CONNECTIONS,
    "sqlite_session_closes_retired_connections_before_the_next_allocation": OF_CONNECTIONS,
    "sqlite_session_keeps_connections_of_live_worker_threads": OF_CONNECTIONS,
    "sqlite_session_closed_rejects_empty_add_items": OF_CONNECTIONS,
    "sqlite_session_close_retries_quarantined_connection": OF_CONNECTIONS,
    "sqlite_session_rollback_failure_evicts_connection": OF_CONNECTIONS,
    "sqlite_session_pop_item_skips_corrupt_most_recent": OF_ROWS,
    "sqlite_session_pop_item_returns_none_after_dropping_only_corrupt_rows": OF_ROWS,
    "sqlite_session_get_items_limit_skips_corrupt_newest_rows": OF_ROWS,
    "sqlite_session_get_items_session_settings_limit_skips_corrupt_rows": OF_ROWS,
    "sqlite_session_file_lock_is_shared_across_instances": OF_LOCKS,
    "sqlite_session_failed_add_items_releases_write_lock": OF_LOCKS,
    "sqlite_session_failed_clear_session_rolls_back": OF_LOCKS,
    "sqlite_session_failed_pop_item_releases_write_lock": OF_LOCKS,
    "sqlite_session_post_commit_cancellation_propagates_after_known_outcome": OF_CANCELLING,
    "await_mutation_cancellation_hides_later_failure_without_loop_error": OF_CANCELLING,
}
CLIENT = Rapport()


class Session(RapportSession):
    """A session with the signature of their SQLiteSession. Each file name is a person."""

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
    tests = {name: test for name, test in vars(module).items() if name.startswith("test_")}
    globals().update({name: tests[name] for name in tests if name.removeprefix("test_") not in LEFT_OUT})

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
