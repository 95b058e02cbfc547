import pytest

from memory.models import SearchText
from memory.retrieval.index.embed import embed_owed
from tests.fixtures.index import index_of
from tests.fixtures.turns import Conversation
from tests.unit.upkeep.verification.damage import check_mended, check_whole, run
from upkeep.erasure import erase_entry
from web.actor import Actor


@pytest.mark.parametrize("kind", ["entry", "message"])
def test_a_text_that_is_missing_is_indexed_anew(lived: Conversation, kind: str) -> None:
    kept = index_of(lived.relationship)
    SearchText.objects.filter(kind=kind).delete()

    check_mended(["index/missing", "vectors/stale"])

    embed_owed(relationship_id=lived.relationship.id)
    assert index_of(lived.relationship) == kept
    check_whole()


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("entry", "text_hash = sha256('x')"),
        ("entry", "state = 'deleted'"),
        ("entry", "tier = 'archive', speaker = 'Ana'"),
        ("message", "text_hash = sha256('x')"),
        ("message", "place = 4711"),
        ("message", "state = 'skipped'"),
        ("message", "told_at = '2020-01-01T00:00:00Z', session = 'other'"),
    ],
)
def test_a_row_that_tells_something_else_is_written_anew(lived: Conversation, kind: str, values: str) -> None:
    kept = index_of(lived.relationship)
    run(f"UPDATE memory_searchtext SET {values} WHERE kind = %s", kind)

    check_mended(["index/out_of_step", "vectors/stale"] if "hash" in values else ["index/out_of_step"])

    embed_owed(relationship_id=lived.relationship.id)
    assert index_of(lived.relationship) == kept
    check_whole()


@pytest.mark.parametrize("kind", ["entry", "message"])
@pytest.mark.parametrize(
    "values",
    [
        "lexemes = ''",
        "lexemes = '', length = 0",
        "lexemes = to_tsvector('simple', 'other words')",
        "length = length + 1",
        "language = 'klingon'",
    ],
)
def test_a_row_that_lost_its_words_is_written_anew(lived: Conversation, kind: str, values: str) -> None:
    lived.remember("Über den Dächern 😀")
    lived.say("Ça va? 東京に行った", "<rapport_memory>\n- Likes tea\n</rapport_memory> Hello")
    embed_owed(relationship_id=lived.relationship.id)
    kept = index_of(lived.relationship)
    run(f"UPDATE memory_searchtext SET {values} WHERE kind = %s", kind)

    check_mended(["index/words"])

    assert index_of(lived.relationship) == kept


def test_a_text_without_a_word_has_none_in_its_row(lived: Conversation) -> None:
    lived.say("?!", "It is you")
    lived.remember("…")

    check_whole()


def test_a_row_of_an_erased_message_goes(lived: Conversation) -> None:
    row = SearchText.objects.filter(kind="message").order_by("place")[0]
    cat = next(entry for entry in lived.entries if row.owner_id in entry.source_message_ids)
    erase_entry(relationship_id=cat.relationship_id, entry_id=cat.id, by=Actor.policy("test"))
    row.save(force_insert=True)

    check_mended(["index/of_nothing"])

    assert not SearchText.objects.filter(owner_id=row.owner_id).exists()


@pytest.mark.parametrize(
    "said",
    [
        "<rapport_memory>\n- Likes tea\n</rapport_memory> Hello",
        "<rapport_memory>\n- Likes tea\n</rapport_memory>",
        "<rapport_x> half",
    ],
)
def test_a_message_with_memory_of_ours_in_it_is_indexed_as_it_was_said(
    lived: Conversation, said: str
) -> None:
    lived.say(said)

    check_whole()
