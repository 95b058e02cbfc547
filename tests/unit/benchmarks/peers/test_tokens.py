from benchmarks.peers.tokens import count_tokens, tokenizer


def test_more_words_are_more_tokens() -> None:
    assert 0 < count_tokens("Lives in Lisbon") < count_tokens("Lives in Lisbon, and has a sister in Porto")
    assert tokenizer()
