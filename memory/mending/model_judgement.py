"""Ask a model which candidates say what a wish is about. It sees numbers, not IDs, by which its answer is checked. The
call is stored as a ModelCall."""

import json
import re
from collections.abc import Collection, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any
from uuid import UUID

from django.utils import timezone

from memory.entries.limits import entry_fault
from memory.errors import UnparsableAnswer
from memory.mending.candidates import Candidate, Scope
from memory.mending.judging import PERHAPS, Judgement, Verdict, pieces
from memory.mending.wishes import Wish
from memory.model_calls import MadeCall, empty, make_call, store_made_calls
from memory.names import is_name
from memory.schema_parts import NUMBERS, TEXT, answer_of, list_of
from memory.words import normal, words_of
from providers.errors import ProviderError
from providers.llm.base import CompletionRequest, LLMProvider
from providers.llm.json_text import extract_json_text
from providers.llm.registry import provider_of
from providers.reported import storable
from relationships.services.configuration import configuration_of
from relationships.services.model_budgets import require_model_budget

Judge = tuple[LLMProvider, str | None]  # a provider, and its model; None: the provider's own
MOST_SHOWN = 120  # candidates, the likeliest first, then the newest entries
LONGEST_SHOWN = 1500  # characters of a message; entries are shown completely, as the answer says what stays
MOST_CHARACTERS = 200_000  # of all that is shown
SYSTEM = "You keep a companion's memory honest. You answer with one JSON object and nothing else."
_PROMPTS = {
    verb: Path(__file__).with_name(f"{verb}.md").read_text() for verb in ("forget", "correct", "heard")
}
SCHEMA: dict[str, Any] = {
    **answer_of(
        says=list_of({"number": {"type": "integer"}, "rest": TEXT, "now": TEXT}, required=["number"]),
        unsure=NUMBERS,
        asks={"type": "boolean"},
    ),
    "required": ["says", "unsure"],
}


def model_of(scope: Scope) -> Judge | None:
    """The companion's model; None if it uses the offline rules."""
    ingestion = configuration_of(scope.relationship).values.ingestion
    provider = provider_of(ingestion.provider)
    return None if provider.kind == "offline" else (provider, ingestion.model)


def ask_model(
    scope: Scope, candidates: Sequence[Candidate], *, verb: str, to: str, who: Judge
) -> tuple[MadeCall, bool]:
    """Judge the candidates in place. Return the call, and whether the model says that the message asks for it. Raises
    ProviderError, UnparsableAnswer, BudgetSpent; the call is still stored, but without its texts if this is to be
    erased, as they say it, too.
    """
    require_model_budget(scope.relationship.project_id)
    provider, model = who
    shown = shown_of(candidates)
    call = make_call(
        provider,
        CompletionRequest(
            system=SYSTEM, prompt=render(scope, shown, verb=verb, to=to), schema=SCHEMA, model=model
        ),
        relationship_id=scope.relationship.id,
        project_id=scope.relationship.project_id,
        purpose=verb,
        turn_ids=[scope.asked_by.turn_id] if scope.asked_by else [],
        reference_message_ids=[scope.asked_by.id] if scope.asked_by else [],
        shown_entry_ids=[one.id for one in shown if one.kind == "entry"],
        shown_message_ids=[one.id for one in shown if one.kind == "message"],
    )
    by_rules = [one.judgement for one in shown]
    try:
        asks = take_answer(call.answer().text, shown, verb=verb)
    except (ProviderError, UnparsableAnswer) as error:
        call.row.error_code, call.row.error = error.code, storable(str(error))[:2000]
        if scope.hidden:
            empty(call.row, now=timezone.now())
        store_made_calls([call], now=timezone.now())
        raise
    if scope.hidden:
        empty(call.row, now=timezone.now())
    if verb == "forget" and any(one.ticked for one in shown):
        _doubt_what_names_it(scope.wish, shown, by_rules)
    return call, asks


def _doubt_what_names_it(wish: Wish, shown: Sequence[Candidate], by_rules: Sequence[Judgement]) -> None:
    """Be unsure of what the model left out, if the wish is only names ("everything about Ralf"), in small letters those
    that entries are about, and the text has all of them; or one, and what it rests on goes. Small models overlook some
    of many texts.
    """
    known = {form for one in shown for word in words_of(one.subject) for form in word.forms}  # "riley"
    if wish.states or wish.may or not wish.must:
        return
    if not all(is_name(word, wish.text) or not known.isdisjoint(word.forms) for word in wish.must):
        return
    gone = {source for one in shown if one.ticked for source in _sources(one)}
    for one, judged in zip(shown, by_rules, strict=True):
        beside = bool(judged.score) and bool(_sources(one)) and gone.issuperset(_sources(one))
        if (judged.verdict == Verdict.SAYS or beside) and one.judgement.verdict == Verdict.NOT:
            one.judgement = Judgement(
                Verdict.PERHAPS, 0.5, judged.sentence, "names it, and the model left it out"
            )


