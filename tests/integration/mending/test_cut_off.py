"""What a model took to judge a wish counts towards the project's day, also where its answer is of no use."""

from typing import NoReturn

from memory.models import ModelCall
from providers.errors import AnswerTruncated
from providers.llm.base import Completion, CompletionRequest
from relationships.services.model_budgets import model_budget_of
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.turns import Conversation
from tests.integration.mending.test_forget import at

__all__ = ["at"]

CUT = Completion(
    text='{"says": [',
    provider="scripted",
    model="scripted-1",
    prompt_tokens=700,
    output_tokens=300,
    cached_tokens=0,
    milliseconds=0.1,
    cost=None,
    finish_reason="length",
)


def test_an_answer_that_was_cut_off_is_kept_and_counted(
    api: Api, at: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    def cut_off(request: CompletionRequest) -> NoReturn:
        raise AnswerTruncated("It was cut off.", completion=CUT)

    conversation.remember("Has a tame walrus")
    scripted_provider.wishes_answer = cut_off

    refused = api.post(f"{at}/forget", {"what": "the walrus"})

    assert refused.status == 502
    call = ModelCall.objects.get(purpose="forget")
    assert (call.error_code, call.answer, call.output_tokens) == ("answer_truncated", CUT.text, 300)
    assert model_budget_of(conversation.relationship.project_id).tokens == 1000
