import json
from pathlib import Path

import pytest

from memory.ingestion.triggers import is_small_talk

LABELLED = Path(__file__).parents[3] / "labelled" / "offline_sentences.json"


@pytest.mark.parametrize(
    "text",
    [
        "Hi!",
        "Good night, Ada! Thanks for listening \U0001f60a",
        "Bye for now!",
        "Thanks! Talk to you later!",
        "You're welcome, Maya. Sleep well!",
        "You’re welcome!",
        "Gute Nacht, bis bald!",
        "Merci beaucoup, à bientôt !",
        "¡Buenos días!",
        "Buenos dias, Ada",
        "おはようございます！",
        "谢谢，晚安",
        "شكراً جزيلاً",
        "Спасибо, пока!",
        "İyi geceler",
        "नमस्ते, Maya",
    ],
)
def test_greetings_good_byes_and_thanks_are_small_talk(text: str) -> None:
    assert is_small_talk([text], names=["Maya", "Ada"])


@pytest.mark.parametrize(
    ("text", "small"),
    [
        ("美香さん、おはよう！", True),
        ("こんばんは、佐藤さん", True),
        ("ありがとう、ハル先生！", True),
        ("先生、ありがとう", False),
        ("田中さん、おはよう", False),
        ("蓮さん、おはよう", False),
        ("하루 씨", False),
    ],
)
def test_a_name_with_a_title_after_it_is_the_name(text: str, small: bool) -> None:
    assert is_small_talk([text], names=["佐藤美香", "ハル"]) is small


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Yes",
        "はい",
        "Да",
        "Ok, thanks",
        "Thanks \U0001f44d",
        "See you on Friday",
        "Talk to you tomorrow",
        "Bye, I'm off to Rome",
        "Hi, I'm Noor",
        "Maya",
        "Thanks for the flowers",
        "Good morning! How was your day?",
        "Goodbye 2025",
        "hi " * 100,
        "👋",
    ],
)
def test_what_may_say_more_is_read(text: str) -> None:
    assert not is_small_talk([text], names=["Maya", "Ada"])


def test_one_message_that_says_more_has_the_turn_read() -> None:
    assert not is_small_talk(["Good night!", "I moved to Lisbon."])
    assert not is_small_talk([])


def test_no_labelled_sentence_that_is_to_be_remembered_is_small_talk() -> None:
    """Measured on every labelled sentence: none that has something to keep, change or forget is left out."""
    sentences = json.loads(LABELLED.read_text())["sentences"]
    left_out = [
        case["said"]
        for case in sentences
        if is_small_talk(
            [case["said"]] if isinstance(case["said"], str) else case["said"], names=["Maya", "Ada"]
        )
    ]

    assert len(sentences) > 300
    assert [said for case in sentences if case["expect"] and (said := case["said"]) in left_out] == []
