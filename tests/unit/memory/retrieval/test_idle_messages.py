import pytest

from memory.retrieval.idle_messages import LONGEST, asks_nothing


@pytest.mark.parametrize(
    "message",
    ["haha yeah", "ok", "OK!", "Thanks, you too! 😊", "yeahhh sooo good", "Hahaha", "👍", "...", "gute Nacht", "merci !",
     "Good night, talk tomorrow"[:16], "lol", "jajaja vale", "That's great!", ""],
)  # fmt: skip
def test_what_asks_and_tells_nothing_asks_nothing(message: str) -> None:
    assert asks_nothing(message)


@pytest.mark.parametrize(
    "message",
    ["ok?", "really?", "And Rex?", "yes, in Porto", "I quit", "thanks for the book", "no, Tuesday", "42", "dog", "犬",
     "haha my boss again", "ok " * LONGEST],
)  # fmt: skip
def test_what_may_ask_for_something_is_not(message: str) -> None:
    assert not asks_nothing(message)
