from collections.abc import Sequence
from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.utils import timezone
from psycopg.errors import TooManyColumns
from pytest_django.fixtures import Settings

from memory.models.search_text import SearchText
from memory.retrieval.index.embed import SHORTENED
from providers.errors import (
    ContentBlocked,
    InvalidVectors,
    ProviderUnavailable,
    RateLimited,
    Unauthorized,
)
from relationships.models import Relationship
from tests.fakes import ScriptedEmbedder
from tests.fixtures.index import configure, embedded, fall_due, owing, row_of
from tests.fixtures.turns import Conversation, revise
from tests.unit.memory.retrieval.index.test_embed import embed, wants_vectors
from worker.identity import worker_identity

__all__ = ["wants_vectors"]


def test_a_passing_failure_makes_the_texts_wait_and_say_why(
    relationship: Relationship, conversation: Conversation, scripted_embedder: ScriptedEmbedder
) -> None:
    scripted_embedder.most_texts = 1
    first, second = conversation.remember("Likes tea", "Likes coffee")
    scripted_embedder.answer_with(RateLimited(retry_after=30))

    embed(relationship)

    assert len(scripted_embedder.asked) == 1, "the other one waits as well"
    for entry, attempts in ((first, 1), (second, 0)):
        row = row_of(entry)
        assert (row.error_code, row.attempts) == ("rate_limited", attempts)
        assert row.due_at is not None
        assert row.due_at > timezone.now() + timedelta(seconds=20)

    fall_due(relationship)
    assert embed(relationship) == 2
    assert (row_of(first).error_code, row_of(first).attempts) == ("", 0)


@pytest.mark.django_db(transaction=True)
def test_texts_that_lose_the_database_are_due_again_at_once_and_not_when_their_lease_ends(
    relationship: Relationship, conversation: Conversation, scripted_embedder: ScriptedEmbedder
) -> None:
    entry = conversation.remember("Likes tea")[0]

    def lose_the_database(texts: Sequence[str]) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    scripted_embedder.while_answering = lose_the_database
    with pytest.raises(OperationalError):
        embed(relationship)

    left = row_of(entry)
    assert (left.lease_token, left.attempts) == (None, 1)
    scripted_embedder.while_answering = None
    assert embed(relationship) == 1


def test_a_long_outage_condemns_no_text(
    relationship: Relationship,
    conversation: Conversation,
    scripted_embedder: ScriptedEmbedder,
    settings: Settings,
) -> None:
    settings.MAX_ATTEMPTS = 9
    entry = conversation.remember("Likes tea")[0]
    for _ in range(20):
        scripted_embedder.answer_with(ProviderUnavailable())
        embed(relationship)
        fall_due(relationship)

    assert row_of(entry).error_code == "unavailable"
    assert embed(relationship) == 1


@pytest.mark.parametrize("cause", ["unauthorized", "unknown_provider", "invalid_configuration"])
def test_what_an_operator_has_to_mend_blocks_visibly_without_using_up_attempts(
    cause: str,
    relationship: Relationship,
    conversation: Conversation,
    scripted_embedder: ScriptedEmbedder,
    settings: Settings,
) -> None:
    entry = conversation.remember("Likes tea")[0]
    if cause == "unauthorized":
        scripted_embedder.answer_with(Unauthorized())
    elif cause == "unknown_provider":
        settings.DEFAULT_EMBEDDING_PROVIDER = "lost"
    else:
        configure(relationship, ranker="lost")

    embed(relationship)

    row = row_of(entry)
    assert (row.error_code, row.attempts) == (cause, 0)
    assert row.due_at is not None and row.due_at > timezone.now()
    if cause == "unauthorized":
        assert row.due_at > timezone.now() + timedelta(seconds=50)


class Refusing:
    """Refuses every batch that holds one of these texts, for good."""

    def __init__(self, embedder: ScriptedEmbedder, *bad: str, error: Exception | None = None) -> None:
        self.bad, self.error = bad, error or ContentBlocked()
        embedder.while_answering = self

    def __call__(self, texts: Sequence[str]) -> None:
        if any(bad in texts for bad in self.bad):
            raise self.error


@pytest.mark.parametrize("error", [ContentBlocked(), InvalidVectors()], ids=["blocked", "invalid vectors"])
def test_one_bad_text_fails_alone_and_is_found_by_its_words(
    error: Exception,
    relationship: Relationship,
    conversation: Conversation,
    scripted_embedder: ScriptedEmbedder,
) -> None:
    entries = conversation.remember(*(f"text {number}" for number in range(9)))
    Refusing(scripted_embedder, "text 4", error=error)

    embed(relationship)

    assert embedded(relationship) == {entry.id for entry in entries} - {entries[4].id}
    row = row_of(entries[4])
    assert row.due_at is None
    assert row.error_code == error.code  # type: ignore[attr-defined]
    assert row.length == 2
    asked = len(scripted_embedder.asked)
    embed(relationship)
    assert len(scripted_embedder.asked) == asked, "it is not asked again"


