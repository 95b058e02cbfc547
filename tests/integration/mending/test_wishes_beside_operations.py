"""A wish to forget an entry, and an operation of the same answer on that entry: what should go goes, with its history,
and what else was said is kept.
"""

from datetime import timedelta
from typing import Any

import pytest

from memory.models import ScratchpadEntry
from relationships.models import Message
from tests.fakes import ScriptedProvider
from tests.fixtures.api import Api
from tests.fixtures.people import MORNING
from tests.fixtures.turns import Conversation, add, answer
from tests.integration.mending.test_forget import number_of

HOME, HOME_AND_CAT = "Lives in Klosterneuburg", "Lives in Klosterneuburg since 2026-05-04 and has a cat"
CAT: dict[str, Any] = {"rest": "Has a cat"}


def change(op: str, content: str, **more: Any) -> dict[str, Any]:
    return {"op": op, "entry": 1, "content": content, "messages": [1], **more}


@pytest.mark.parametrize(
    ("known", "operation", "kept"),
    [
        (HOME, change("update", "Lives in Klosterneuburg near Vienna"), set()),
        (HOME, change("update", "Has a dog named Rex"), {"Has a dog named Rex"}),
        (HOME, change("replace", "Lives in Graz"), {"Lives in Graz"}),
        (HOME, change("replace", "Lives near Klosterneuburg now"), set()),
        (HOME_AND_CAT, change("update", "Has a cat"), {"Has a cat"}),
        (HOME_AND_CAT, change("update", "Has a cat named Rex"), {"Has a cat", "Has a cat named Rex"}),
        (HOME_AND_CAT, change("update", "Since 2026-05 has a cat"), {"Has a cat"}),
        (HOME_AND_CAT, change("update", "Has 5 cats"), {"Has a cat", "Has 5 cats"}),
        (HOME_AND_CAT, change("update", "Has a house in Graz"), {"Has a cat", "Has a house in Graz"}),
        (HOME_AND_CAT, change("update", "Lives near Klosterneuburg, has a cat"), {"Has a cat"}),
        (HOME_AND_CAT, change("replace", "Has two cats"), {"Has a cat", "Has two cats"}),
    ],
    ids=lambda value: f"{value['op']}: {value['content']}" if isinstance(value, dict) else "",
)
def test_what_should_go_goes_and_what_else_was_said_is_kept(
    api: Api,
    at: str,
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    known: str,
    operation: dict[str, Any],
    kept: set[str],
) -> None:
    scripted_provider.answer_with(answer(add(known)))
    conversation.exchange("You know where I am.")
    ScratchpadEntry.objects.update(key="city", single_valued=True)
    wish = {"kind": "forget", "what": "that I live in Klosterneuburg", "messages": [1]}
    scripted_provider.answer_with({"operations": [operation], "wishes": [wish]})
    scripted_provider.wishes_answer = lambda request: {
        "says": [{"number": number_of(known, request.prompt), **(CAT if known == HOME_AND_CAT else {})}],
        "unsure": [],
    }
    conversation.exchange("Forget that I live in Klosterneuburg. And I told you of the animals, and Graz.")

    paths = ("entries?state=any", "history", "export")
    told = "".join(api.get(f"{at}/{path}").raw.decode() for path in paths)
    assert "Klosterneuburg" not in told
    assert set(conversation.contents) == kept


@pytest.mark.parametrize(
    ("said", "content", "kept"),
    [
        ("I think I may love Walt. Please don't write that down.", "Thinks that he may love Walt", []),
        ("Me gusta Juan. No lo anotes.", "Le gusta Juan", []),
        ("I love Walt. Please don't write that down. I'm 40.", "Is 40", ["Is 40"]),
        ("I love Walt. Please don't write that down. I love tea.", "Loves tea", ["Loves tea"]),
        ("I was in rehab in 2019. My parents paid. Don't write that down.", "Went to rehab in 2019", []),
        pytest.param(
            f"I was in rehab in 2019. {'My parents paid for all of it. ' * 30}Don't write that down.",
            "Went to rehab in 2019",
            [],
            id="long",
        ),
        ("I was in rehab, years ago. dont write that down pls", "Went to rehab", []),
        ("Don't write this down, but I was in rehab.", "Went to rehab", []),
        ("Don't write this down. I was in rehab.", "Went to rehab", []),
        ("off the record: i hate my job", "Hates their job", []),
    ],
)
def test_what_is_not_to_be_written_down_is_not_kept_in_other_words(
    conversation: Conversation, scripted_provider: ScriptedProvider, said: str, content: str, kept: list[str]
) -> None:
    scripted_provider.answer_with(answer(), answer(add(content)))
    scripted_provider.wishes_answer = lambda request: {"says": [], "unsure": []}
    conversation.exchange("My sister Ana has a cat.", "A cat!")

    conversation.exchange(said, "I won't.")

    assert conversation.contents == kept
    hidden = Message.objects.filter(hidden_at__isnull=False).values_list("content", flat=True)
    assert list(hidden) == [said]


@pytest.mark.parametrize("together", [True, False], ids=["read together", "one by one"])
@pytest.mark.parametrize("by_rules", [True, False], ids=["by rules", "by a model"])
def test_what_was_sent_quickly_before_is_not_written_down_either(
    conversation: Conversation, scripted_provider: ScriptedProvider, together: bool, by_rules: bool
) -> None:
    said = ["I love Walt.", "omg i said it", "dont write that down"]
    scripted_provider.answer_with(answer(add("Has a cat")), answer(add("Loves Walt")), answer(), answer())
    scripted_provider.wishes_answer = lambda request: {
        "says": [
            {"number": number_of(text, request.prompt)}
            for text in ("Loves Walt", *said[:2])
            if text in request.prompt
        ],
        "unsure": [],
    }
    for minutes, text in ((7, "I have a cat"), (5, "omg"), (3, "hm"), (1, "so")):
        conversation.say(text, at=MORNING - timedelta(minutes=minutes))
    conversation.drain()
    if by_rules:
        conversation.read_by_rules()
    for seconds, text in enumerate(said):
        conversation.say(text, at=MORNING + timedelta(seconds=20 * seconds))
        if not together:
            conversation.drain()
    conversation.drain()

    assert conversation.contents == ["Has a cat"]
    hidden = Message.objects.filter(hidden_at__isnull=False).order_by("seq")
    # By rules, all of the last five minutes without a reply.
    assert [message.content for message in hidden] == (["hm", "so", *said] if by_rules else said)


@pytest.mark.parametrize(
    "said", ["Forget what I just said. I moved to Porto.", "Forget that. I moved to Porto."]
)
def test_what_a_message_tells_beside_the_wish_to_forget_what_was_said_before_is_kept(
    conversation: Conversation, scripted_provider: ScriptedProvider, said: str
) -> None:
    scripted_provider.answer_with(answer(add("Loves Walt")), answer(add("Moved to Porto")))
    scripted_provider.wishes_answer = lambda request: {
        "says": [
            {"number": number_of(text, request.prompt)} for text in ("Loves Walt", "I love Walt.", "Oh!")
        ],
        "unsure": [],
    }
    conversation.exchange("I love Walt.", "Oh!")
    conversation.exchange(said, "I will.")

    assert conversation.contents == ["Moved to Porto"]
