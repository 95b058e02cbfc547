import pytest

from memory.retrieval.idle_messages import LONGEST, asks_nothing


@pytest.mark.parametrize(
    "message",
    ["haha yeah", "ok", "OK!", "Thanks, you too! 😊", "yeahhh sooo good", "Hahaha", "👍", "...", "gute Nacht", "merci !",
     "Good night, talk tomorrow"[:16], "lol", "jajaja vale", "That's great!", "", "schön!", "¡Sí, genial!", "não",
     "はい", "ありがとう！おやすみ", "好的，谢谢", "ㅋㅋㅋ", "شكراً", "ههههه", "угу, спасибо", "tamam, sağ ol", "हाँ ठीक है", "haan ok"],
)  # fmt: skip
def test_what_asks_and_tells_nothing_asks_nothing(message: str) -> None:
    assert asks_nothing(message)


@pytest.mark.parametrize(
    "message",
    ["ok?", "really?", "And Rex?", "yes, in Porto", "I quit", "thanks for the book", "no, Tuesday", "42", "dog", "犬",
     "haha my boss again", "Und morgen? 😊", "Genau? haha", "誰", "妹のこと", "为什么", "لماذا", "кто", "ne zaman", "क्यों", "kyun", "ok " * LONGEST],
)  # fmt: skip
def test_what_may_ask_for_something_is_not(message: str) -> None:
    assert not asks_nothing(message)
