"""What nobody expects a provider to say: what can be kept is kept, and no turn hangs on the rest."""

from typing import Any

import pytest

from memory.models import ModelCall
from providers.errors import ContentBlocked, ProviderError, RateLimited
from providers.llm.base import Completion
from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation


def completion(**odd: Any) -> Completion:
    usual: dict[str, Any] = {
        "text": '{"operations": [{"op": "add", "type": "other", "content": "Likes tea", "messages": [1]}]}',
        "provider": "scripted",
        "model": "scripted-1",
        "prompt_tokens": 100,
        "output_tokens": 20,
        "cached_tokens": 0,
        "cost": None,
    }
    return Completion(**{**usual, **odd})


@pytest.mark.parametrize("error", [ContentBlocked, RateLimited], ids=["for good", "for now"])
def test_an_error_with_characters_nobody_can_keep_is_kept_without_them(
    conversation: Conversation, scripted_provider: ScriptedProvider, error: type[ProviderError]
) -> None:
    scripted_provider.answer_with(error("bad \x00 bytes \ud800 here"))

    turn = conversation.hear("I like tea.")

    assert turn.error_code == error.code
    assert turn.error.startswith("bad � bytes ? here")
    assert ModelCall.objects.get().error.startswith("bad � bytes ? here")


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ({"model": "m" * 300}, {"model": "m" * 120}),
        ({"model": "m\x00\ud800"}, {"model": "m�?"}),
        ({"prompt_tokens": -1, "output_tokens": 10**12}, {"prompt_tokens": None, "output_tokens": None}),
    ],
    ids=["long name", "odd name", "odd counts"],
)
def test_what_a_server_says_of_itself_never_costs_the_answer(
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    said: dict[str, Any],
    kept: dict[str, Any],
) -> None:
    scripted_provider.answer_with(completion(**said))

    turn = conversation.hear("I like tea.")

    assert (turn.state, conversation.contents) == ("applied", ["Likes tea"])
    call = ModelCall.objects.get()
    assert {name: getattr(call, name) for name in kept} == kept
    assert conversation.revisions[0].model == call.model
