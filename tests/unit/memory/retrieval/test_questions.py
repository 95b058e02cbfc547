import pytest
from pytest_django.fixtures import Settings

from memory.embedders import reset_embedders
from memory.providers.errors import RateLimited
from memory.retrieval.configuration import Retrieval
from memory.retrieval.participants import Participants
from memory.retrieval.questions import (
    LONGEST_QUESTION,
    MOST_WORDS,
    NO_VECTOR,
    TOO_LONG,
    TOO_MANY_WORDS,
    WORDS_AT_ONCE,
    prepare_questions,
)
from relationships.errors import InvalidInput
from tests.fakes import ScriptedEmbedder

THERE = Participants("Maya", "Ada", ("Tom",))
EMBEDDED = Retrieval(embedder="default")


def test_names_are_left_out_of_words_and_vector_and_kept_in_the_question(
    scripted_embedder: ScriptedEmbedder,
) -> None:
    prepared = prepare_questions(
        ["Did Maya's dog bite Tom?"], participants=THERE, retrieval=EMBEDDED, given=None
    )
    assert prepared.texts == ("Did Maya's dog bite Tom?",)
    assert prepared.words == ("did dog bite?",)
    assert scripted_embedder.texts == ["Did dog bite?"]
    assert prepared.vectors is not None


def test_without_an_embedder_nothing_is_embedded_and_nothing_noted() -> None:
    prepared = prepare_questions(["tea"], participants=THERE, retrieval=Retrieval(), given=None)
    assert (prepared.vectors, prepared.notes) == (None, ())


def test_a_batch_that_fails_is_found_by_text_and_says_why(scripted_embedder: ScriptedEmbedder) -> None:
    scripted_embedder.answer_with(RateLimited("Too many questions."))
    prepared = prepare_questions(["tea", "coffee"], participants=THERE, retrieval=EMBEDDED, given=None)
    assert prepared.vectors is None
    assert prepared.notes == (
        "The question could not be embedded, it was found by text alone: Too many questions.",
    )


def test_one_question_that_fails_is_found_by_text(scripted_embedder: ScriptedEmbedder) -> None:
    scripted_embedder.answer_with(RateLimited("Too many questions."))
    prepared = prepare_questions(["tea"], participants=THERE, retrieval=EMBEDDED, given=None)
    assert (prepared.vectors, prepared.notes) == (None, (NO_VECTOR,))


def test_an_embedder_that_is_not_set_up_leaves_the_words(settings: Settings) -> None:
    settings.EMBEDDING_PROVIDERS = {"broken": {"BACKEND": "no.such.Embedder", "OPTIONS": {}}}
    settings.DEFAULT_EMBEDDING_PROVIDER = "broken"
    reset_embedders()
    prepared = prepare_questions(["tea"], participants=THERE, retrieval=EMBEDDED, given=None)
    reset_embedders()
    assert prepared.vectors is None
    assert "found by text alone" in prepared.notes[0]


def test_a_long_question_is_cut_and_says_so() -> None:
    prepared = prepare_questions(
        ["tea " * LONGEST_QUESTION], participants=THERE, retrieval=Retrieval(), given=None
    )
    assert (len(prepared.texts[0]), prepared.notes) == (LONGEST_QUESTION, (TOO_LONG,))


@pytest.mark.parametrize("questions", [1, 50])
def test_no_search_looks_up_more_words_than_it_may(questions: int) -> None:
    signs = "".join(chr(0x4E00 + number) for number in range(1000))
    prepared = prepare_questions([signs] * questions, participants=THERE, retrieval=Retrieval(), given=None)

    most = min(MOST_WORDS, WORDS_AT_ONCE // questions)
    assert [len(words.split()) for words in prepared.words] == [most] * questions
    assert prepared.notes == (TOO_MANY_WORDS,)


def test_one_empty_question_among_several_is_refused() -> None:
    with pytest.raises(InvalidInput):
        prepare_questions(["tea", " "], participants=THERE, retrieval=Retrieval(), given=None)
