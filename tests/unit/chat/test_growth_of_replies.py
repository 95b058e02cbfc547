"""A reply is put together in time that grows with it, in however many parts it comes."""

from collections.abc import Iterator
from typing import Any

from pytest_django.fixtures import Settings

from chat.calls import Call
from chat.replies import Question, Reply
from providers.llm.base import CompletionRequest
from providers.llm.chat import CallPart, ChatPart, ChatRequest
from providers.llm.openai_chat import lines_of
from providers.llm.registry import reset_providers
from relationships.configuration.cascade import resolve_configuration
from relationships.models import Relationship
from tests.fakes import ScriptedProvider
from tests.fixtures.api import TESTER
from tests.growth import MOST, growth


class Caller(ScriptedProvider):
    """Calls as many tools of the client as it was told."""

    def stream(self, request: ChatRequest) -> Iterator[ChatPart]:
        for number in range(request.options["calls"]):
            yield ChatPart(calls=(CallPart(number, "", "", "{}", None),))
        done = self._completion(CompletionRequest(system="", prompt="", schema=None), "")
        yield ChatPart(finish="tool_calls", completion=done)


def test_many_calls_of_one_reply_are_numbered_in_time_that_grows_with_them(
    relationship: Relationship, settings: Settings
) -> None:
    settings.LLM_PROVIDERS = {"caller": {"BACKEND": f"{__name__}.Caller", "OPTIONS": {}}}
    settings.DEFAULT_LLM_PROVIDER = "caller"
    reset_providers()

    def numbers(calls: int) -> list[int]:
        asked: Any = {"session": "", "messages": [], "new": [], "context": None, "now": None}
        values = resolve_configuration().values
        question = Question(
            relationship, values, **asked, by=TESTER, remembered=False, options={"calls": calls}
        )
        return [call.index for part in Reply(question, run=None).parts() for call in part.calls]  # type: ignore[arg-type]

    assert numbers(3) == [0, 1, 2]
    assert growth(numbers, lambda size: size, size=6000) < MOST
    reset_providers()


def test_the_arguments_of_a_call_are_put_together_in_time_that_grows_with_them() -> None:
    def arguments(length: int) -> str:
        call = Call()
        for _ in range(length):
            call.add(CallPart(0, "", "", "a", None))
        return call.arguments

    assert arguments(3) == "aaa"
    assert growth(arguments, lambda size: size, size=100_000) < MOST


def test_a_line_of_a_stream_is_put_together_in_time_that_grows_with_it() -> None:
    assert [*lines_of([b"a\nb", b"", b"c\n\n", b"d\xc3", b"\xa9"])] == ["a", "bc", "", "dé"]
    assert growth(lambda parts: [*lines_of(parts)], lambda size: [b"a"] * size, size=20_000) < MOST
