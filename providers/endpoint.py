"""The common base of language models and embedders over HTTP: URL, key, timeouts and failures."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, ClassVar

import httpx2

from config.postgresql.sessions import release_connection
from providers.errors import (
    CertificateRefused,
    ProviderError,
    ProviderTimeout,
    ProviderUnavailable,
    RequestRefused,
    Unauthorized,
)
from providers.limits import CallLimits
from providers.options import DEADLINE_IN_TIMEOUTS, EndpointOptions
from providers.reach import is_loopback, refuse_external
from providers.statuses import quotation
from web import deadline
from web.outgoing import refused_certificate

# What an SDK raises if a 200 does not contain an answer of this vendor's format.
NOT_UNDERSTOOD = (ValueError, TypeError, AttributeError, KeyError, RecursionError)


@cache
def certificates(trust_env: bool) -> ssl.SSLContext:
    """The machine's certificates, shared by all clients of the process, as reading them takes 30 ms."""
    return httpx2.create_ssl_context(trust_env=trust_env)


class Endpoint:
    """A vendor's endpoint. Subclasses name the vendor and make `_http`, the client of its SDK. `key_needed`: the vendor
    does not answer without a key.
    """

    vendor: ClassVar[str]
    vendor_url: ClassVar[str]
    vendor_model: ClassVar[str]
    key_variable: ClassVar[str]
    alias: str
    key_needed = True
    _http: httpx2.Client

    def _set_up(self, options: EndpointOptions) -> None:
        self.base_url = options.base_url or self.vendor_url
        self._timeout = options.timeout
        self._deadline = options.deadline or DEADLINE_IN_TIMEOUTS * options.timeout
        self._key = options.api_key.get_secret_value()
        self._limits_of_calls = CallLimits(options.max_in_flight)

    @contextmanager
    def _call(self, seconds: float) -> Iterator[None]:
        """Wrap a call: within the provider's limits, for at most `seconds` in total, and without a database connection.
        Raises HeldBack, if need be after as long again.
        """
        release_connection()
        with self._limits_of_calls.call(patience=seconds), deadline.deadline(seconds):
            yield

    def close(self) -> None:
        self._http.close()

    def _may_be_asked(self) -> None:
        """Raises ExternalRefused if external providers are off, Unauthorized if the key is missing."""
        refuse_external(self.base_url)
        if self.key_needed and not self._key:
            raise Unauthorized(f"There is no API key for {self.alias!r}. Set {self.key_variable}.")

    def _is_the_vendor(self) -> bool:
        return self.base_url.rstrip("/") == self.vendor_url

    def _client_settings(self) -> dict[str, Any]:
        """Arguments of the HTTP client. No redirects, so that a key can't follow one; no proxy for loopback."""
        trust_env = not is_loopback(self.base_url)
        return {"follow_redirects": False, "trust_env": trust_env, "verify": certificates(trust_env)}

    def _seconds_in_all(self, timeout: float | None) -> float:
        """The total time for a call. A caller's shorter `timeout` shortens it too."""
        return self._deadline if timeout is None else min(timeout, self._deadline)

    def _quote(self, words: object) -> str:
        return quotation(str(words or ""), secret=self._key)

    def _transport_error(self, error: BaseException, *, timeout: float | None = None) -> ProviderError:
        """The error for a call without a usable answer: a timeout, a closed socket, or an answer that can't
        be parsed.
        """
        if isinstance(error, httpx2.TimeoutException):
            seconds = self._timeout if timeout is None else timeout
            if deadline.is_over():
                seconds = self._seconds_in_all(timeout)
                return ProviderTimeout(
                    f"{self.vendor} had not finished its answer after {seconds:g} seconds."
                )
            return ProviderTimeout(f"{self.vendor} was silent for {seconds:g} seconds.")
        if isinstance(error, httpx2.HTTPError):
            if refused := refused_certificate(error):
                why = self._quote(refused.verify_message).rstrip(".")
                return CertificateRefused(f"The certificate of {self.base_url} is not accepted: {why}.")
            reason = self._quote(error).rstrip(".") or type(error).__name__
            return ProviderUnavailable(f"{self.vendor} could not be reached: {reason}.")
        if isinstance(error, UnicodeEncodeError):
            return RequestRefused("The text contains a lone surrogate, which can't be sent.")
        return ProviderUnavailable(f"{self.vendor} sent an invalid answer; check the base URL.")
