"""Which sentences of a message have a floor: the published phrases, where they tell something."""

import pytest

from memory.ingestion.strategies.floors import floor_over, sentences_of
from memory.ingestion.strategies.options import Floor, ImportanceOptions
from tests.growth import MOST, growth

FLOORS = ImportanceOptions().floors
# What people say with the words of a phrase, and whether it tells what the floor is for. Own sentences.
TELLS = {
    "My name is Madalena.": 0.85,
    "my name's Ana, by the way": 0.85,
    "MY NAME IS\tJoão": 0.85,
    "My goal is to run a marathon.": 0.75,
    "Please remind me to call the dentist on Friday.": 0.75,
    "Can you remind me about the rent?": 0.75,
    "I can't eat gluten.": 0.65,
    "I can’t do mornings": 0.65,
    "I cannot swim.": 0.65,
    "I never drink coffee after noon!": 0.65,
    "My favorite band is Fado Bicha.": 0.60,
    "Jazz is my favourite.": 0.60,
    "Honestly I love old maps": 0.60,
}
TELLS_NOTHING = [
    "The weather is a bit cold.",
    "What is my favorite colour?",
    "Do you know my name is hard to spell?",
    "I love it!",
    "I love you.",
    "I can't.",
    "I can't wait to see the film!",
    "I can't believe it's Monday.",
    "I never knew that.",
    "Forget that I love jazz.",
    "Please delete what I said: my name is Ana.",
    "That reminds me of school.",
    "His name is Rui.",
    "She would love jazz.",
    "Namely my names are many.",
]


@pytest.mark.parametrize(("said", "at_least"), TELLS.items(), ids=TELLS)
def test_a_published_phrase_is_a_floor_under_its_sentence(said: str, at_least: float) -> None:
    [told] = sentences_of(1, said, FLOORS)

    assert told.floor is not None and told.floor.at_least == at_least


@pytest.mark.parametrize("said", TELLS_NOTHING)
def test_what_tells_nothing_of_the_person_has_none(said: str) -> None:
    assert [told.floor for told in sentences_of(1, said, FLOORS)] == [None]


def test_of_several_phrases_the_highest_floor_counts() -> None:
    [told] = sentences_of(1, "My name is Ana and I love jazz", FLOORS)

    assert told.floor is not None and told.floor.name == "identity"


def test_a_memory_is_under_the_floor_of_the_sentence_it_was_made_of() -> None:
    sentences = sentences_of(1, "My name is Dr. Ana Silva. The weather is a bit cold.", FLOORS)
    name, weather = floor_over("Is called Ana Silva", sentences), floor_over("The weather is cold", sentences)

    assert name is not None and name.floor is not None and name.floor.at_least == 0.85
    assert weather is not None and weather.floor is None
    unlike = floor_over("Chama-se assim", sentences)  # shares no word: rather kept than lost
    assert unlike is not None and unlike.floor is not None


def test_a_floor_is_told_by_whole_words_in_any_case_and_language() -> None:
    floors = (Floor(name="casa", at_least=0.9, phrases=("moro em",)),)

    assert sentences_of(1, "MORO EM Lisboa", floors)[0].floor == floors[0]
    assert sentences_of(1, "Namoro emigrantes", floors)[0].floor is None


def test_a_phrase_is_no_pattern_of_its_own() -> None:
    floors = (Floor(name="dots", at_least=0.9, phrases=("a.c",)),)

    assert sentences_of(1, "abc there", floors)[0].floor is None


def test_a_very_long_sentence_is_kept_around_its_phrase() -> None:
    [told] = sentences_of(1, "word " * 500 + "my name is Ana " + "word " * 500, FLOORS)

    assert "my name is Ana" in told.text and len(told.text) <= 400


def test_the_sentences_that_many_memories_were_made_of_are_found_in_time_that_grows_with_both() -> None:
    def made(size: int) -> tuple[list[str], str]:
        contents = [f"Likes the tea called number {number}" for number in range(size)]
        return contents, "".join(f"I like tea {number}. " for number in range(20 * size))

    def find(case: tuple[list[str], str]) -> None:
        contents, text = case
        sentences = sentences_of(1, text, FLOORS)
        for content in contents:
            floor_over(content, sentences)

    assert growth(find, made, size=100) < MOST
