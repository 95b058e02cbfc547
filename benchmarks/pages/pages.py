"""Every page of the admin UI, as an owner opens it; the large relationship's where a page has one."""

import gc
from collections.abc import Mapping, Sequence
from functools import partial
from operator import itemgetter
from urllib.parse import urlencode, urlsplit

from django.test import Client
from django.urls import resolve, reverse

from benchmarks.pages.seed import ENTRIES, Seeded, Size, fill
from benchmarks.pages.work import PLAN
from benchmarks.report import Figure, Goal, Section
from benchmarks.service import statements
from benchmarks.timing import p50, p95, time_calls
from tests.fixtures.page_names import page_names

MOST_MILLISECONDS, MOST_STATEMENTS = 300, 12


def addresses(seeded: Seeded) -> Mapping[str, str]:
    """By the name they have in the table."""
    whose, companion = [seeded.relationship_id], [seeded.companion_id]
    return {
        "overview": _to("overview"),
        "overview, by week": _to("overview", days=90),
        "overview, by when it was said": _to("overview", by="said"),
        "overview, workers": _to("status"),
        "find": _to("find", q="77"),
        "relationships": _to("relationships"),
        "relationships, page 100": _to("relationships", page=100),
        "relationships, a rare word": _to("relationships", text="porcelain"),
        "relationships, the beginning of a common word": _to("relationships", text="likes"),
        "relationships, a person": _to("relationships", person="person 77"),
        "relationships, by name": _to("relationships", order="person"),
        "relationships, most entries first": _to("relationships", order="-entries"),
        "relationships, that wait": _to("relationships", waits=1),
        "companions": _to("companions"),
        "companion": _to("companion", companion),
        "prompt": _to("companion_prompt", companion),
        "prompt, turns to replay": _to("companion_prompt", companion, relationship=str(whose[0])),
        "documents": _to("companion_documents", companion),
        "document": _to("companion_document", [*companion, seeded.work["document"]]),
        "replay": _to("companion_replay", [*companion, *whose, seeded.work["replay"]]),
        "playground": _to("playground"),
        "playground, talk": _to("playground_talk", whose),
        "turns": _to("turns"),
        "turns, oldest first": _to("turns", order="received"),
        "turns, dearest first": _to("turns", order="-cost"),
        "turns, failed": _to("turns", state="failed"),
        "turns, pending": _to("turns", state="pending"),
        "turns, skipped": _to("turns", state="skipped"),
        "turns, a rare word": _to("turns", text="porcelain"),
        "turns, a word nobody said": _to("turns", text="zeppelin"),
        "turns, by a reason": _to("turns", reason="provider"),
        "API keys": _to("keys"),
        "operators": _to("operators"),
        "audit": _to("audit"),
        "audit, by actor": _to("audit", order="actor"),
        "audit, by a word": _to("audit", action="changed"),
        "behaviours": _to("companion_behaviours", companion, relationship=str(whose[0])),
        **_of_the_large_one(seeded),
        **_of_its_work(seeded),
    }


def _of_the_large_one(seeded: Seeded) -> dict[str, str]:
    whose = [seeded.relationship_id]
    entry, turn = [*whose, seeded.entry_id], [*whose, seeded.turn_id]
    return {
        "memory": _to("relationship", whose),
        "memory, by type": _to("relationship", whose, order="type"),
        "memory, a word": _to("relationship", whose, text="porcelain"),
        "entry": _to("relationship_entry", entry),
        "edit an entry": _to("relationship_edit_entry", entry),
        "erase an entry": _to("relationship_erase_entry", entry),
        "add an entry": _to("relationship_add_entry", whose),
        "people and timeline": _to("relationship_people", whose),
        "conversation": _to("relationship_conversation", whose),
        "conversation, its start": _to("relationship_conversation", whose, **{"from": 0}),
        "conversation, a date": _to("relationship_conversation", whose, at=f"{seeded.middle:%Y-%m-%d}"),
        "conversation, a word": _to("relationship_conversation", whose, q="porcelain"),
        "turn": _to("relationship_trace", turn),
        "what it sees": _to("relationship_preview", whose),
        "what it sees, of a message": _to("relationship_preview", whose, message="Do I like porcelain?"),
        "near misses of a message": _to("relationship_near", whose, message="Do I like porcelain?"),
        "time travel": _to("relationship_time", whose),
        "time travel, half way": _to("relationship_time", whose, step=500),
        "profile": _to("relationship_profile", whose),
        "session state": _to("relationship_session", whose, session="current"),
        "forget": _to("relationship_forget", whose),
        "correct": _to("relationship_correct", whose),
        "data": _to("relationship_data", whose),
        "tokens": _to("relationship_tokens", whose),
        "summaries": _to("relationship_summaries", whose),
    }


