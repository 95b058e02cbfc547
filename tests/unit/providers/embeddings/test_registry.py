import os
import subprocess
import sys
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from providers.embeddings.registry import (
    DEFAULT_EMBEDDER,
    OPTIONS_BY_BACKEND,
    embedder_of,
    embedder_problems,
    get_embedder,
    reset_embedders,
)

SCRIPTED = {"BACKEND": "tests.fakes.ScriptedEmbedder", "OPTIONS": {}}


@pytest.fixture(autouse=True)
def two_scripted_embedders(settings: Settings) -> Any:
    settings.EMBEDDING_PROVIDERS = {"one": SCRIPTED, "two": SCRIPTED}
    settings.DEFAULT_EMBEDDING_PROVIDER = "two"
    reset_embedders()
    yield
    reset_embedders()


def test_a_configuration_names_an_embedder_or_the_services_own_or_none() -> None:
    assert embedder_of("one") is get_embedder("one")
    assert embedder_of(DEFAULT_EMBEDDER) is get_embedder("two")
    assert embedder_of(None) is None


PROBLEMS: dict[str, tuple[object, str]] = {
    "an option": (
        {"BACKEND": "providers.embeddings.gemini.GeminiEmbedder", "OPTIONS": {"dimension": 768}},
        "There is no option dimension. Did you mean dimensions?",
    ),
    "too many dimensions": (
        {"BACKEND": "providers.embeddings.openai.OpenAIEmbedder", "OPTIONS": {"dimensions": 5000}},
        "dimensions: Input should be less than or equal to 4000.",
    ),
    "a name too long": (
        {"BACKEND": "providers.embeddings.openai.OpenAIEmbedder", "OPTIONS": {"model": "m" * 121}},
        "model: String should have at most 120 characters.",
    ),
    "a folder that is not there": (
        {"BACKEND": "providers.embeddings.local.LocalEmbedder", "OPTIONS": {"model": "./nowhere"}},
        "there is no folder ./nowhere",
    ),
}


@pytest.mark.parametrize(("spec", "sentence"), PROBLEMS.values(), ids=PROBLEMS)
def test_problems_of_an_alias_are_described_in_a_sentence(spec: object, sentence: str) -> None:
    [problem] = embedder_problems("mine", spec)

    assert "EMBEDDING_PROVIDERS['mine']" in problem
    assert sentence in problem


def test_the_settings_as_shipped_have_no_problem() -> None:
    from config.settings import EMBEDDING_PROVIDERS

    assert [
        problem for alias, spec in EMBEDDING_PROVIDERS.items() for problem in embedder_problems(alias, spec)
    ] == []
    assert set(OPTIONS_BY_BACKEND) <= {spec["BACKEND"] for spec in EMBEDDING_PROVIDERS.values()}


def test_nothing_heavy_is_imported_before_an_embedder_or_a_model_is_asked_for() -> None:
    script = (
        "import sys, django; django.setup()\n"
        "from providers.embeddings.registry import embedder_problems, get_embedder\n"
        "from django.conf import settings\n"
        "problems = [embedder_problems(a, s) for a, s in settings.EMBEDDING_PROVIDERS.items()]\n"
        "from providers.llm.registry import provider_problems\n"
        "problems += [provider_problems(a, s) for a, s in settings.LLM_PROVIDERS.items()]\n"
        "get_embedder('offline').embed(['hello'], purpose='query'); get_embedder('local')\n"
        "heavy = {'openai', 'google.genai', 'httpx2', 'onnxruntime', 'tokenizers', 'huggingface_hub'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}

    printed = subprocess.run(
        [sys.executable, "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout

    assert printed.splitlines()[-1] == "[]"
