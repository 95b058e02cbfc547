import pytest
from pytest_django.fixtures import Settings

from memory.models import SearchedKind
from memory.retrieval.questions import (
    MOST_WORDS,
    TOO_MANY_WORDS,
    WORDS_AT_ONCE,
    Participants,
    is_named,
    prepare_questions,
    read_participants,
)
from providers.embeddings.registry import reset_embedders
from providers.errors import RateLimited
from relationships.models import Relationship
from tests.fakes import ScriptedEmbedder
from tests.fixtures.contexts import say
from tests.fixtures.index import index_as
from web.errors import InvalidInput

THERE = Participants("Maya", "Ada", ("Tom",))


def test_names_are_left_out_of_words_and_vector_and_kept_in_the_question(
    scripted_embedder: ScriptedEmbedder,
) -> None:
    prepared = prepare_questions(
        ["Did Maya's dog bite Tom?"], names=THERE.names, embedder="default", seconds=1
    )
    assert prepared.texts == ("Did Maya's dog bite Tom?",)
    assert prepared.words == ("did dog bite?",)
    assert scripted_embedder.texts == ["Did dog bite?"]
    assert prepared.vectors is not None


def test_without_an_embedder_nothing_is_embedded_and_nothing_noted() -> None:
    prepared = prepare_questions(["tea"], names=THERE.names, embedder=None, seconds=1)
    assert (prepared.vectors, prepared.notes) == (None, ())


def test_a_batch_that_fails_is_found_by_text_and_says_why(scripted_embedder: ScriptedEmbedder) -> None:
    scripted_embedder.answer_with(RateLimited("Too many questions."))
    prepared = prepare_questions(["tea", "coffee"], names=THERE.names, embedder="default", seconds=1)
    assert prepared.vectors is None
    assert prepared.notes == (
        "The question could not be embedded, so only text was searched: Too many questions.",
    )


def test_an_embedder_that_is_not_set_up_leaves_the_words(settings: Settings) -> None:
    settings.EMBEDDING_PROVIDERS = {"broken": {"BACKEND": "no.such.Embedder", "OPTIONS": {}}}
    settings.DEFAULT_EMBEDDING_PROVIDER = "broken"
    reset_embedders()
    prepared = prepare_questions(["tea"], names=THERE.names, embedder="default", seconds=1)
    reset_embedders()
    assert prepared.vectors is None
    assert "only text was searched" in prepared.notes[0]


@pytest.mark.parametrize("questions", [1, 50])
def test_no_search_looks_up_more_words_than_it_may(questions: int) -> None:
    signs = "".join(chr(0x4E00 + number) for number in range(1000))
    prepared = prepare_questions([signs] * questions, names=THERE.names, embedder=None, seconds=1)

    most = min(MOST_WORDS, WORDS_AT_ONCE // questions)
    assert [len(words.split()) for words in prepared.words] == [most] * questions
    assert prepared.notes == (TOO_MANY_WORDS,)


def test_one_empty_question_among_several_is_refused() -> None:
    with pytest.raises(InvalidInput):
        prepare_questions(["tea", " "], names=THERE.names, embedder=None, seconds=1)


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("Sam", "What did Sam say?"),
        ("Sam", "sam's dog"),
        ("Maya Ortiz", "Where does Ortiz live?"),
        ("Zoë", "Is ZOË there?"),
        ("田中", "田中さんは何が好きですか"),
        ("Jean-Luc", "what would Luc do"),
        ("The son", "What does his son do?"),
        ("Das", "What did Das cook?"),
        ("The The", "Who sings in the The The?"),
        ("Jörg", "was macht jorg"),
        ("Jörg", "was macht Joerg"),
        ("Işıl", "IŞIL nerede?"),
        ("Юлия", "Что я говорил о Юлии?"),
        ("Артём", "Что предложили Артему?"),
        ("सोफिया", "सोफिया कहाँ रहती है?"),
        ("هُدى", "من هي هدى"),
        ("遥", "遥の夫の仕事は？"),
    ],
)
def test_a_name_is_recognised_by_a_whole_word_of_it(name: str, question: str) -> None:
    assert is_named(name, question)


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("Sam", "the same thing, Samuel"),
        ("Al", "Al is too short"),
        ("Anna Maria", "Annabel"),
        ("", "nobody"),
        ("—", "— a dash"),
        ("中", "中国"),
        ("Иван", "Где живёт Ивановский?"),
        ("सोफिया", "समोसा कहाँ है?"),
        ("The son", "What did the sister say?"),
        ("meine Schwester", "Was mag meine Mutter?"),
    ],
)
def test_a_part_of_a_word_is_nobody(name: str, question: str) -> None:
    assert not is_named(name, question)


def read(relationship: Relationship, kind: SearchedKind) -> Participants:
    return read_participants(project_id=relationship.project_id, relationship_id=relationship.id, kind=kind)


def test_speakers_take_part_in_messages_and_not_in_entries(relationship: Relationship) -> None:
    messages = say(relationship, "Hello", "Hi", speaker="Tom")
    index_as(relationship, SearchedKind.MESSAGE, messages)

    assert read(relationship, SearchedKind.MESSAGE).names == ("Maya", "Ada", "Tom")
    assert read(relationship, SearchedKind.ENTRY).names == ("Maya", "Ada")


def test_a_role_is_asked_about_by_the_name_behind_it() -> None:
    there = Participants("Maya", "Ada")
    assert there.is_asked_about("user", "What does Maya like?")
    assert there.is_asked_about("assistant", "What did Ada say?")
    assert there.is_asked_about("Sofia", "Where does Sofia live?")
    assert not there.is_asked_about("user", "What does the user like?")
    assert not there.is_asked_about("Sofia", "Where does she live?")