def _sources(one: Candidate) -> Collection[UUID]:
    """The messages that a text rests on, or is."""
    return one.cites if one.kind == "entry" else (one.id,)


def shown_of(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that fit into a prompt, in their own order: those with most of the wish's words, then the most
    similar ones, for which at least a third of the room is reserved, then the newest."""
    likely = sorted(
        range(len(candidates)),
        key=lambda place: (
            -candidates[place].judgement.score,
            candidates[place].kind != "entry",
            -(told.timestamp() if (told := candidates[place].told_at) else 0.0),
        ),
    )
    says = [place for place in likely if candidates[place].judgement.score >= PERHAPS]
    near = {place: one.near for place, one in enumerate(candidates) if one.near is not None}
    order = dict.fromkeys(
        [*says[: MOST_SHOWN * 2 // 3], *sorted(near, key=lambda place: near[place]), *likely]
    )
    first = [*order][:MOST_SHOWN]
    lengths = accumulate(len(_part_shown(candidates[place])) for place in first)
    shown = [place for place, length in zip(first, lengths, strict=True) if length <= MOST_CHARACTERS]
    return [candidates[place] for place in sorted(shown)]


def render(scope: Scope, shown: Sequence[Candidate], *, verb: str, to: str) -> str:
    lines = [
        " ".join(f"[{number}] ({_label(one, scope)}) {_part_shown(one)}".split())
        for number, one in enumerate(shown, start=1)
    ]
    said = " ".join(_around(scope.said, max(0, scope.said.find(scope.wish.text))).split())
    values = {
        "heard": "\n\n" + _PROMPTS["heard"].strip().replace("{{ said }}", said) if said else "",
        "asker": f'The wish is {scope.asker}\'s: "I" in it is {scope.asker}. ' if scope.asker else "",
        "wish": " ".join((scope.wish.text or "what was said last").split()),
        "to": " ".join(to.split()),
        "owner": scope.owners[0] if scope.owners else "the user",
        "lines": "\n".join(lines),
    }
    return re.sub(r"\{\{ (\w+) \}\}", lambda match: values[match[1]], _PROMPTS[verb]).strip()


def _part_shown(one: Candidate) -> str:
    """The text; of a long message, the part around the sentence with most of the wish's words."""
    if one.kind != "message" or len(one.text) <= LONGEST_SHOWN:
        return one.text
    at = 0
    for piece in pieces(one.text):
        if normal(piece).strip() == one.judgement.sentence:
            break
        at += len(piece)
    else:
        at = 0
    return _around(one.text, at)


def _around(text: str, at: int) -> str:
    begins = max(0, min(at - LONGEST_SHOWN // 3, len(text) - LONGEST_SHOWN))
    return text[begins : begins + LONGEST_SHOWN]


def take_answer(text: str, shown: Sequence[Candidate], *, verb: str) -> bool:
    """Tick what the answer names. Numbers that were not shown and edits that change nothing are ignored. Return whether
    it says that the message with the wish asks for something."""
    try:
        answer = json.loads(extract_json_text(text))
        says, unsure = answer["says"], answer.get("unsure") or []
        if not isinstance(says, list) or not isinstance(unsure, list):
            raise TypeError
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        raise UnparsableAnswer(
            'The answer is not a JSON object with the lists "says" and "unsure".'
        ) from None
    for one in shown:
        one.ticked, one.rest = False, one.rest if one.hidden else None
        score = min(one.judgement.score, 0.49)
        one.judgement = Judgement(Verdict.NOT, score, one.judgement.sentence or one.text[:300])
    for number in unsure:
        if (found := _numbered(number, shown)) is not None:
            sentence = found.judgement.sentence
            found.judgement = Judgement(Verdict.PERHAPS, 0.5, sentence, "the model is not sure")
    for item in says:
        found = _numbered(item.get("number") if isinstance(item, dict) else item, shown)
        if found is None:
            continue
        parted = isinstance(item, dict) and found.kind == "entry" and not found.hidden
        edit = item.get("now" if verb == "correct" else "rest") if parted else None
        if isinstance(edit, str) and edit.strip() not in ("", found.text):
            found.rest = None if entry_fault(edit.strip()) else edit.strip()
        found.ticked = not found.fixed and (verb == "forget" or found.rest is not None)
        found.judgement = Judgement(Verdict.SAYS, 1.0, found.judgement.sentence, "")
    return answer.get("asks") is True


def _numbered(number: object, shown: Sequence[Candidate]) -> Candidate | None:
    known = isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= len(shown)
    return shown[number - 1] if known else None  # type: ignore[operator]


def _label(one: Candidate, scope: Scope) -> str:
    if one.kind == "entry":
        about = f"entry, about {one.subject}" if one.subject else "entry"
        return f"{about}, {one.place}" if one.place else about
    if one.place:
        return f"{one.kind} {one.place}"
    if one.role == "user" and (other := scope.other(one.speaker)):
        return f"said by {' '.join(other.split())}"
    return {"user": "said by the person", "assistant": "said by the companion"}.get(one.role, one.kind)
