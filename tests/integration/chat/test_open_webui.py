"""Open WebUI says who talks and in which chat by headers, and asks for more than replies."""

import pytest

from chat.models import KeptContext
from relationships.models import EndUser
from tests.fixtures.chat import Chat, stored, turns

USER = {"X_OpenWebUI_User_Id": "maya"}
SAVED = {"X_OpenWebUI_Chat_Id": "0b9b"}
NOT_KEPT = {
    "a title, of a chat": (USER | SAVED, False),
    "the end of a sentence, before there is a chat": (USER, False),
    "a temporary chat": (USER | {"X_OpenWebUI_Chat_Id": "temporary:x1"}, True),
    "a temporary chat of earlier versions": (USER | {"X_OpenWebUI_Chat_Id": "local:x1"}, True),
}


def test_a_reply_in_a_chat_is_remembered_in_its_session(chat: Chat) -> None:
    answer = chat.say("My sister is called Ana.", user=None, headers=USER | SAVED, stream=True)

    assert answer.status == 200 and len(stored()) == 2
    assert EndUser.objects.get().external_id == "maya" and turns()[0].session == "0b9b"


@pytest.mark.parametrize(("headers", "streamed"), NOT_KEPT.values(), ids=NOT_KEPT.keys())
def test_calls_without_a_persons_message_and_unwanted_ones_store_nothing(
    chat: Chat, headers: dict[str, str], streamed: bool
) -> None:
    answer = chat.say("My sister is called Ana.", user=None, headers=headers, stream=streamed)

    assert answer.status == 200
    assert stored() == [] and not KeptContext.objects.exists()
