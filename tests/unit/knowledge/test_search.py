from uuid import UUID

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from knowledge.configuration import Knowledge
from knowledge.models import ChunkEmbedding, Document
from knowledge.ranking import Columns, rank_chunks
from knowledge.search import FoundKnowledge, cite, search_knowledge
from memory.retrieval.questions import TOO_LONG, TOO_MANY_WORDS
from relationships.models import Companion, Project
from tests.fakes import ScriptedEmbedder
from tests.fixtures.documents import configure, learn, pdf_of

BY_TEXT = Knowledge(embedder="none")


def search(
    companion: Companion, text: str, knowledge: Knowledge | None = None, **asked: object
) -> FoundKnowledge:
    return search_knowledge(
        project_id=companion.project_id,
        companion_id=companion.id,
        text=text,
        knowledge=knowledge or Knowledge(),
        seconds=1,
        **asked,  # type: ignore[arg-type]
    )


def test_a_question_needs_not_every_word_to_match(companion: Companion) -> None:
    learn(companion, "Refunds take five days.", "refunds.txt")
    learn(companion, "Parcels are sent on Mondays.", "parcels.txt")

    found = search(companion, "so when would my refunds be here, please?", BY_TEXT)

    assert [hit.chunk.document.name for hit in found.hits] == ["refunds.txt"]
    assert found.considered == 2 and found.space is None


def test_each_document_is_searched_in_its_own_language(companion: Companion) -> None:
    learn(
        companion,
        "Parking is free for the first three hours, and dogs have to wait outside.\n\n- Lift",
        "english.md",
    )
    learn(
        companion, "Die Parkplätze kosten nichts, aber Hunde müssen draußen vor dem Haus warten.", "german.md"
    )
    learn(companion, "Parks", "short.md")

    assert dict(Document.objects.values_list("name", "language")) == {
        "english.md": "english",
        "german.md": "german",
        "short.md": "simple",
    }
    for question, name in [("Where can I park my dog?", "english.md"), ("Ein Parkplatz?", "german.md")]:
        assert [hit.chunk.document.name for hit in search(companion, question, BY_TEXT).hits] == [name]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("refunds " + "and " * 20_000, TOO_LONG),
        ("refunds " + " ".join(f"w{number}" for number in range(1000)), TOO_MANY_WORDS),
    ],
    ids=["characters", "words"],
)
def test_of_a_question_without_end_the_beginning_is_asked(companion: Companion, text: str, note: str) -> None:
    learn(companion, "Refunds take five days.", "refunds.txt")
    learn(companion, "A zebra sleeps at noon.", "zebra.txt")

    found = search(companion, f"{text} zebra", BY_TEXT)

    assert [hit.chunk.document.name for hit in found.hits] == ["refunds.txt"]
    assert found.notes == (note,)


def test_a_rare_word_weighs_more_than_one_that_stands_everywhere(companion: Companion) -> None:
    for number in range(5):
        learn(companion, f"The shop number {number} is open, open, open.")
    learn(companion, "The zebra.", "zebra.txt")

    assert search(companion, "open zebra", BY_TEXT).hits[0].chunk.document.name == "zebra.txt"


SCRIPTS = {
    "hebrew": ("החזר כספי לוקח חמישה ימים", "כמה ימים לוקח החזר"),
    "arabic": ("يستغرق استرداد الأموال خمسة أيام", "استرداد الأموال"),
    "chinese": ("退款需要五天时间", "退款要多久"),
    "japanese": ("返金には五日かかります", "返金は何日"),
    "thai": ("การคืนเงินใช้เวลาห้าวัน", "คืนเงิน"),
    "emoji": ("Sundays are for 🍕", "🍕"),
}


@pytest.mark.parametrize(("text", "question"), SCRIPTS.values(), ids=SCRIPTS)
def test_any_script_is_found(companion: Companion, text: str, question: str) -> None:
    learn(companion, "Something else stands here.", "other.txt")
    learn(companion, text, "right.txt")

    assert [hit.chunk.document.name for hit in search(companion, question, BY_TEXT).hits] == ["right.txt"]


def test_documents_of_two_languages_are_each_searched_in_their_own(companion: Companion) -> None:
    learn(companion, "running shoes", "simple.txt")
    companion.config = {"retrieval": {"language": "english"}}
    companion.save()
    learn(companion, "a run in new shoes", "english.txt")

    names = {hit.chunk.document.name for hit in search(companion, "runs", BY_TEXT).hits}

    assert names == {"english.txt"}
    assert len(search(companion, "shoes", BY_TEXT).hits) == 2


def test_hits_cite_document_and_page(companion: Companion) -> None:
    configure(companion, chunk_tokens=50, overlap_tokens=0)
    pages = [f"Page {number} speaks of nothing but itself. " * 15 for number in range(1, 5)]
    learn(companion, pdf_of(*pages[:2], "The zebra sleeps at noon. " * 15, pages[3]), "Zoo.pdf")

    hit = search(companion, "zebra", BY_TEXT).hits[0]

    assert hit.citation == "Zoo.pdf, page 3"
    assert "zebra" in hit.chunk.content


def test_pages_are_cited_as_a_reader_would() -> None:
    assert cite("A.pdf", 3, 3) == cite("A.pdf", 3, None) == "A.pdf, page 3"
    assert cite("A.pdf", 3, 4) == "A.pdf, pages 3-4"
    assert cite("a.txt", None, None) == "a.txt"


