"""The OPTIONS of what is asked over HTTP, and what can be wrong with them. Knows no SDK.

api_key             the vendor's key; a server of your own may need none
base_url            where the vendor's protocol is spoken; empty is the vendor itself
model               asked where a request names none; empty is the provider's default
timeout             seconds of silence after which a call is given up
deadline            seconds after which it is given up whether or not it is silent; 0 is twice the timeout
max_output_tokens   language models: where a request names none; None is the vendor's default
temperature         language models: where a request names none; None is the vendor's default
max_in_flight       calls at once of each process; 0 is any number
prices              {model: (input, output) or (input, output, cached input)}, see pricing.py
extra               merged into every request in the vendor's own words, such as a thinking budget
api_version         gemini only
"""

import difflib
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
)

from providers.errors import ProviderMisconfigured
from providers.pricing import Price, read_prices

DEADLINE_IN_TIMEOUTS = 2


class EndpointOptions(BaseModel):
    """What everything over HTTP can be told, language model or embedder. The key shows in no representation."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, str_strip_whitespace=True, hide_input_in_errors=True
    )

    api_key: SecretStr = SecretStr("")
    base_url: str = ""
    model: str = ""
    timeout: float = Field(default=60.0, gt=0, le=3600)
    deadline: float = Field(default=0.0, ge=0, le=7200)
    max_in_flight: int = Field(default=0, ge=0, le=10_000)
    prices: Annotated[dict[str, Price], BeforeValidator(read_prices)] = Field(default_factory=dict)
    extra: dict[str, Any] = Field(default_factory=dict)

    @property
    def seconds_in_all(self) -> float:
        """That a call may take."""
        return self.deadline or DEADLINE_IN_TIMEOUTS * self.timeout

    @field_validator("api_key")
    @classmethod
    def _key_fits_a_header(cls, key: SecretStr) -> SecretStr:
        text = key.get_secret_value().strip()
        if not text.isascii() or not text.isprintable() or " " in text:
            raise ValueError("holds characters that no key has; paste it again, alone on its line")
        return SecretStr(text)

    @field_validator("base_url")
    @classmethod
    def _base_url_is_an_address(cls, base_url: str) -> str:
        if base_url and not _is_http_address(base_url):
            raise ValueError(f"{base_url!r} is no address; write one like http://localhost:11434/v1")
        return base_url


class HostedOptions(EndpointOptions):
    """What every language model over HTTP can be told."""

    max_output_tokens: int | None = Field(default=None, ge=1)
    temperature: float | None = Field(default=None, ge=0, le=2)


class GeminiOptions(HostedOptions):
    api_version: str = "v1beta"  # the SDK's own default, v1, has no JSON Schema mode


Options = TypeVar("Options", bound=BaseModel)


def read_options(kind: type[Options], options: Mapping[str, Any]) -> Options:
    """OPTIONS checked; names may be in either case, None is 'not given'. Raises ProviderMisconfigured."""
    problems = option_problems(kind, options)
    if problems:
        raise ProviderMisconfigured(" ".join(problems))
    return kind.model_validate(_given(options))


def option_problems(kind: type[BaseModel], options: Mapping[str, Any]) -> list[str]:
    """What is wrong with OPTIONS, in sentences that name the option and the way out."""
    try:
        kind.model_validate(_given(options))
    except ValidationError as invalid:
        return [
            _sentence(error["type"], str(error["loc"][0]), error["msg"], kind) for error in invalid.errors()
        ]
    return []


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    return {str(name).lower(): value for name, value in options.items() if value is not None}


def _sentence(problem: str, option: str, message: str, kind: type[BaseModel]) -> str:
    if problem != "extra_forbidden":
        return f"{option}: {message.removeprefix('Value error, ')}."
    near = difflib.get_close_matches(option, kind.model_fields, n=1)
    way_out = f"Did you mean {near[0]}?" if near else f"There are: {', '.join(kind.model_fields)}."
    return f"There is no option {option}. {way_out}"


def _is_http_address(text: str) -> bool:
    try:
        address = urlsplit(text)
        return address.scheme in ("http", "https") and bool(address.hostname) and (address.port or 1) > 0
    except ValueError:
        return False
