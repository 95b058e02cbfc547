"""What is remembered of a thing, as a plan, and the plan carried out: behind the tools `correct` and `forget`.

A plan names whole entries, found by search, and the messages that speak of the same; whoever reads it decides which
entries are meant. Entries are changed or hidden by their IDs alone, and either can be undone. Messages stay: the
plan says how many there are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from connect.own_api import Answered, OwnApi

MOST = 10  # candidates of a plan


@dataclass(frozen=True, slots=True)
class Plan:
    """Best first. `problem`: why there is none."""

    entries: list[dict[str, Any]]
    messages: list[dict[str, Any]]
    problem: str = ""


def plan_for(api: OwnApi, relationship: str, what: str) -> Plan:
    """The entries and messages that have to do with `what`. Nothing is changed."""
    asked = {"query": what, "top_k": MOST}
    entries = api.post(f"/relationships/{relationship}/entries/search", asked)
    if not entries.good:
        return Plan([], [], entries.sentence)
    messages = api.post(f"/relationships/{relationship}/messages/search", asked)
    return Plan(entries.body["items"], messages.body["items"] if messages.good else [])


def correct_entry(api: OwnApi, relationship: str, entry_id: str, *, to: str) -> Answered:
    """The entry says `to` from now on; what it said stays in its history."""
    body = {"content": to, "reason": "corrected"}
    return api.ask("PATCH", f"/relationships/{relationship}/entries/{entry_id}", body)


def hide_entries(api: OwnApi, relationship: str, entry_ids: Sequence[str]) -> list[tuple[str, Answered]]:
    """Deleted as by hand: out of every list, search and context, and restorable."""
    return [(one, api.ask("DELETE", f"/relationships/{relationship}/entries/{one}")) for one in entry_ids]


def restore_entries(api: OwnApi, relationship: str, entry_ids: Sequence[str]) -> list[tuple[str, Answered]]:
    return [
        (one, api.post(f"/relationships/{relationship}/entries/{one}/restore", {"reason": "brought back"}))
        for one in entry_ids
    ]
