"""The two questions of two_call: which facts there are, and what each does to the entries shown."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from memory.providers.base import IngestionMaterial, NumberedFact
from memory.providers.offline.confidence import TO_BE_PLACED, confidence_of
from memory.providers.offline.forgetting import read_forgetting
from memory.providers.offline.notebook import Fact, Line
from memory.providers.offline.reading import Reading
from memory.providers.offline.rules import day_of, read_into_notebook, read_statement
from memory.providers.offline.sentences import read_clauses
from memory.providers.offline.slots import folded
from memory.providers.offline.stems import overlap, words
from memory.providers.offline.unplaced import sentence_again, words_to_place


def extract_facts(material: IngestionMaterial) -> dict[str, Any]:
    """The facts of the messages, without a look at any entry; what has nothing to act on is handed on in words."""
    reading = read_into_notebook(replace(material, entries=()))
    facts = [_fact(line) for line in reading.notebook.changed_lines()]
    for said, message in reading.unplaced:
        facts.append(
            {
                "content": words_to_place(said),
                "type": reading.type_or_other("other"),
                "confidence": TO_BE_PLACED if not said.forgets else 1.0,
                "forget": True,
                "messages": [message],
            }
        )
    return {"facts": facts}


def decide_facts(material: IngestionMaterial) -> dict[str, Any]:
    """Each fact held against the entries: a contradiction takes the entry's place, what says more is merged.

    The messages are read again with the entries in sight, and what becomes of each is put down to the fact that
    says it. A fact that this leaves over (another model's wording) is held against the entries by itself.
    """
    reading = read_into_notebook(material)
    owned: dict[int, list[Line]] = {fact.number: [] for fact in material.facts}
    for line in reading.notebook.changed_lines():
        if fact := _teller(line, material.facts):
            owned[fact.number].append(line)
    for fact in material.facts:
        if not owned[fact.number]:
            owned[fact.number] = _hold_alone(fact, material, reading)
    repeats = {number: line.number for number, line in reading.notebook.repeats if line.number is not None}
    decisions = []
    for fact in material.facts:
        made = [decision for line in owned[fact.number] if (decision := _decision(line, fact)) is not None]
        made.sort(key=_only_ends)  # a fact's first decision says what it is, the others what it ends
        known = {"entry": repeats[fact.number]} if fact.number in repeats and not fact.forget else {}
        decisions += made or [{"fact": fact.number, "op": "NONE", **known, "reason": "nothing new"}]
    return {"decisions": decisions}


def _fact(line: Line) -> dict[str, Any]:
    fact = {
        "content": line.content,
        "type": line.type,
        "confidence": confidence_of(line),
        "importance": line.importance,
        "subject": line.subject,
        "messages": line.messages,
    }
    return {**fact, "happens_at": line.happens_at} if line.happens_at else fact


def _teller(line: Line, facts: Sequence[NumberedFact]) -> NumberedFact | None:
    """The fact of the line's messages that shares most of its words; a wish to forget may name none of them."""
    told = line.words | words(line.before)
    of_its_messages = [fact for fact in facts if set(fact.messages) & set(line.messages)]
    shares = {
        fact.number: overlap(words(fact.content), told) or 0.01 * (fact.forget and line.outcome != "add")
        for fact in of_its_messages
        if not (fact.forget and line.outcome == "add")
    }
    best = max(of_its_messages, key=lambda fact: shares.get(fact.number, 0.0), default=None)
    return best if best and shares.get(best.number) else None


def _hold_alone(fact: NumberedFact, material: IngestionMaterial, reading: Reading) -> list[Line]:
    """What a fact does by itself, in the numbers of facts. The lines that changed by it."""
    before = {id(line) for line in reading.notebook.changed_lines()}
    told = [message for message in material.messages if message.number in fact.messages]
    if told:
        reading.today = day_of(told[-1], material.timezone)
    reading.message = fact.number
    if not fact.forget:
        reading.notebook.keep(Fact(fact.type, fact.content, fact.subject), message=fact.number)
    else:
        for said in read_clauses(sentence_again(fact.content)):
            if not read_forgetting(said, reading, previous=[]):
                read_statement(said, reading)
    return [line for line in reading.notebook.changed_lines() if id(line) not in before]


def _decision(line: Line, fact: NumberedFact) -> dict[str, Any] | None:
    """What became of a line, as the decision of the fact that did it."""
    if line.outcome == "add":
        return None if fact.forget else {"fact": fact.number, "op": "ADD", "content": line.content}
    decision = {"fact": fact.number, "entry": line.number}
    if line.outcome == "delete":
        return {**decision, "op": "DELETE", "content": "", "reason": line.reason}
    if folded(fact.content) == line.folded and not _says_more(line):
        return {**decision, "op": "DELETE", "content": line.content, "reason": "contradicted"}
    return {**decision, "op": "UPDATE", "content": line.content, "reason": "says it anew"}


def _only_ends(decision: dict[str, Any]) -> bool:
    return decision["op"] == "DELETE" and not decision["content"]


def _says_more(line: Line) -> bool:
    """Whether the new text keeps all that the old one told."""
    return words(line.before) < line.words
