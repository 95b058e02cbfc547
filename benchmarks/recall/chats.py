"""Chats of a person with an assistant, the other style: HaluMem's dialogues and its questions.

Its evidence are facts, and each fact is of a session. So what is counted is of how many of a question's sessions a
message is found.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.recall.evidence import CUTS, NOW, make_pair
from benchmarks.report import Figure, Goal, Section
from benchmarks.seed import Line, store_messages
from memory.retrieval.configuration import Retrieval
from memory.retrieval.index.backfill import rebuild_index
from memory.retrieval.search import search_messages
from relationships.models import Relationship

GOAL = 85.0
_HOW = (
    "HaluMem, {people} people, {questions} questions: of each question's sessions, the share of which a message is"
    " found."
)


class Asked(NamedTuple):
    text: str
    sessions: frozenset[str]


class Chat(NamedTuple):
    name: str
    display_name: str
    lines: list[Line]
    questions: list[Asked]


def read_chats(folder: Path) -> list[Chat]:
    """Everyone of the folder; nobody where there is no such folder."""
    files = sorted(folder.glob("*.jsonl"))
    return [_chat(file.stem, json.loads(line)) for file in files for line in file.read_text().splitlines()]


def chats(found: list[Chat], say: Callable[[str], None]) -> Section:
    """As a default installation searches: no embedder, and the language that was found."""
    shares = []
    for chat in found:
        say(f"asking HaluMem: {chat.name}")
        relationship, sessions = _store(chat)
        for asked in chat.questions:
            hits = search_messages(
                text=asked.text,
                project_id=relationship.project_id,
                relationship_id=relationship.id,
                retrieval=Retrieval(),
                top_k=max(CUTS),
                now=NOW,
            ).hits
            there = [sessions[hit.id] for hit in hits]
            shares.append([len(asked.sessions & set(there[:cut])) / len(asked.sessions) for cut in CUTS])
    means = np.array(shares).mean(axis=0) * 100
    how = _HOW.format(people=len(found), questions=len(shares))
    figure = Figure("sessions @10", float(means[0]), "%", goal=Goal(GOAL, at_most=False))
    row = ("best, as installed", *(f"{mean:.1f}" for mean in means))
    return Section(
        "chats", "Sessions found in chats with an assistant", how, [figure], ("", "@10", "@20"), [row]
    )


def _chat(name: str, data: Mapping[str, Any]) -> Chat:
    lines: list[Line] = []
    of_fact: dict[str, str] = {}
    for number, session in enumerate(data["sessions"]):
        of_fact |= {point["memory_content"]: f"session-{number}" for point in session["memory_points"]}
        for line in session["dialogue"]:
            said_at = datetime.strptime(line["timestamp"], "%b %d, %Y, %H:%M:%S").replace(tzinfo=UTC)
            lines.append(Line(f"session-{number}", line["role"], line["content"], said_at))
    return Chat(name, "Maya", lines, list(_questions(data, of_fact)))


def _questions(data: Mapping[str, Any], of_fact: Mapping[str, str]) -> Iterator[Asked]:
    for session in data["sessions"]:
        for question in session.get("questions") or ():
            facts = [fact["memory_content"] for fact in question["evidence"]]
            sessions = frozenset(of_fact[fact] for fact in facts if fact in of_fact)
            if sessions:
                yield Asked(question["question"], sessions)


def _store(chat: Chat) -> tuple[Relationship, dict[Any, str]]:
    relationship = make_pair(
        f"chat-{chat.name}", user=chat.display_name, companion="Ada", retrieval=Retrieval()
    )
    messages = store_messages(relationship, chat.lines)
    rebuild_index(relationship.id)
    return relationship, {message.id: message.session for message in messages}
