from context.message_tokens import AROUND_A_MESSAGE, message_tokens


def test_a_message_costs_its_words_and_what_stands_around_it() -> None:
    assert message_tokens({"role": "user", "content": "x" * 40}) == 10 + AROUND_A_MESSAGE
