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
