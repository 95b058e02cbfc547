"""Make a prompt from an input: numbered entries and numbered messages, each beginning with a line of ours."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from memory.entries.happens import PASSED, day_of, plan_is_over
from memory.entries.words import tells_whom
from memory.ingestion.ingestion_input import IngestionInput, InputMessage, ShownEntry
from memory.ingestion.strategies.vocabulary import type_among
from memory.ingestion.templates import render_instructions, shipped
from memory.models import USER_SUBJECT, Tier
from memory.schema_parts import NUMBERS, TEXT, TEXT_OR_NULL, WISHES, answer_of, list_of
from providers.llm.base import (
    CompletionRequest,
    KnownKey,
    NumberedEntry,
    NumberedFact,
    NumberedMessage,
    PromptData,
    Task,
    ToolSpec,
)
from relationships.models import MessageRole

_LINE_BREAKS = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


# What a provider that answers by rules is told about an entry, besides its number.
_SHARED = [field.name for field in fields(NumberedEntry) if field.name != "number"]


@dataclass(frozen=True, slots=True)
class Question:
    """What a strategy asks about an input.

    `answer_format` is a file in prompts/ that says how to answer; `closing` is the prompt's last line. `guided`: the
    companion's ingestion prompt says what to keep. `likely`: only those entries are shown that may be related to the
    messages. `model` None: the configuration's.
    """

    task: Task
    answer_format: str
    closing: str
    schema: dict[str, Any] | None
    tool: ToolSpec | None = None
    model: str | None = None
    guided: bool = True
    likely: bool = True
    shows_types: bool = True
    shows_messages: bool = True
    facts: tuple[NumberedFact, ...] = ()
    keys: tuple[KnownKey, ...] = ()
    variables: Mapping[str, Any] = field(default_factory=dict)  # of `answer_format`


# The JSON Schema of an answer, for providers that can hold a model to one.
# Deliberately flat, in the subset that all vendors support. Each operation is checked by itself afterwards
# (memory.ingestion.operations), so a model that is not held to the schema is understood just as well.
def answer_schema(types: Sequence[str]) -> dict[str, Any]:
    return answer_of(
        operations=list_of(
            {
                "op": {"type": "string", "enum": ["add", "update", "replace", "delete"]},
                "entry": {"type": "integer", "description": "number of the shown entry it changes"},
                "type": {"type": "string", "enum": list(types)} if types else TEXT,
                "content": TEXT,
                "subject": TEXT,
                "key": TEXT,
                "importance": {"type": "number"},
                "happens_at": TEXT_OR_NULL,
                "expires_at": TEXT_OR_NULL,
                "untrue": {"type": "boolean", "description": "of a delete: it was never true"},
                "reason": TEXT,
                "messages": NUMBERS,
            },
            required=["op", "messages"],
        ),
        wishes=WISHES,
    )


OPERATIONS = Question(
    "operations", "answer_format.md", "The operations, as JSON:", answer_schema(()), likely=False
)
PAUSE = timedelta(minutes=30)  # after a longer pause, messages get a new heading
LONGEST_EARLIER = (
    1200  # characters of an earlier message: of a longer one, its beginning and its end are shown
)


def build_request(given: IngestionInput, question: Question = OPERATIONS) -> CompletionRequest:
    """The request for one batch. Raises InvalidTemplate if the published prompt can't be rendered after all."""
    names = {"user": one_line(given.user_name), "companion": one_line(given.companion_name)}
    kept = given.ingestion.about_companion
    answer_format = shipped(question.answer_format).render(
        **names,
        about_companion=shipped("about_companion.md").render(**names, kept=kept),
        type_like=lambda wanted: type_among(wanted, given.ingestion.type_names)[0],
        single_valued=", ".join(given.ingestion.single_valued) or "any name",
        **question.variables,
    )
    system = answer_format.strip()
    if question.shows_messages:
        reported = all(message.role == MessageRole.TOOL for message in given.messages)
        beside = shipped("reported.md" if reported else "wishes.md")
        system += "\n\n" + beside.render(**names, others=given.other_speakers)
    if question.guided:
        system += "\n\n" + render_instructions(given.instructions.template, _instruction_variables(given))
    return CompletionRequest(
        system=system,
        prompt=shipped("prompt_data.md").render(**_data_variables(given, question)).strip(),
        schema=question.schema,
        tool=question.tool,
        prompt_data=_prompt_data(given, question),
        model=question.model or given.ingestion.model,
        max_output_tokens=given.ingestion.max_output_tokens,
    )


def one_line(text: str) -> str:
    """Write a name or an entry on one line, so that it can't begin a line of its own."""
    return " ".join(_LINE_BREAKS.sub(" ", text).split())


def indented(text: str) -> str:
    """Indent the lines of a message, so that none looks like one of ours, which begin at the margin."""
    return _LINE_BREAKS.sub("\n    ", text.strip())


def ends_of(text: str, longest: int) -> str:
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half].rstrip()} […] {text[-half:].lstrip()}"


def capacity_note(given: IngestionInput) -> str:
    """What the model is told if the list is close to its soft budget; "" if it isn't."""
    if not given.nears_budget:
        return ""
    share = round(100 * given.entry_tokens / given.ingestion.soft_budget)
    return (
        f"The entries take {share}% of the room they have. Where entries say parts of one thing, update each of them "
        'to one text that says it all in few words; "messages": [] where no new message adds to it. Add only what '
        "matters."
    )


