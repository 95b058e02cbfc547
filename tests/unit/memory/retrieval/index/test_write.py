from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from memory.entries.adding import add_entry
from memory.entries.editing import delete_entry, revise_entry
from memory.entries.restoring import restore_entry
from memory.ingestion.intake import retry_turn
from memory.models import EntrySource, EntryState, ScratchpadEntry, SearchedKind, SearchText
from memory.retrieval.configuration import Retrieval
from memory.retrieval.index import write
from memory.retrieval.index.text import text_hash
from memory.retrieval.index.write import forget_texts
from relationships.models import Message, Relationship
from tests.fixtures.contexts import remember, say
from tests.fixtures.index import configure, index_as, index_of, owing, row_of, told_to_embed
from tests.fixtures.turns import PERSON, Conversation

KLINGON: dict[str, Any] = {"language": "klingon"}  # no configuration would let one choose it
NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def index_entry(
    entry: ScratchpadEntry,
    relationship: Relationship,
    retrieval: Retrieval | None = None,
    now: datetime = NOON,
) -> None:
    index_as(relationship, SearchedKind.ENTRY, [entry], retrieval, now)


def index_messages(messages: Sequence[Message], relationship: Relationship, **retrieval: Any) -> None:
    index_as(relationship, SearchedKind.MESSAGE, messages, Retrieval.model_validate(retrieval), NOON)


def lexemes(row: SearchText) -> set[str]:
    return {lexeme.split(":")[0].strip("'") for lexeme in row.lexemes.split()}


def test_an_entry_is_indexed_as_it_is(conversation: Conversation) -> None:
    entry = conversation.remember("Likes jasmine tea")[0]

    row = row_of(entry)
    assert (row.kind, row.state, row.speaker) == ("entry", "active", "user")
    assert (row.told_at, row.place, row.session, row.role) == (entry.effective_at, 0, "", "")
    assert lexemes(row) == {"likes", "jasmine", "tea"}
    assert (row.length, row.language) == (3, "simple")
    assert bytes(row.text_hash) == text_hash("Likes jasmine tea")


def test_a_message_is_indexed_with_its_place_and_its_speaker(
    relationship: Relationship, conversation: Conversation
) -> None:
    turn = conversation.say("I drank tea, tea and more tea.", session="web", at=NOON)

    message = Message.objects.for_relationship(relationship.id).get(turn_id=turn.id)
    row = row_of(message)
    assert (row.kind, row.place, row.session, row.role) == ("message", message.seq, "web", "user")
    assert (row.told_at, row.length) == (NOON, 7)


def test_a_language_that_this_postgresql_lacks_counts_words_as_they_stand(
    relationship: Relationship, caplog: pytest.LogCaptureFixture
) -> None:
    entry = remember(relationship, "Likes tea")[0]
    unknown = Retrieval.model_construct(**KLINGON)

    index_entry(entry, relationship, retrieval=unknown)
    index_entry(entry, relationship, retrieval=unknown)

    assert row_of(entry).language == "simple"
    assert caplog.text.count("indexing.language.missing") == 1


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("x" * 65_536, id="one word of 64 KB"),
        pytest.param("word " * 13_107, id="64 KB of one word"),
        pytest.param(" ".join(f"w{number}" for number in range(12_000)), id="twelve thousand words"),
        pytest.param("".join(chr(0x4E00 + number % 20_900) for number in range(21_845)), id="64 KB of Han"),
        pytest.param("".join(chr(0x20000 + number) for number in range(16_384)), id="64 KB of rare Han"),
        pytest.param("😀🎉" * 8_192, id="64 KB of emoji"),
        pytest.param("\u202e\u200b\u00ad", id="signs that show nothing"),
        pytest.param("!?", id="no word at all"),
        pytest.param(
            "<a href='x'>http://x.example/y?z=1 a@b.example 1e5 -7", id="markup, addresses, numbers"
        ),
    ],
)
def test_no_text_is_an_error(text: str, relationship: Relationship) -> None:
    messages = say(relationship, text)

    index_messages(messages, relationship, language="english")

    assert row_of(messages[0]).length >= 0


def test_an_entry_owes_its_vector_and_a_worker_is_told_once(
    relationship: Relationship, conversation: Conversation
) -> None:
    configure(relationship, embedder="default")
    entries = conversation.remember("Likes tea", "Likes coffee")
    conversation.say("Hello")

    assert owing(relationship) == {entry.id for entry in entries}
    assert told_to_embed() == [str(relationship.id)]


def test_messages_owe_theirs_where_the_configuration_says_so(
    relationship: Relationship, conversation: Conversation
) -> None:
    configure(relationship, embedder="default", embed_messages=True)
    conversation.say("Hello", "<rapport_memory>\n- Likes tea\n</rapport_memory>")

    said = Message.objects.for_relationship(relationship.id).order_by("seq").first()
    assert said is not None
    assert owing(relationship) == {said.id}


