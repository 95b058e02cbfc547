"""Every page of the admin UI, as an owner opens it; the large relationship's where a page has one."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django.db import connection
from django.test import Client
from django.urls import reverse

from benchmarks.figures import Figure, Goal
from benchmarks.pages.seed import Seeded
from benchmarks.timing import percentile, time_calls

MOST_MILLISECONDS, MOST_STATEMENTS = 150, 12


def addresses(seeded: Seeded) -> Mapping[str, str]:
    """By the name they have in the table."""
    whose, companion = [seeded.relationship_id], [seeded.companion_id]
    entry, turn = [*whose, seeded.entry_id], [*whose, seeded.turn_id]
    return {
        "overview": _to("overview"),
        "overview, workers": _to("status"),
        "relationships": _to("relationships"),
        "relationships, page 100": _to("relationships", page=100),
        "relationships, a rare word": _to("relationships", text="porcelain"),
        "relationships, the beginning of a common word": _to("relationships", text="likes"),
        "relationships, a person": _to("relationships", person="person 77"),
        "relationships, that wait": _to("relationships", waits=1),
        "companions": _to("companions"),
        "companion": _to("companion", companion),
        "prompt": _to("companion_prompt", companion),
        "prompt, turns to replay": _to("companion_prompt", companion, relationship=str(whose[0])),
        "documents": _to("companion_documents", companion),
        "playground": _to("playground"),
        "playground, talk": _to("playground_talk", whose),
        "turns, failed": _to("turns"),
        "turns, pending": _to("turns", state="pending"),
        "turns, skipped": _to("turns", state="skipped"),
        "turns, by a reason": _to("turns", reason="provider"),
        "API keys": _to("keys"),
        "operators": _to("operators"),
        "audit": _to("audit"),
        "audit, by a word": _to("audit", action="changed"),
        "memory": _to("relationship", whose),
        "memory, by type": _to("relationship", whose, order="type"),
        "memory, a word": _to("relationship", whose, text="porcelain"),
        "entry": _to("relationship_entry", entry),
        "edit an entry": _to("relationship_edit_entry", entry),
        "conversation": _to("relationship_conversation", whose),
        "conversation, one session": _to("relationship_conversation", whose, session="current"),
        "turn": _to("relationship_trace", turn),
        "what it sees": _to("relationship_preview", whose),
        "what it sees, of a message": _to("relationship_preview", whose, message="Do I like porcelain?"),
        "time travel": _to("relationship_time", whose),
        "time travel, half way": _to("relationship_time", whose, step=500),
        "profile": _to("relationship_profile", whose),
        "data": _to("relationship_data", whose),
    }


def measure(seeded: Seeded, *, calls: int, only: str) -> list[Figure]:
    """Two figures a page: its p95 with p50 beside it, and its statements."""
    client = Client(HTTP_HOST="localhost")
    client.force_login(seeded.operator)
    figures: list[Figure] = []
    for name, address in addresses(seeded).items():
        if only not in name:
            continue
        statements: list[str] = []

        def count(execute: Any, sql: str, *rest: Any, into: list[str] = statements) -> Any:
            into.append(sql)
            return execute(sql, *rest)

        with connection.execute_wrapper(count):
            _open(client, address)
        (taken,) = time_calls(lambda to=address: _open(client, to), times=calls)  # type: ignore[misc]
        figures += [
            Figure(f"{name}: p50", percentile(taken, 0.5), "ms"),
            Figure(f"{name}: p95", percentile(taken, 0.95), "ms", goal=Goal(MOST_MILLISECONDS)),
            Figure(f"{name}: statements", len(statements), goal=Goal(MOST_STATEMENTS)),
        ]
    return figures


def _to(name: str, parts: Sequence[object] = (), **query: object) -> str:
    asked = f"?{urlencode(query)}" if query else ""
    return reverse(f"admin_ui:{name}", args=list(parts)) + asked


def _open(client: Client, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 200, f"{address} answered {answer.status_code}"