def _instruction_variables(given: IngestionInput) -> dict[str, Any]:
    return {
        "user": one_line(given.user_name),
        "companion": one_line(given.companion_name),
        "today": last_said_at(given).astimezone(ZoneInfo(given.timezone)).date().isoformat(),
        "timezone": given.timezone,
        "types": [entry_type.model_dump() for entry_type in given.ingestion.types],
        "session": one_line(given.turns[-1].session),
        "entry_count": len(given.entries),
    }


def _data_variables(given: IngestionInput, question: Question) -> dict[str, Any]:
    """What the template shows, without what is empty or False."""
    earlier, new = (given.references, given.messages) if question.shows_messages else ((), ())
    return {
        "types": given.ingestion.types if question.shows_types else (),
        "entries": [
            _entry_line(number, entry, given, likely=question.likely)
            for number, entry in enumerate(given.entries, start=1)
        ],
        "likely": question.likely,
        "hidden_entries": 0 if question.likely else given.hidden_entries,
        "capacity_note": "" if question.likely else capacity_note(given),
        "references": _numbered_lines(earlier, given, above=given.earlier_above),
        "messages": _numbered_lines(new, given),
        "facts": [_fact_line(fact, given) for fact in question.facts],
        "timezone": given.timezone,
        "closing": question.closing,
    }


def _entry_line(number: int, entry: ShownEntry, given: IngestionInput, *, likely: bool) -> dict[str, Any]:
    names_subject = entry.subject == USER_SUBJECT or tells_whom(entry.content, entry.subject)
    return {
        "number": number,
        "type": entry.type,
        "subject": "" if names_subject else one_line(entry.subject),
        "told": day_of(entry.effective_at.timestamp(), given.timezone),
        "happens_at": entry.happens_at or "",
        "expires_at": day_of(entry.expires_at.timestamp(), given.timezone) if entry.expires_at else "",
        "passed": PASSED if is_past_plan(entry, given) else "",
        "key": one_line(entry.key) if likely and entry.key else "",
        "read_only": entry.read_only,
        "archived": not likely and entry.tier == Tier.ARCHIVE,
        "content": one_line(entry.content),
    }


def _fact_line(fact: NumberedFact, given: IngestionInput) -> dict[str, Any]:
    said = [given.messages[number - 1].occurred_at.timestamp() for number in fact.messages]
    return {
        "number": fact.number,
        "type": fact.type,
        "subject": "" if fact.subject == USER_SUBJECT else one_line(fact.subject),
        "told": day_of(max(said), given.timezone) if said else "",
        "happens_at": fact.happens_at or "",
        "forget": fact.forget,
        "content": one_line(fact.content),
    }


def is_past_plan(entry: ShownEntry, given: IngestionInput) -> bool:
    """Return whether it is a plan that was over at the time of the messages, whenever they are read."""
    if not entry.happens_at:
        return False
    now, told_at = last_said_at(given), entry.effective_at
    return plan_is_over(
        entry.happens_at, said=entry.content, told_at=told_at, now=now, timezone=given.timezone
    )


def last_said_at(given: IngestionInput) -> datetime:
    return given.messages[-1].occurred_at if given.messages else given.turns[-1].occurred_at


def _numbered_lines(
    messages: Sequence[InputMessage], given: IngestionInput, *, above: int = 0
) -> list[dict[str, Any]]:
    """The messages with their numbers, and headings where a session or a day begins, or after a pause."""
    zone = ZoneInfo(given.timezone)
    lines: list[dict[str, Any]] = []
    earlier: InputMessage | None = None
    for number, message in enumerate(messages, start=above + 1):
        local = message.occurred_at.astimezone(zone)
        begins = earlier is None or _is_apart(earlier, message, zone)
        said = ends_of(message.content, LONGEST_EARLIER) if above else message.content
        line = {
            "number": number,
            "heading": f"{local:%A}, {local.date().isoformat()}, {local:%H:%M}" if begins else "",
            "speaker": one_line(message.speaker),
            "role": message.role,
            "content": indented(said),
        }
        lines.append(line)
        earlier = message
    return lines


def _is_apart(earlier: InputMessage, later: InputMessage, zone: ZoneInfo) -> bool:
    pause = later.occurred_at - earlier.occurred_at
    if later.session != earlier.session or not timedelta(0) <= pause <= PAUSE:
        return True
    return later.occurred_at.astimezone(zone).date() != earlier.occurred_at.astimezone(zone).date()


def _prompt_data(given: IngestionInput, question: Question) -> PromptData:
    return PromptData(
        entries=tuple(
            NumberedEntry(number, **{name: getattr(entry, name) for name in _SHARED})
            for number, entry in enumerate(given.entries, start=1)
        ),
        messages=tuple(
            NumberedMessage(number, message.role, message.speaker, message.content, message.occurred_at)
            for number, message in enumerate(given.messages, start=1)
        ),
        timezone=given.timezone,
        types=given.ingestion.type_names,
        user_name=given.user_name,
        task=question.task,
        facts=question.facts,
        keys=question.keys,
        earlier=tuple(line.content for line in given.references if line.role == "user"),
    )