def test_another_text_owes_anew_the_same_text_waits_on_and_a_deleted_one_owes_nothing_until_it_is_restored(
    relationship: Relationship, conversation: Conversation
) -> None:
    configure(relationship, embedder="default")
    entry = conversation.remember("Likes tea")[0]
    rows = SearchText.objects.for_relationship(relationship.id)
    change: dict[str, Any] = {"relationship_id": relationship.id, "entry_id": entry.id, "by": PERSON}

    rows.update(due_at=NOON, attempts=3, error_code="timeout")
    revise_entry(**change, values={"pinned": True})
    row = row_of(entry)
    assert (row.due_at, row.attempts, row.error_code) == (NOON, 3, "timeout")

    rows.update(due_at=None)
    revise_entry(**change, values={"pinned": False})
    assert owing(relationship) == set()

    revise_entry(**change, values={"content": "Likes coffee"})
    assert owing(relationship) == {entry.id}

    delete_entry(**change)
    assert owing(relationship) == set()
    assert row_of(entry).state == EntryState.DELETED

    restore_entry(**change)
    assert owing(relationship) == {entry.id}


def test_an_entry_that_is_gone_leaves_the_index(relationship: Relationship) -> None:
    entry = remember(relationship, "Likes tea")[0]
    index_entry(entry, relationship)
    type(entry).objects.for_relationship(relationship.id).filter(id=entry.id).delete()

    index_entry(entry, relationship)

    assert index_of(relationship) == []


def test_a_hidden_message_leaves_the_index(relationship: Relationship) -> None:
    message = say(relationship, "I like tea")[0]
    index_messages([message], relationship)
    Message.objects.for_relationship(relationship.id).update(hidden_at=timezone.now())

    index_messages([message], relationship)

    assert index_of(relationship) == []


def test_forgetting_says_how_much_went(relationship: Relationship, conversation: Conversation) -> None:
    entry = conversation.remember("Likes tea")[0]

    gone = forget_texts(relationship_id=relationship.id, kind=SearchedKind.ENTRY, owner_ids=[entry.id])

    assert gone == (1, 0)
    assert forget_texts(relationship_id=relationship.id, kind=SearchedKind.ENTRY, owner_ids=[]) == (0, 0)


@pytest.mark.parametrize("count", [1, 40])
def test_many_texts_cost_four_statements(
    count: int, relationship: Relationship, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    messages = say(relationship, *(f"word {number}" for number in range(count)))

    with django_assert_num_queries(4):  # the messages, their turns, what is there, and the rows
        index_messages(messages, relationship)

    assert len(index_of(relationship)) == count


def test_more_than_fit_in_one_statement_are_written_in_several(
    relationship: Relationship, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write, "ROWS_AT_ONCE", 2)
    messages = say(relationship, "one", "two", "three")

    index_messages(messages, relationship, embedder="offline", embed_messages=True)

    assert owing(relationship) == {message.id for message in messages}
    assert len(told_to_embed()) == 1


def test_a_change_of_an_entry_costs_one_statement_more(relationship: Relationship) -> None:
    values = {"content": "Likes tea", "type": "other"}
    said = list[str]()

    def run(execute: Callable[..., Any], sql: Any, *rest: Any) -> Any:
        said.append(str(sql))
        return execute(sql, *rest)

    with connection.execute_wrapper(run):
        add_entry(relationship=relationship, values=values, by=PERSON, source=EntrySource.MANUAL)

    assert sum("memory_searchtext" in statement for statement in said) == 1
    assert sum("relationships_companion" in statement for statement in said) == 1, (
        "with the revision's number"
    )


def test_what_was_said_in_a_turn_that_is_skipped_owes_nothing_until_it_is_read_after_all(
    relationship: Relationship, conversation: Conversation
) -> None:
    configure(relationship, embedder="default", embed_messages=True)
    turn = conversation.say("Between us.", ingestion={"enabled": False})
    message = Message.objects.for_relationship(relationship.id).get(turn_id=turn.id)
    assert owing(relationship) == set()
    assert row_of(message).state == "skipped"
    assert told_to_embed() == []

    index_messages([message], relationship, embedder="default", embed_messages=True)

    assert owing(relationship) == set()
    assert row_of(message).state == "skipped"

    retry_turn(relationship_id=relationship.id, turn_id=turn.id)

    assert owing(relationship) == {message.id}
    assert row_of(message).state == "active"


def test_what_a_companion_does_not_read_is_on_record_all_the_same(
    relationship: Relationship, conversation: Conversation
) -> None:
    companion = relationship.companion
    companion.config = {
        "ingestion": {"enabled": False},
        "retrieval": {"embedder": "default", "embed_messages": True},
    }
    companion.save(update_fields=["config"])

    turn = conversation.say("It rains.")

    message = Message.objects.for_relationship(relationship.id).get(turn_id=turn.id)
    assert row_of(message).state == "active"
    assert owing(relationship) == {message.id}
