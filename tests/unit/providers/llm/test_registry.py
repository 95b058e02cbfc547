import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from providers.errors import ProviderMisconfigured, UnknownProvider
from providers.llm.registry import (
    OPTIONS_BY_BACKEND,
    PROVIDERS,
    get_provider,
    provider_problems,
    reset_providers,
)
from tests.fakes import ScriptedProvider

SCRIPTED = {"BACKEND": "tests.fakes.ScriptedProvider", "OPTIONS": {}}


@pytest.fixture(autouse=True)
def two_scripted_providers(settings: Settings) -> Any:
    settings.LLM_PROVIDERS = {"one": SCRIPTED, "two": SCRIPTED}
    reset_providers()
    yield
    reset_providers()


def test_an_alias_has_one_provider_of_its_own() -> None:
    assert get_provider("one") is get_provider("one")
    assert get_provider("one") is not get_provider("two")
    assert get_provider("two").alias == "two"


def test_after_a_reset_the_settings_are_read_again() -> None:
    before = get_provider("one")

    reset_providers()

    assert get_provider("one") is not before


def test_threads_that_ask_at_once_get_the_same_provider() -> None:
    barrier = threading.Barrier(8)

    def ask(_: int) -> int:
        barrier.wait(timeout=10)
        return id(get_provider("one"))

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(ask, range(8)))) == 1


def test_an_unknown_alias_is_reported_with_the_known_ones() -> None:
    with pytest.raises(UnknownProvider, match=r"no provider 'three'\. The settings know: one, two"):
        get_provider("three")


@pytest.mark.parametrize(
    "backend", ["tests.fakes.NobodyProvider", "tests.nowhere.Provider", "Provider", "", None], ids=str
)
def test_a_backend_that_cannot_be_loaded_waits_for_the_operator(
    backend: str | None, settings: Settings
) -> None:
    settings.LLM_PROVIDERS = {"broken": {"BACKEND": backend}}

    with pytest.raises(ProviderMisconfigured, match="broken"):
        get_provider("broken")


PROBLEMS: dict[str, tuple[object, str]] = {
    "no mapping": ("providers.llm.gemini.GeminiProvider", "needs a BACKEND"),
    "no backend": ({"OPTIONS": {}}, "needs a BACKEND"),
    "no module": ({"BACKEND": "providers.llm.gemni.GeminiProvider"}, "there is no module"),
    "options a list": ({**SCRIPTED, "OPTIONS": []}, "is not a mapping"),
    "an option": (
        {"BACKEND": "providers.llm.gemini.GeminiProvider", "OPTIONS": {"modle": "x"}},
        "There is no option modle. Did you mean model?",
    ),
}


@pytest.mark.parametrize(("spec", "sentence"), PROBLEMS.values(), ids=PROBLEMS)
def test_problems_of_an_alias_are_described_in_a_sentence(spec: object, sentence: str) -> None:
    [problem] = provider_problems("mine", spec)

    assert "LLM_PROVIDERS['mine']" in problem
    assert sentence in problem


def test_a_provider_from_elsewhere_is_its_authors_to_check() -> None:
    assert provider_problems("mine", {**SCRIPTED, "OPTIONS": {"anything": 1}}) == []


def test_the_settings_as_shipped_have_no_problem() -> None:
    from config.settings import LLM_PROVIDERS

    assert [
        problem for alias, spec in LLM_PROVIDERS.items() for problem in provider_problems(alias, spec)
    ] == []
    assert set(OPTIONS_BY_BACKEND) <= {spec["BACKEND"] for spec in LLM_PROVIDERS.values()}


def test_a_forked_process_makes_its_own_provider_even_while_the_lock_is_held() -> None:
    parents = get_provider("one")
    assert isinstance(parents, ScriptedProvider)
    holding, done = threading.Event(), threading.Event()

    def hold_the_lock() -> None:
        with PROVIDERS.lock:
            holding.set()
            done.wait(timeout=30)

    holder = threading.Thread(target=hold_the_lock)
    holder.start()
    holding.wait(timeout=10)
    child = os.fork()
    if child == 0:
        os._exit(0 if get_provider("one") is not parents else 1)
    _, status = os.waitpid(child, 0)
    done.set()
    holder.join()

    assert os.waitstatus_to_exitcode(status) == 0
    assert get_provider("one") is parents
