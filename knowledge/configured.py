"""What a companion's configuration says about its documents."""

from django.conf import settings

from knowledge.configuration import NO_EMBEDDER, Knowledge
from memory.retrieval.configuration import DEFAULT_EMBEDDER
from providers.embeddings.base import Embedder
from providers.embeddings.registry import get_embedder
from relationships.configuration.cascade import resolve_configuration
from relationships.configuration.schema import Configuration
from relationships.models import Companion


def configuration_of(companion: Companion) -> Configuration:
    """The project's level and the companion's. Raises InvalidConfiguration."""
    return resolve_configuration(project=companion.project.config, companion=companion.config).values


def embedder_for(knowledge: Knowledge) -> Embedder | None:
    """None where documents are found by text alone. Raises ProviderMisconfigured."""
    if knowledge.embedder == NO_EMBEDDER:
        return None
    named = knowledge.embedder != DEFAULT_EMBEDDER
    return get_embedder(knowledge.embedder if named else settings.DEFAULT_EMBEDDING_PROVIDER)
