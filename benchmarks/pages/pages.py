"""Opens every page of the admin UI as an owner, with the large relationship if the page is about one."""

import gc
from collections.abc import Mapping
from functools import partial
from operator import itemgetter
from urllib.parse import quote, urlsplit

from django.test import Client
from django.urls import resolve, reverse

from benchmarks.pages.seed import ENTRIES, Size, fill
from benchmarks.report import Figure, Goal, Section
from benchmarks.service import statements
from benchmarks.timing import p50, p95, time_calls
from tests.fixtures.page_names import page_names

MOST_MILLISECONDS, MOST_STATEMENTS = 300, 12
# By name in the report: the name of the URL, its arguments, and the query.
PAGES = {
    "overview": "overview",
    "overview, by week": "overview?days=90",
    "overview, by when it was said": "overview?by=said",
    "overview, workers": "status",
    "find": "find?q=77",
    "relationships": "relationships",
    "relationships, page 100": "relationships?page=100",
    "relationships, a rare word": "relationships?text=porcelain",
    "relationships, the beginning of a common word": "relationships?text=likes",
    "relationships, a person": "relationships?person=person 77",
    "relationships, by name": "relationships?order=person",
    "relationships, most entries first": "relationships?order=-entries",
    "relationships, that wait": "relationships?waits=1",
    "companions": "companions",
    "companion": "companion/companion",
    "prompt": "companion_prompt/companion",
    "prompt, turns to replay": "companion_prompt/companion?relationship={relationship}",
    "documents": "companion_documents/companion",
    "document": "companion_document/companion/document",
    "replay": "companion_replay/companion/relationship/replay",
    "playground": "playground",
    "playground, talk": "playground_talk/relationship",
    "turns": "turns",
    "turns, oldest first": "turns?order=received",
    "turns, dearest first": "turns?order=-cost",
    "turns, failed": "turns?state=failed",
    "turns, pending": "turns?state=pending",
    "turns, skipped": "turns?state=skipped",
    "turns, a rare word": "turns?text=porcelain",
    "turns, a word nobody said": "turns?text=zeppelin",
    "turns, by a reason": "turns?reason=provider",
    "API keys": "keys",
    "operators": "operators",
    "audit": "audit",
    "audit, by actor": "audit?order=actor",
    "audit, by a word": "audit?action=changed",
    "behaviours": "companion_behaviours/companion?relationship={relationship}",
    "memory": "relationship/relationship",
    "memory, by type": "relationship/relationship?order=type",
    "memory, a word": "relationship/relationship?text=porcelain",
    "entry": "relationship_entry/relationship/entry",
    "edit an entry": "relationship_edit_entry/relationship/entry",
    "erase an entry": "relationship_erase_entry/relationship/entry",
    "add an entry": "relationship_add_entry/relationship",
    "people and timeline": "relationship_people/relationship",
    "conversation": "relationship_conversation/relationship",
    "conversation, its start": "relationship_conversation/relationship?from=0",
    "conversation, a date": "relationship_conversation/relationship?at={middle}",
    "conversation, a word": "relationship_conversation/relationship?q=porcelain",
    "turn": "relationship_trace/relationship/turn",
    "what it sees": "relationship_preview/relationship",
    "what it sees, of a message": "relationship_preview/relationship?message=Do I like porcelain?",
    "near misses of a message": "relationship_near/relationship?message=Do I like porcelain?",
    "time travel": "relationship_time/relationship",
    "time travel, half way": "relationship_time/relationship?step=500",
    "profile": "relationship_profile/relationship",
    "session state": "relationship_session/relationship?session=current",
    "forget": "relationship_forget/relationship",
    "correct": "relationship_correct/relationship",
    "data": "relationship_data/relationship",
    "tokens": "relationship_tokens/relationship",
    "summaries": "relationship_summaries/relationship",
    "a plan to forget": "relationship_plan/relationship/plan",
    "context shown before a reply": "relationship_kept/relationship/kept",
    "workspace": "relationship_workspace/relationship",
    "workspace, a file": "relationship_file/relationship?path=plan.md",
    "workspace, a file's blame": "relationship_file/relationship?path=plan.md&view=blame",
    "workspace, its history": "relationship_file_history/relationship",
    "workspace, a commit": "relationship_commit/relationship/commit",
    "workspace, an agent's session": "relationship_agent_session/relationship/agent_session",
    "workspace, hot context": "relationship_hot_context/relationship",
}


def pages(size: Size, *, calls: int, only: str) -> Section:
    """`only`: measure only pages whose name contains this."""
    operator, named = fill(size)
    addresses = {name: _address(page, named) for name, page in PAGES.items()}
    left_out = page_names() - {resolve(urlsplit(address).path).url_name for address in addresses.values()}
    assert not left_out, f"pages that nothing measures: {left_out}"
    client = Client(HTTP_HOST="localhost")
    client.force_login(operator)
    _open(client, addresses["overview"])
    gc.collect()  # as a web process does
    gc.freeze()
    gc.set_threshold(20_000, 50, 100)
    rows: list[tuple[str, float, float, int]] = []
    for name, address in addresses.items():
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


def _address(page: str, named: Mapping[str, object]) -> str:
    path, _, query = page.partition("?")
    name, *parts = path.split("/")
    address = reverse(f"admin_ui:{name}", args=[named[part] for part in parts])
    return f"{address}?{quote(query.format(**named), safe='=&')}" if query else address


def _open(client: Client, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 200, f"{address} answered {answer.status_code}"
