"""An entry that was forgotten, or a part of it, comes back by no way round."""

from django.utils import timezone

from providers.llm.base import CompletionRequest
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.turns import Conversation
from tests.integration.mending.entry_lists import told_at
from tests.integration.mending.test_forget import number_of


def test_what_was_forgotten_comes_back_with_no_checkpoint_and_is_read_as_hidden_alone(
    api: Api, at: str, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    (whole, parted, _) = conversation.remember("Drives a Volvo", "Has a cat and a Volvo", "Plays chess")
    at_first = told_at(timezone.now())
    checkpoint = api.post(f"{at}/checkpoints", {"name": "before"}).body["id"]

    def says(request: CompletionRequest) -> dict[str, object]:
        one, both = (number_of(text, request.prompt) for text in ("Drives a Volvo", "Has a cat and a Volvo"))
        return {"says": [{"number": one}, {"number": both, "rest": "Has a cat"}], "unsure": []}

    scripted_provider.wishes_answer = says
    api.post(f"{at}/forget", {"what": "my Volvo"})
    for entry in conversation.entries:
        api.patch(f"{at}/entries/{entry.id}", {"content": f"{entry.content} now"})

    restored = api.post(f"{at}/checkpoints/{checkpoint}/restore", {"memory": True})

    assert restored.body["entries"] == 1
    assert set(conversation.contents) == {"Has a cat now", "Plays chess"}
    alone = [f"entries/{entry.id}" for entry in (whole, parted)]
    past = [f"entries?state=any&known_at={at_first}"]
    assert not any("Volvo" in api.get(f"{at}/{path}").raw.decode() for path in [*alone, *past])
    with_hidden = [f"entries/{whole.id}?hidden=true", "entries?state=deleted&hidden=true"]
    with_hidden += [f"{past[0]}&hidden=true"]
    told = [api.get(f"{at}/{path}").raw.decode().count("Volvo") for path in with_hidden]
    assert told == [1, 1, 2]
