"""Rows of the API as lines that a model reads."""

from typing import Any


def described_entry(entry: dict[str, Any]) -> str:
    about = "" if entry["subject"] == "user" else f", about {entry['subject']}"
    return f"- {entry['content']} ({entry['type']}{about}, since {entry['effective_at'][:10]}, entry_id {entry['id']})"


def described_message(message: dict[str, Any]) -> str:
    return f"- {message['occurred_at'][:10]} {message['speaker'] or message['role']}: {message['content']}"


def described_change(revision: dict[str, Any]) -> str:
    before, after = ((revision[side] or {}).get("content") for side in ("before", "after"))
    said = f"{before!r} became {after!r}" if before and after and before != after else repr(after or before)
    who = revision["actor_kind"]
    return f"- {revision['recorded_at'][:16]} {revision['event']} by {who}: {said} (entry_id {revision['entry_id']})"


def described_plan(plan: dict[str, Any]) -> str:
    """One line an item: what of it says what the person speaks of, and whether it would change."""
    lines = [f"Plan {plan['id']}:"]
    for item in plan["items"]:
        mark = "x" if item["ticked"] else " "
        rest = f", which leaves: {item['rest']}" if item["rest"] else ""
        lines.append(f"[{mark}] {item['number']} {item['kind']}: {item['sentence']}{rest}")
    return "\n".join(lines if plan["items"] else ["Nothing is remembered about this."])
