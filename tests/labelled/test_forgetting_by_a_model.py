"""Every wish that asks for something, judged by recorded answers of a strong model: it was shown the prompts that are rendered here,
never what a case expects, and forgetting_answers.json keeps what it said to each, under the SHA-256 of the prompt's numbered texts and
wish. A fresh wish is reported by the reading, in words that are understood by themselves."""

import hashlib
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from providers.llm.base import CompletionRequest
from relationships.models import Companion
from tests.acceptance.drills.talk import scaled
from tests.fakes import ScriptedProvider
from tests.labelled.forgetting import Outcome
from tests.labelled.forgetting_cases import Case, cases, fresh_cases
from tests.labelled.test_forgetting import WAYS, outcome_of

FILE = Path(__file__).with_name("forgetting_answers.json")
LEAST_GONE = 0.94


def asking_cases() -> list[Case]:
    """Those made from tables and the fresh ones."""
    fresh = [*fresh_cases(), *fresh_cases("SECOND")]
    return [*cases(), *(case for case in fresh if case.what)]


def shown(prompt: str) -> str:
    """What of a prompt an answer rests on: the wish and the numbered texts."""
    lines = prompt.splitlines()
    return "\n".join(line for line in lines if line.startswith(("WISH:", "[")))


def key_of(prompt: str) -> str:
    return hashlib.sha256(shown(prompt).encode()).hexdigest()[:16]


@pytest.mark.parametrize("way", WAYS)
def test_a_strong_model_reaches_what_rules_do_not(
    companion: Companion, scripted_provider: ScriptedProvider, way: str
) -> None:
    recorded: dict[str, Any] = json.loads(FILE.read_text())
    missing: dict[str, str] = {}

    def reply(request: CompletionRequest) -> Any:
        key = key_of(request.prompt)
        if key not in recorded:
            missing[key] = shown(request.prompt)
        return recorded.get(key, {"says": [], "unsure": []})

    scripted_provider.wishes_answer = reply
    by_kind: dict[str, list[tuple[Case, Outcome]]] = defaultdict(list)
    scripted_provider.otherwise = {"operations": [], "wishes": []}
    place = list(WAYS).index(way)
    # Every other one, one way each; in the long form all, both ways.
    for case in asking_cases()[scaled(2 * place, 0) :: scaled(2 * len(WAYS), 1)]:
        if case.what and way == "conversation":
            wishes = [{"kind": "forget", "what": case.what, "messages": [1]}]
            scripted_provider.answer_with({"operations": [], "wishes": wishes})
        by_kind[case.kind].append((case, outcome_of(companion, case, WAYS[way])))
    assert scripted_provider.unused == 0
    assert not missing, "Show these to the model:\n" + json.dumps(missing, ensure_ascii=False, indent=1)
    print(f"\nrecorded answers, {way}: cases, gone, survived")
    for kind, found in by_kind.items():
        gone, kept = (sum(not told for told in part) for part in zip(*(one for _, one in found), strict=True))
        print(f"{kind:12} {len(found):3} {gone / len(found):6.0%} {kept / len(found):6.0%}")
    every = [pair for found in by_kind.values() for pair in found]
    assert [(case.name, one.lost) for case, one in every if one.lost] == []
    assert sum(not one.left for _, one in every) / len(every) >= LEAST_GONE
