from typing import Any

import pytest
from pydantic import ValidationError

from providers.errors import (
    AnswerTruncated,
    ContentBlocked,
    EmptyAnswer,
    ProviderUnavailable,
)
from providers.llm.openai_envelope import Envelope


def envelope(finish: str | None = "stop", **message: Any) -> Envelope:
    return Envelope.model_validate({"choices": [{"message": message, "finish_reason": finish}]})


def test_the_text_is_the_content_and_thoughts_only_stand_in_for_it() -> None:
    both = envelope(content="yes", reasoning_content="hm")
    thoughts = envelope(content="", reasoning="hm")

    assert both.text(reasoning_may_answer=True) == "yes"
    assert thoughts.text(reasoning_may_answer=True) == "hm"
    assert thoughts.text(reasoning_may_answer=False) == ""


def test_content_in_parts_is_joined() -> None:
    parts = envelope(content=[{"type": "text", "text": "a"}, {"type": "x", "text": None}, {"text": "b"}])

    assert parts.text(reasoning_may_answer=False) == "ab"


PROBLEMS: dict[str, tuple[Envelope, type[Exception] | None]] = {
    "fine": (envelope(content="{}"), None),
    "no finish reason": (envelope(None, content="{}"), None),
    "refusal": (envelope(refusal="no"), ContentBlocked),
    "filtered": (envelope("content_filter"), ContentBlocked),
    "cut off": (envelope("length", content="{"), AnswerTruncated),
    "no text": (envelope(content=None), EmptyAnswer),
    "thoughts without end": (envelope(content="<think>and"), EmptyAnswer),
    "no choices": (Envelope(choices=[]), EmptyAnswer),
    "choices null": (Envelope.model_validate({"choices": None, "usage": None}), EmptyAnswer),
    "an error in a 200": (Envelope(error={"message": "upstream"}), ProviderUnavailable),
}


@pytest.mark.parametrize(("answer", "kind"), PROBLEMS.values(), ids=PROBLEMS)
def test_what_is_wrong_with_an_answer_is_found(answer: Envelope, kind: type[Exception] | None) -> None:
    problem = answer.problem(answer.text(reasoning_may_answer=True), quote=str)

    assert (type(problem) if problem else None) is kind


def test_the_finish_reason_says_blocked_where_the_answer_was() -> None:
    refused = envelope(refusal="no")

    assert refused.finish_reason(refused.problem("", quote=str)) == "blocked"
    assert envelope("length").finish_reason(None) == "length"
    assert Envelope().finish_reason(None) == "none"


@pytest.mark.parametrize(
    "body", [{"choices": 5}, {"choices": [{}]}, {"usage": {"prompt_tokens": "many"}}, [], None]
)
def test_another_shape_is_no_answer(body: Any) -> None:
    with pytest.raises(ValidationError):
        Envelope.model_validate(body)


def test_the_calls_are_their_arguments_as_they_came() -> None:
    called = envelope(
        "tool_calls",
        tool_calls=[{"function": {"arguments": "{"}}, {"function": {"arguments": None}}, {"type": "custom"}],
    )

    assert called.calls() == ["{", ""]
    assert called.finish_reason(None) == "stop"
    assert Envelope(choices=[]).calls() == envelope(content="yes").calls() == []