def test_of_a_long_text_that_is_refused_the_beginning_is_embedded(
    relationship: Relationship, conversation: Conversation, scripted_embedder: ScriptedEmbedder
) -> None:
    long = "word " * SHORTENED
    configure(relationship, embed_messages=True)
    conversation.say(long)
    Refusing(scripted_embedder, long.strip(), long)

    assert embed(relationship) == 1
    assert len(scripted_embedder.texts[-1]) == SHORTENED


def test_a_failure_that_passes_while_a_bad_text_is_looked_for_loses_nothing(
    relationship: Relationship, conversation: Conversation, scripted_embedder: ScriptedEmbedder
) -> None:
    entries = conversation.remember("one", "two", "three", "four")
    scripted_embedder.answer_with(ContentBlocked(), RateLimited())

    assert embed(relationship) == 0
    assert owing(relationship) == {entry.id for entry in entries}

    fall_due(relationship)
    while embed(relationship):
        fall_due(relationship)
    assert embedded(relationship) == {entry.id for entry in entries}


def of_database() -> OperationalError:
    """A statement of ours that asked too much."""
    error = OperationalError("target lists can have at most 1664 entries, of a secret")
    error.__cause__ = TooManyColumns()
    return error


@pytest.mark.parametrize(
    "mistake", [ZeroDivisionError("of a secret"), of_database()], ids=lambda error: type(error).__name__
)
def test_a_mistake_of_ours_leaves_one_text_out_in_the_end(
    mistake: Exception,
    relationship: Relationship,
    conversation: Conversation,
    scripted_embedder: ScriptedEmbedder,
    settings: Settings,
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings.MAX_ATTEMPTS = 4
    entries = conversation.remember("one", "secret", "three")
    Refusing(scripted_embedder, "secret", error=mistake)
    for _ in range(12):
        embed(relationship)
        fall_due(relationship)

    assert embedded(relationship) == {entries[0].id, entries[2].id}
    assert (row_of(entries[1]).error_code, row_of(entries[1]).due_at) == ("internal_error", None)
    assert f"{type(mistake).__name__} at " in caplog.text
    assert "of a secret" not in caplog.text


def test_a_text_that_kills_its_worker_is_taken_alone_and_left_out_in_the_end(
    relationship: Relationship,
    conversation: Conversation,
    scripted_embedder: ScriptedEmbedder,
    settings: Settings,
) -> None:
    settings.MAX_ATTEMPTS = 4
    entries = conversation.remember("one", "deadly", "three")

    class Killed(BaseException):
        """As if the process had ended here."""

    def kill(texts: Sequence[str]) -> None:
        if "deadly" in texts:
            raise Killed

    scripted_embedder.while_answering = kill
    for _ in range(12):
        try:
            embed(relationship)
        except Killed:
            fall_due(relationship)

    assert embedded(relationship) == {entries[0].id, entries[2].id}
    assert (row_of(entries[1]).error_code, row_of(entries[1]).due_at) == ("worker_died", None)


def test_a_text_that_was_refused_says_nothing_against_what_the_entry_says_by_now(
    relationship: Relationship, conversation: Conversation, scripted_embedder: ScriptedEmbedder
) -> None:
    entry = conversation.remember("Likes tea")[0]

    def change(texts: Sequence[str]) -> None:
        scripted_embedder.while_answering = None
        revise(entry, content="Likes coffee")

    scripted_embedder.while_answering = change
    scripted_embedder.answer_with(ContentBlocked())
    embed(relationship)

    assert scripted_embedder.texts == ["Likes tea", "Likes coffee"]
    assert embedded(relationship) == {entry.id}
    assert row_of(entry).error_code == ""


def test_who_lost_its_texts_to_another_worker_does_not_put_them_off(
    relationship: Relationship, conversation: Conversation, scripted_embedder: ScriptedEmbedder
) -> None:
    entry = conversation.remember("Likes tea")[0]
    rows = SearchText.objects.for_relationship(relationship.id)

    def take_over(texts: Sequence[str]) -> None:
        rows.take_back(holders=[worker_identity()], now=timezone.now())
        assert rows.claim(worker="another", now=timezone.now()) is not None

    scripted_embedder.while_answering = take_over
    scripted_embedder.answer_with(RateLimited(retry_after=30))
    embed(relationship)

    assert (row_of(entry).leased_by, row_of(entry).error_code) == ("another", "worker_died")
