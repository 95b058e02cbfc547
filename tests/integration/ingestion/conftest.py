"""Conversations under a recipe, with models over real HTTP that answer like their vendors."""

from collections import deque
from collections.abc import Iterator
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from memory.models import ModelCall
from memory.retrieval.index.embed import embed_owed
from providers.llm.registry import reset_providers
from relationships.models import Companion, Turn
from tests.fakes import ScriptedEmbedder
from tests.fixtures.turns import Conversation
from tests.integration.ingestion.answers import answer_of
from tests.vendor_servers.gemini_server import GeminiServer
from tests.vendor_servers.openai_server import OpenAIServer


class Told:
    """A conversation with one vendor's model. `answers`: names of files in answers/, in the order of the calls."""

    def __init__(
        self,
        conversation: Conversation,
        vendor: str,
        server: OpenAIServer | GeminiServer,
        embedder: ScriptedEmbedder,
    ) -> None:
        self.conversation = conversation
        self.embedder = embedder
        self.server = server
        self.asked_while_reading: list[tuple[Any, list[str]]] = []
        self.embedded_afterwards: list[str] = []
        self._vendor = vendor
        self._answers: deque[str] = deque()
        server.respond = self._respond

    def hear(self, *texts: str, answers: tuple[str, ...]) -> Turn:
        """Process a turn that takes exactly these answers, then embed what it made."""
        self._answers.extend(answers)
        turn = self.conversation.hear(*texts)
        assert not self._answers, f"not asked for: {list(self._answers)}"
        self.asked_while_reading = list(self.embedder.asked)
        embed_owed(relationship_id=self.conversation.relationship.id)
        self.embedded_afterwards = self.embedder.texts[
            sum(len(texts) for _, texts in self.asked_while_reading) :
        ]
        self.embedder.asked.clear()
        return turn

    def under(self, recipe: str, **ingestion: Any) -> None:
        """Set the companion's recipe, and these values of `ingestion`."""
        companion = self.conversation.relationship.companion
        companion.config = {"recipe": recipe, "ingestion": {"provider": self._vendor, **ingestion}}
        Companion.objects.filter(id=companion.id).update(config=companion.config)

    def purposes(self, turn: Turn) -> list[str]:
        calls = ModelCall.objects.for_relationship(turn.relationship_id).filter(id__in=turn.model_call_ids)
        found = dict(calls.values_list("id", "purpose"))
        return [found[call_id] for call_id in turn.model_call_ids]

    def _respond(self, body: dict[str, Any]) -> dict[str, Any]:
        if "A person wants something forgotten." in self.server.said(body):
            return {"text": '{"says": [], "unsure": []}'}
        assert self._answers, f"asked once more than expected: {self.server.said(body)[:500]}"
        return answer_of(self._vendor, self._answers.popleft(), self.server.said(body))


@pytest.fixture
def vendor() -> str:
    """Whose protocol it is, for all that is the same behind each; a test of each has `behind_both_vendors`."""
    return "openai"


behind_both_vendors = pytest.mark.parametrize("vendor", ["openai", "gemini"])


@pytest.fixture
def told(
    request: pytest.FixtureRequest,
    conversation: Conversation,
    scripted_embedder: ScriptedEmbedder,
    vendor: str,
    settings: Settings,
) -> Iterator[Told]:
    server = request.getfixturevalue(f"{vendor}_server")
    providers: dict[str, Any] = settings.LLM_PROVIDERS
    options = {**providers[vendor]["OPTIONS"], "api_key": "k", "base_url": server.url}
    settings.LLM_PROVIDERS = {**providers, vendor: {**providers[vendor], "OPTIONS": options}}
    reset_providers()
    yield Told(conversation, vendor, server, scripted_embedder)
    reset_providers()
