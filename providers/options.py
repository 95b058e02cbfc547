"""The OPTIONS of providers over HTTP and their checks. Imports no SDK.

api_key             the vendor's key; your own server may not need one
base_url            a server that speaks the vendor's protocol; empty: the vendor's
model               if a request names none; empty: the provider's default
timeout             seconds of silence after which a call is given up
deadline            seconds after which a call is given up even if it is not silent; 0: twice the timeout
max_output_tokens   language models: if a request names none; None: the vendor's default
temperature         language models: if a request names none; None: the vendor's default
max_in_flight       parallel calls of each process; 0: any number
prices              language models: {model: (input, output) or (input, output, cached input)}, see pricing.py
extra               merged into every request, in the vendor's format, such as a thinking budget
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
    """The options of language models and embedders over HTTP. The key is not part of any representation."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, str_strip_whitespace=True, hide_input_in_errors=True
    )

    api_key: SecretStr = SecretStr("")
    base_url: str = ""
    model: str = ""
    timeout: float = Field(default=60.0, gt=0, le=3600)
    deadline: float = Field(default=0.0, ge=0, le=7200)
    max_in_flight: int = Field(default=0, ge=0, le=10_000)
    extra: dict[str, Any] = Field(default_factory=dict)

    @field_validator("api_key")
    @classmethod
    def _key_fits_a_header(cls, key: SecretStr) -> SecretStr:
        text = key.get_secret_value().strip()
        if not text.isascii() or not text.isprintable() or " " in text:
            raise ValueError("holds characters that a key can't have; paste it again, alone on its line")
        return SecretStr(text)

    @field_validator("base_url")
    @classmethod
    def _base_url_is_an_address(cls, base_url: str) -> str:
        if base_url and not _is_http_address(base_url):
            raise ValueError(f"{base_url!r} is not a URL; write one like http://localhost:11434/v1")
        return base_url


class HostedOptions(EndpointOptions):
    max_output_tokens: int | None = Field(default=None, ge=1)
    temperature: float | None = Field(default=None, ge=0, le=2)
    prices: Annotated[dict[str, Price], BeforeValidator(read_prices)] = Field(default_factory=dict)


class GeminiOptions(HostedOptions):
    api_version: str = "v1beta"  # the SDK's own default, v1, has no JSON Schema mode


Options = TypeVar("Options", bound=BaseModel)


def read_options(kind: type[Options], options: Mapping[str, Any]) -> Options:
    """Check and parse OPTIONS. Names may be in upper case; None means not given. Raises ProviderMisconfigured."""
    try:
        return kind.model_validate(_given(options))
    except ValidationError as invalid:
        raise ProviderMisconfigured(" ".join(_sentences(invalid, kind))) from None


def option_problems(kind: type[BaseModel], options: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with OPTIONS, as sentences that name the option and what to do."""
    try:
        kind.model_validate(_given(options))
    except ValidationError as invalid:
        return _sentences(invalid, kind)
    return []


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    return {str(name).lower(): value for name, value in options.items() if value is not None}


def _sentences(invalid: ValidationError, kind: type[BaseModel]) -> list[str]:
    return [_sentence(error["type"], str(error["loc"][0]), error["msg"], kind) for error in invalid.errors()]


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