def test_a_search_takes_two_statements(companion: Companion) -> None:
    learn(companion, "Refunds take five days.")

    with CaptureQueriesContext(
        connection,
    ) as asked:
        search(companion, "refunds")

    assert len(asked) == 2


def test_another_companion_and_another_project_see_nothing(companion: Companion, project: Project) -> None:
    learn(companion, "Refunds take five days.")
    other = Companion.objects.create(project=project, slug="bo", name="Bo")

    assert search(other, "refunds").considered == 0
    companion.project_id = Project.objects.create(name="Other").id
    assert search(companion, "refunds").considered == 0


def test_chunks_without_a_vector_of_this_embedder_are_found_by_text_with_a_note(
    companion: Companion, scripted_embedder: ScriptedEmbedder
) -> None:
    document = learn(companion, "Refunds take five days.")
    ChunkEmbedding.objects.update(model="another")

    found = search(companion, "refunds")

    assert [hit.chunk.document_id for hit in found.hits] == [document.id]
    assert "1 of 1 chunks have no vector" in found.notes[0]


def test_a_lexical_embedder_finds_the_same_as_a_text_search(companion: Companion) -> None:
    """Its vectors are made of the words themselves: fused with the text they would count them twice."""
    learn(companion, "Refunds take five days, and refunds of gifts take six.", "refunds.txt")
    learn(companion, "Refund.", "short.txt")
    learn(companion, "The zebra refuses to be fed.", "zebra.txt")
    assert ChunkEmbedding.objects.count() == 3

    lexical, alone = (search(companion, "refunds", how) for how in (Knowledge(embedder="offline"), BY_TEXT))

    assert [(hit.chunk.id, hit.score) for hit in lexical.hits] == [
        (hit.chunk.id, hit.score) for hit in alone.hits
    ]
    assert [hit.chunk.document.name for hit in lexical.hits] == ["refunds.txt"]
    assert (lexical.space, lexical.notes) == (None, ())


def test_vectors_of_meaning_are_fused_with_the_text(
    companion: Companion, scripted_embedder: ScriptedEmbedder
) -> None:
    learn(companion, "Money comes back within days.", "money.txt")
    learn(companion, "Refunds.", "refunds.txt")
    scripted_embedder.place_near("refunds", "Money comes back within days.", at=0.9)

    found = search(companion, "refunds")

    assert {hit.chunk.document.name for hit in found.hits} == {"money.txt", "refunds.txt"}
    assert found.space is not None and found.space.model == "scripted-embedder-1"


def test_an_embedder_that_can_not_be_used_leaves_the_text(companion: Companion) -> None:
    learn(companion, "Refunds take five days.")

    found = search(
        companion, "refunds", Knowledge.model_construct(**{**dict(Knowledge()), "embedder": "gone"})
    )

    assert len(found.hits) == 1
    assert len(found.notes) == 1 and "only text was searched" in found.notes[0]


def test_top_k_and_min_score_of_the_question_go_before_the_configurations(companion: Companion) -> None:
    for number in range(4):
        learn(companion, f"Refunds take {number} days.")

    assert len(search(companion, "refunds", Knowledge(top_k=2)).hits) == 2
    assert len(search(companion, "refunds", Knowledge(top_k=2), top_k=3).hits) == 3
    assert search(companion, "refunds", min_score=0.5).hits == []


NAN = float("nan")


def columns(cosine: list[float], counts: dict[tuple[int, int], int]) -> Columns:
    """`counts`: how often a word (second) stands in a row (first)."""
    return Columns(
        ids=[UUID(int=place) for place in range(len(cosine))],
        length=np.full(len(cosine), 100.0),
        cosine=np.array(cosine),
        row=np.array([row for row, _ in counts], dtype=np.int64),
        term=np.array([term for _, term in counts], dtype=np.int64),
        count=np.array(list(counts.values()), dtype=np.float64),
        terms=len({term for _, term in counts}),
        asked=[((0,),)] * len(cosine),
    )


def test_the_first_by_both_is_the_first() -> None:
    ranked = rank_chunks(columns([0.2, 0.9, 0.1], {(0, 0): 1, (1, 0): 3}))

    assert ranked.order.tolist() == [1, 0, 2]
    assert ranked.total.tolist() == pytest.approx([2 / 62, 2 / 61, 1 / 63])


def test_without_vectors_only_chunks_that_share_a_word_are_found() -> None:
    ranked = rank_chunks(columns([NAN, NAN, NAN], {(2, 0): 1}))

    assert ranked.order.tolist() == [2]


def test_a_chunk_without_its_vector_is_found_by_its_text() -> None:
    ranked = rank_chunks(columns([NAN, 0.9], {(0, 0): 1}))

    assert sorted(ranked.order.tolist()) == [0, 1]


def test_min_similarity_does_not_apply_to_chunks_that_share_a_word() -> None:
    ranked = rank_chunks(columns([0.1, 0.2, 0.5], {(0, 0): 1}), min_similarity=0.4)

    assert sorted(ranked.order.tolist()) == [0, 2]


def test_of_equal_ones_the_last_row_is_first() -> None:
    assert rank_chunks(columns([NAN] * 3, {(0, 0): 1, (1, 0): 1, (2, 0): 1})).order.tolist() == [2, 1, 0]
