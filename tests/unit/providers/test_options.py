from typing import Any

import pytest

from providers.errors import ProviderMisconfigured
from providers.options import (
    GeminiOptions,
    HostedOptions,
    option_problems,
    read_options,
)


def test_missing_and_empty_options_have_defaults() -> None:
    options = read_options(GeminiOptions, {"api_key": None, "base_url": "", "model": None})

    assert (options.base_url, options.model, options.timeout) == ("", "", 60.0)
    assert options.api_version == "v1beta"
    assert options.api_key.get_secret_value() == ""


def test_names_may_be_in_upper_case_and_white_space_is_no_part_of_a_key() -> None:
    options = read_options(HostedOptions, {"API_KEY": " sk-1\n", "TIMEOUT": 3})

    assert (options.api_key.get_secret_value(), options.timeout) == ("sk-1", 3.0)


def test_the_key_shows_in_no_representation() -> None:
    options = read_options(HostedOptions, {"api_key": "sk-secret"})

    assert "sk-secret" not in repr(options) + str(options) + options.model_dump_json()


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "unknown, near": ({"timeouts": 3}, "There is no option timeouts. Did you mean timeout?"),
    "unknown, far": ({"colour": 3}, "There is no option colour. There are: api_key, base_url"),
    "timeout zero": ({"timeout": 0}, "timeout: "),
    "timeout text": ({"timeout": "soon"}, "timeout: "),
    "no tokens": ({"max_output_tokens": 0}, "max_output_tokens: "),
    "too hot": ({"temperature": 3}, "temperature: "),
    "no scheme": ({"base_url": "localhost:11434"}, "base_url: 'localhost:11434' is not a URL"),
    "no host": ({"base_url": "http://"}, "base_url: "),
    "bad port": ({"base_url": "http://localhost:99999"}, "base_url: "),
    "curly quotes": ({"api_key": "“sk-1”"}, "api_key: holds characters that a key can't have"),
    "two lines": ({"api_key": "sk-1\nsk-2"}, "api_key: "),
    "a price": ({"prices": {"m": 3}}, "prices: 'm' must have two or three amounts"),
    "no price table": ({"prices": 3}, "prices: must map a model"),
    "extra": ({"extra": "fast"}, "extra: "),
    "not gemini's": ({"api_version": "v1"}, "There is no option api_version."),
}


@pytest.mark.parametrize(("options", "sentence"), WRONG.values(), ids=WRONG)
def test_invalid_options_are_named_with_what_to_do(options: dict[str, Any], sentence: str) -> None:
    [problem] = option_problems(HostedOptions, options)

    assert problem.startswith(sentence)
    with pytest.raises(ProviderMisconfigured):
        read_options(HostedOptions, options)


def test_a_wrong_key_is_not_repeated_in_the_complaint() -> None:
    [problem] = option_problems(HostedOptions, {"api_key": "sk secret"})

    assert "secret" not in problem
