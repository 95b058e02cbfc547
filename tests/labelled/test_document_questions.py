"""Which messages documents are shown for: the project's own pages, questions that they answer, and everyday talk.

The figures in docs/reference/recall.md are these; change both.
"""

import json
from pathlib import Path

import pytest
from django.conf import settings

from knowledge.configuration import Knowledge
from knowledge.search import search_knowledge
from relationships.models import Companion
from tests.fixtures.documents import learn

LABELLED = json.loads((Path(__file__).parent / "document_questions.json").read_text())
PAGES = Path(settings.BASE_DIR) / "docs" / "how-to"
ANSWERED = 0.95  # of the questions, at least: the page that answers is among what is shown
ANSWERED_AFTER = 0.8  # the same, if the person says something else first
UNASKED = 0.09  # of everyday messages, at most: anything is shown


@pytest.fixture(params=[None, "simple"], ids=["detected", "simple"])
def informed(request: pytest.FixtureRequest, companion: Companion) -> Companion:
    if request.param:
        companion.config = {"retrieval": {"language": request.param}}
        companion.save(update_fields=["config"])
    for page in sorted(PAGES.glob("*.md")):
        learn(companion, page.read_text(), page.name)
    return companion


def shown(companion: Companion, message: str, knowledge: Knowledge) -> list[str]:
    found = search_knowledge(
        project_id=companion.project_id,
        companion_id=companion.id,
        text=message,
        knowledge=knowledge,
        seconds=1,
        relevant_only=True,
    )
    return [hit.chunk.document.name for hit in found.hits]


def test_questions_bring_their_page_and_everyday_talk_brings_nothing(informed: Companion) -> None:
    for embedder in ("offline", "none"):
        knowledge = Knowledge(embedder=embedder)

        answered = [f"{page}.md" in shown(informed, said, knowledge) for said, page in LABELLED["asked"]]
        drawn = [said for said in LABELLED["everyday"] if shown(informed, said, knowledge)]

        missed = [said for (said, _), found in zip(LABELLED["asked"], answered, strict=True) if not found]
        assert sum(answered) >= ANSWERED * len(answered), (embedder, missed)
        assert len(drawn) <= UNASKED * len(LABELLED["everyday"]), (embedder, drawn)


def test_questions_bring_their_page_also_after_something_else(informed: Companion) -> None:
    asked = [(f"{before} {said}", page) for before in LABELLED["before"] for said, page in LABELLED["asked"]]

    missed = [
        said for said, page in asked if f"{page}.md" not in shown(informed, said, Knowledge(embedder="none"))
    ]

    assert len(missed) <= (1 - ANSWERED_AFTER) * len(asked), missed
