import pytest

from context.layers.base import NOTHING
from context.layers.core import CoreLayer
from providers.tokens import estimate_tokens
from tests.fixtures.contexts import layer_request


@pytest.mark.parametrize(
    ("prompt", "text"),
    [
        ("You are {companion}, a friend of {user}.", "You are Ada, a friend of Maya."),
        (
            "Write {name} and {user.__class__} and {0} as they are.",
            "Write {name} and {user.__class__} and {0} as they are.",
        ),
        ("100 % {}", "100 % {}"),
    ],
    ids=["names", "other braces", "empty braces"],
)
def test_only_the_two_names_are_filled_in(prompt: str, text: str) -> None:
    assert CoreLayer("core").render(layer_request(context={"core_prompt": prompt})).text == text


def test_a_name_that_holds_a_placeholder_stays_a_name() -> None:
    request = layer_request(context={"core_prompt": "{user} and {companion}"}, user_name="{companion}")

    assert CoreLayer("core").render(request).text == "{companion} and Ada"


def test_without_a_core_prompt_there_is_nothing() -> None:
    assert CoreLayer("core").render(layer_request(context={"core_prompt": "  \n"})) is NOTHING


def test_over_budget_whole_lines_go_and_are_named() -> None:
    prompt = "Be kind.\n" + "Long line. " * 20 + "\nBe brief."
    request = layer_request(context={"core_prompt": prompt, "layers": {"core": {"budget": 10}}})

    rendered = CoreLayer("core").render(request)

    assert rendered.text == "Be kind.\nBe brief."
    assert estimate_tokens(rendered.text) <= 10
    assert rendered.left_out is not None and rendered.left_out.ids == ["line 2"]
