"""The two questions of two_call: which facts there are, and what each does to the entries shown."""

from dataclasses import replace
from typing import Any

from memory.providers.base import IngestionMaterial, NumberedFact
from memory.providers.offline.confidence import TO_BE_PLACED, confidence_of
from memory.providers.offline.forgetting import read_forgetting
from memory.providers.offline.notebook import Fact, Line
from memory.providers.offline.reading import Reading
from memory.providers.offline.rules import begin_reading, day_of, read_into_notebook, read_statement
from memory.providers.offline.sentences import read_clauses
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
    """Each fact held against the entries: a contradiction takes the entry's place, what says more is merged."""
    reading = begin_reading(material)
    for fact in material.facts:
        _take(fact, material, reading)
    facts = {fact.number: fact for fact in material.facts}
    decisions = [
        decision
        for line in reading.notebook.changed_lines()
        if (decision := _decision(line, facts)) is not None
    ]
    decided = {decision["fact"] for decision in decisions}
    repeats = {number: line.number for number, line in reading.notebook.repeats if line.number is not None}
    for number in facts:
        if number not in decided:
            shown = {"entry": repeats[number]} if number in repeats else {}
            decisions.append({"fact": number, "op": "NONE", **shown, "reason": "nothing new"})
    return {"decisions": sorted(decisions, key=lambda decision: decision["fact"])}


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


def _take(fact: NumberedFact, material: IngestionMaterial, reading: Reading) -> None:
    """Write the fact into the notebook, its own number as the message it rests on."""
    sent = [message for message in material.messages if message.number in fact.messages]
    if sent or material.messages:
        reading.today = day_of((sent or list(material.messages))[-1], material.timezone)
    reading.message = fact.number
    if not fact.forget:
        reading.notebook.keep(Fact(fact.type, fact.content, fact.subject), message=fact.number)
        return
    for said in read_clauses(sentence_again(fact.content)):
        if not read_forgetting(said, reading, previous=[]):
            read_statement(said, reading)


def _decision(line: Line, facts: dict[int, NumberedFact]) -> dict[str, Any] | None:
    """What became of a line, as the decision of the last fact that touched it."""
    fact = facts[line.messages[-1]]
    if line.outcome == "add":
        return None if fact.forget else {"fact": fact.number, "op": "ADD", "content": line.content}
    decision = {"fact": fact.number, "entry": line.number}
    if line.outcome == "delete":
        return {**decision, "op": "DELETE", "content": "", "reason": line.reason}
    if fact.forget or _says_more(line):
        return {**decision, "op": "UPDATE", "content": line.content, "reason": "says it anew"}
    return {**decision, "op": "DELETE", "content": line.content, "reason": "contradicted"}


def _says_more(line: Line) -> bool:
    """Whether the new text keeps all that the old one told."""
    return Line(None, line.type, line.subject, line.before, None).words <= line.words