def _of_its_work(seeded: Seeded) -> dict[str, str]:
    whose, work = [seeded.relationship_id], seeded.work
    return {
        "a plan to forget": _to("relationship_plan", [*whose, work["plan"]]),
        "context shown before a reply": _to("relationship_kept", [*whose, work["kept"]]),
        "workspace": _to("relationship_workspace", whose),
        "workspace, a file": _to("relationship_file", whose, path=PLAN),
        "workspace, a file's blame": _to("relationship_file", whose, path=PLAN, view="blame"),
        "workspace, its history": _to("relationship_file_history", whose),
        "workspace, a commit": _to("relationship_commit", [*whose, work["commit"]]),
        "workspace, an agent's session": _to("relationship_agent_session", [*whose, work["agent_session"]]),
        "workspace, hot context": _to("relationship_hot_context", whose),
    }


def pages(size: Size, *, calls: int, only: str) -> Section:
    """Of the pages whose name has the word `only`."""
    seeded = fill(size)
    client = Client(HTTP_HOST="localhost")
    client.force_login(seeded.operator)
    _open(client, _to("overview"))
    gc.collect()  # as a web process does
    gc.freeze()
    gc.set_threshold(20_000, 50, 100)
    rows: list[tuple[str, float, float, int]] = []
    all_pages = addresses(seeded)
    left_out = page_names() - {resolve(urlsplit(address).path).url_name for address in all_pages.values()}
    assert not left_out, f"pages that nothing measures: {left_out}"
    for name, address in all_pages.items():
        if only not in name:
            continue
        with statements() as asked:
            _open(client, address)
        (taken,) = time_calls(partial(_open, client, address), times=calls)
        rows.append((name, p50(taken), p95(taken), len(asked)))
    slowest, longest = max(rows, key=itemgetter(2)), max(rows, key=itemgetter(3))
    slow = sum(row[2] > MOST_MILLISECONDS for row in rows)
    return Section(
        "Pages of the admin UI",
        f"{size.relationships:,} relationships with {size.messages:,} messages in {size.messages // 2:,} turns, "
        f"{ENTRIES} entries each, one with {size.entries_of_one:,}; {calls} calls of each page through the "
        "whole of Django, in process. Statements are those of one call, with the sign-in's own two.",
        [
            Figure(f"p95 of the slowest, {slowest[0]}", slowest[2], "ms", goal=Goal(MOST_MILLISECONDS)),
            Figure(f"pages of {len(rows)} above that", slow, goal=Goal(0)),
            Figure(f"statements of {longest[0]}, the most", longest[3], goal=Goal(MOST_STATEMENTS)),
        ],
        headings=("page", "p50, ms", "p95, ms", "statements"),
        rows=[(name, f"{half:.0f}", f"{most:.0f}", str(asked)) for name, half, most, asked in rows],
    )


def _to(name: str, parts: Sequence[object] = (), **query: object) -> str:
    asked = f"?{urlencode(query)}" if query else ""
    return reverse(f"admin_ui:{name}", args=list(parts)) + asked


def _open(client: Client, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 200, f"{address} answered {answer.status_code}"
