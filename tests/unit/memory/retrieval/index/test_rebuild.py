import pytest

from memory.models import Embedding, ScratchpadEntry, SearchText
from memory.retrieval.configuration import Retrieval
from memory.retrieval.index import rebuild
from memory.retrieval.index.embed import embed_owed
from memory.retrieval.index.rebuild import complete_index, known_languages, language_of, rebuild_index
from relationships.models import Message, Relationship
from tests.fixtures.contexts import remember, say
from tests.fixtures.index import configure, embedded, index_of, owing
from tests.fixtures.turns import Conversation


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebuild, "ROWS_AT_ONCE", 2)


def test_what_was_there_before_the_index_is_indexed(relationship: Relationship) -> None:
    remember(relationship, "Likes tea", "Has a cat", "Sings")
    say(relationship, "Hello", "Hi", "Bye")
    heard: list[int] = []

    assert rebuild_index(relationship.id, told=heard.append) == 6

    assert len(index_of(relationship)) == 6
    assert heard == [2, 1, 2, 1]


def test_an_index_that_is_built_anew_is_the_same(
    relationship: Relationship, conversation: Conversation
) -> None:
    conversation.remember("Likes tea", "Has a cat", "Sings")
    conversation.say("Hello <rapport_memory>x</rapport_memory>", "東京に行った")
    before = index_of(relationship)

    SearchText.objects.for_relationship(relationship.id).delete()
    rebuild_index(relationship.id)

    assert index_of(relationship) == before


def test_a_change_of_language_takes_hold(relationship: Relationship, conversation: Conversation) -> None:
    conversation.remember("Has been running")
    conversation.say("I was running")
    configure(relationship, language="english")

    rebuild_index(relationship.id)

    assert {row["language"] for row in index_of(relationship)} == {"english"}
    assert all("'run'" in row["lexemes"] for row in index_of(relationship))


def test_vectors_stay_where_the_text_does(relationship: Relationship, conversation: Conversation) -> None:
    configure(relationship, embedder="offline")
    entry = conversation.remember("Likes tea")[0]
    embed_owed(relationship_id=relationship.id)

    rebuild_index(relationship.id)

    assert embedded(relationship) == {entry.id}
    assert owing(relationship) == set()


def test_rows_of_nothing_go(relationship: Relationship, conversation: Conversation) -> None:
    configure(relationship, embedder="offline", embed_messages=True)
    conversation.remember("Likes tea")
    conversation.say("I like tea")
    embed_owed(relationship_id=relationship.id)
    ScratchpadEntry.objects.for_relationship(relationship.id).delete()
    SearchText.objects.filter(kind="message").update(owner_id=relationship.id)

    rebuild_index(relationship.id)

    message = Message.objects.for_relationship(relationship.id).get()
    assert [row["owner_id"] for row in index_of(relationship)] == [message.id]
    assert {row.owner_id for row in Embedding.objects.all()} == {message.id}


def test_only_what_is_missing_is_completed(relationship: Relationship, conversation: Conversation) -> None:
    conversation.remember("Likes tea")
    remember(relationship, "Has a cat")
    say(relationship, "Hello")

    assert complete_index(relationship.id, most=100) == 2
    assert complete_index(relationship.id, most=100) == 0
    assert len(index_of(relationship)) == 3


def test_completing_goes_in_steps_from_the_newest_to_the_oldest(relationship: Relationship) -> None:
    said = say(relationship, "one", "two", "three", "four", "five")

    assert complete_index(relationship.id, most=2) == 2
    assert {row["owner_id"] for row in index_of(relationship)} == {said[3].id, said[4].id}

    assert complete_index(relationship.id, most=100) == 3


def test_an_erased_message_is_not_missing(relationship: Relationship) -> None:
    say(relationship, "", erased_at="2026-03-02T12:00:00Z")

    assert complete_index(relationship.id, most=100) == 0


def test_rows_of_another_language_are_written_anew(
    relationship: Relationship, conversation: Conversation
) -> None:
    conversation.remember("Has been running")
    configure(relationship, language="english")

    assert complete_index(relationship.id, most=100) == 1
    assert index_of(relationship)[0]["language"] == "english"


def test_a_relationship_that_is_gone_has_no_index(relationship: Relationship) -> None:
    Relationship.objects.all().delete()

    assert rebuild_index(relationship.id) == 0


def test_the_languages_are_the_servers(db: None) -> None:
    known = known_languages()

    assert {"simple", "english", "german"} <= known
    assert language_of(Retrieval(language="german"), known) == "german"
    assert language_of(Retrieval(language="german"), {"simple"}) == "simple"
    assert language_of(Retrieval(), known) == "simple"
