import pytest

from knowledge.configuration import Knowledge
from knowledge.configured import configuration_of, embedder_for
from providers.errors import ProviderError
from relationships.models import Companion
from tests.fakes import ScriptedEmbedder
from web.errors import InvalidConfiguration


def test_the_companions_level_goes_before_the_projects(companion: Companion) -> None:
    companion.project.config = {"knowledge": {"top_k": 7, "chunk_tokens": 500}}
    companion.config = {"knowledge": {"top_k": 9}}

    knowledge = configuration_of(companion).knowledge

    assert (knowledge.top_k, knowledge.chunk_tokens, knowledge.overlap_tokens) == (9, 500, 400)


def test_a_wrong_configuration_is_told(companion: Companion) -> None:
    companion.config = {"knowledge": {"chunk_tokens": 300}}

    with pytest.raises(InvalidConfiguration, match="overlap_tokens"):
        configuration_of(companion)


def test_the_embedder_is_the_services_own_or_the_one_named_or_none(
    scripted_embedder: ScriptedEmbedder,
) -> None:
    assert embedder_for(Knowledge()) is scripted_embedder
    assert embedder_for(Knowledge(embedder="none")) is None
    named = embedder_for(Knowledge(embedder="offline"))
    assert named is not None and named.alias == "offline"


def test_an_alias_that_is_gone_is_an_error(db: None) -> None:
    with pytest.raises(ProviderError):
        embedder_for(Knowledge.model_construct(embedder="gone"))
