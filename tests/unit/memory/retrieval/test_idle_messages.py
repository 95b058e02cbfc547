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
    ["Hey Ada!", "Hey! How are you?", "Hi Ada, how's it going?", "How are you doing today, Ada?", "Hey Ada Lovelace, how have you been?",
     "Been a while! What's up?", "How are you? Good morning!", "Na Ada, wie geht's dir?", "Bonjour Ada, comment ça va ?", "¿Qué tal?",
     "Oi, tudo bem?", "Ciao, come stai?", "Hoi, hoe gaat het met je?", "Привет, как дела?", "Selam Ada, nasılsın?", "元気？", "你好吗？", "كيف حالك؟"],
)  # fmt: skip
def test_a_greeting_asks_nothing_though_it_asks_how_somebody_is(message: str) -> None:
    assert asks_nothing(message, names=("Ada Lovelace", "Maya"))


def test_a_name_with_a_title_after_it_asks_nothing() -> None:
    assert asks_nothing("美香さん、おはよう！", names=("佐藤美香", "ハル"))
    assert not asks_nothing("由紀さんは？", names=("佐藤美香", "ハル"))


@pytest.mark.parametrize(
    "message",
    ["How are you and Rex?", "How are you sure?", "What's up with Ana?", "How is it going at work?", "How are things with my mother?", "Ada?",
     "Hey, how are you? And the job?", "How are you feeling about Rome?", "Comment ça va au travail ?", "How was your day?", "Hey Ada, it's Rex"],
)  # fmt: skip
def test_what_asks_for_more_than_how_somebody_is_is_not(message: str) -> None:
    assert not asks_nothing(message, names=("Ada Lovelace", "Maya"))


@pytest.mark.parametrize(
    "message",
    ["ok?", "really?", "And Rex?", "yes, in Porto", "I quit", "thanks for the book", "no, Tuesday", "42", "dog", "犬",
     "haha my boss again", "Und morgen? 😊", "Genau? haha", "誰", "妹のこと", "为什么", "لماذا", "кто", "ne zaman", "क्यों", "kyun", "ok " * LONGEST],
)  # fmt: skip
def test_what_may_ask_for_something_is_not(message: str) -> None:
    assert not asks_nothing(message)
