"""Reads the public sets: LoCoMo's conversations and questions (Maharana et al. 2024); HaluMem's chats with an
assistant, questions about them, and labelled updates, each a new fact with those it replaces.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

UNANSWERABLE = 5  # a category of questions without evidence
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
_TURN = re.compile(r"D:?(\d+):(\d+)")
# "[Recorded on Oct 04, 2025][Location] ...": labels of the set
_LABELS = re.compile(r"^(?:\[[A-Z][^\]]*\])+\s*")


@dataclass(frozen=True, slots=True)
class Said:
    """A message. `content` includes the description of a picture, as `import_conversation` writes it."""

    id: str
    session: str
    speaker: str
    content: str
    said_at: datetime


@dataclass(frozen=True, slots=True)
class Question:
    """`evidence`: what answers it, never empty: IDs of LoCoMo's turns, or names of HaluMem's sessions."""

    text: str
    evidence: frozenset[str]
    category: int = 0


@dataclass(frozen=True, slots=True)
class Talk:
    name: str
    speakers: tuple[str, str]
    turns: tuple[Said, ...]
    questions: tuple[Question, ...]


def read_talks(folder: Path) -> list[Talk]:
    """The conversations in a folder, in order of their names; [] without the folder."""
    return [_talk(file.stem, json.loads(file.read_text())) for file in sorted(folder.glob("*.json"))]


def _talk(name: str, data: Mapping[str, Any]) -> Talk:
    conversation = data["conversation"]
    turns = tuple(_turns(conversation))
    known = {turn.id for turn in turns}
    questions = (
        Question(question["question"], _evidence(question) & known, question["category"])
        for question in data["qa"]
        if question["category"] != UNANSWERABLE
    )
    speakers = conversation["speaker_a"], conversation["speaker_b"]
    return Talk(name, speakers, turns, tuple(question for question in questions if question.evidence))


def _turns(conversation: Mapping[str, Any]) -> Iterator[Said]:
    sessions = (re.fullmatch(r"session_(\d+)", name) for name in conversation)
    for number in sorted(int(match[1]) for match in sessions if match):
        said_at = _moment(conversation[f"session_{number}_date_time"])
        for turn in conversation[f"session_{number}"]:
            yield Said(turn["dia_id"], f"session-{number}", turn["speaker"], _content(turn), said_at)


def _content(turn: Mapping[str, str]) -> str:
    caption = (turn.get("blip_caption") or "").strip()
    shared = f"[shares a picture: {caption}]" if caption else ""
    return f"{(turn.get('text') or '').strip()} {shared}".strip()


def _moment(text: str) -> datetime:
    return datetime.strptime(text.strip(), "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)


def _evidence(question: Mapping[str, Any]) -> frozenset[str]:
    """IDs of turns. In the set, some strings contain several, and some have an extra colon."""
    found = (match for text in question["evidence"] for match in _TURN.finditer(text))
    return frozenset(f"D{int(match[1])}:{int(match[2])}" for match in found)


@dataclass(frozen=True, slots=True)
class Fact:
    """`replaces`: texts that it makes untrue; empty if it is only new."""

    text: str
    replaces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Person:
    """`sessions`: the facts that each session tells."""

    name: str
    display_name: str
    sessions: tuple[tuple[Fact, ...], ...]
    messages: tuple[Said, ...]
    questions: tuple[Question, ...]


def read_people(folder: Path) -> list[Person]:
    """The people in a folder; [] without the folder."""
    return [
        _person(file.stem, json.loads(line))
        for file in sorted(folder.glob("*.jsonl"))
        for line in file.read_text().splitlines()
    ]


def _person(name: str, data: Mapping[str, Any]) -> Person:
    match = re.search(r"Name: ([^;]+);", data["persona_info"])
    sessions = {f"session-{number}": session for number, session in enumerate(data["sessions"])}
    told_in = {
        point["memory_content"]: of for of, session in sessions.items() for point in session["memory_points"]
    }
    asked = [question for session in sessions.values() for question in session.get("questions") or ()]
    evidence = [
        frozenset(
            told_in[fact["memory_content"]] for fact in one["evidence"] if fact["memory_content"] in told_in
        )
        for one in asked
    ]
    return Person(
        name,
        match[1].strip() if match else "",
        tuple(tuple(map(_fact, session["memory_points"])) for session in sessions.values()),
        tuple(_line(of, line) for of, session in sessions.items() for line in session["dialogue"]),
        tuple(Question(one["question"], of) for one, of in zip(asked, evidence, strict=True) if of),
    )


def _line(session: str, line: Mapping[str, str]) -> Said:
    said_at = datetime.strptime(line["timestamp"], "%b %d, %Y, %H:%M:%S").replace(tzinfo=UTC)
    return Said("", session, line["role"], line["content"], said_at)


def _fact(point: Mapping[str, Any]) -> Fact:
    replaced = point["original_memories"] if point["is_update"] == "True" else []
    return Fact(_said(point["memory_content"]), tuple(dict.fromkeys(map(_said, replaced))))


def _said(text: str) -> str:
    return _LABELS.sub("", text.strip())
