"""The errors of asking a model.

    ProviderError
    ├── TransientProviderError          the same request may succeed later
    │   ├── RateLimited                 429; `retry_after` if the vendor gives it
    │   │   └── HeldBack                not asked, after a 429, amid too many calls at once, or amid silence
    │   ├── ProviderUnavailable         5xx, no connection, a dropped socket, or an invalid answer
    │   ├── ProviderTimeout             no answer within the provider's timeout
    │   ├── EmptyAnswer *               an answer without text
    │   └── ProviderMisconfigured       blocks: an operator must correct a setting first
    │       ├── Unauthorized            401, 403; the key is missing, wrong or not allowed to do this
    │       ├── CertificateRefused      expired, of another name, or signed by nobody whom this machine trusts
    │       ├── ModelNotFound           404: no such model, or none at this base URL
    │       ├── QuotaExhausted          402, or a 429 that says the account is out of money
    │       ├── ExternalRefused         ALLOW_EXTERNAL_PROVIDERS is off and the base URL is not this machine
    │       └── UnknownProvider         no such alias in LLM_PROVIDERS
    └── PermanentProviderError          the same request will fail again
        ├── RequestRefused              400, 413, 422: the vendor does not accept this request
        ├── ContentBlocked              a safety filter or the model itself refused
        ├── InvalidVectors              an embedder's vectors are too few, not finite, zero, or of different lengths
        └── AnswerTruncated *           the answer reached the token limit: ask for less at once

    * also an AnswerUnusable: an answer came and was paid for, but can't be used

`permanent`: if False, the work is retried later; if True, it is given up (a batch is bisected first). `blocks`: no turn
can succeed until a person acts. `counts`: if False, the attempt says nothing about the turn, so it does not count
towards giving up. A wrong key or model name therefore never ends a turn. `str(error)` may be shown to operators: it
contains no key and no prompt, at most a short quotation from the vendor.
"""

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from providers.llm.base import Completion


class ProviderError(Exception):
    """The model could not be asked, or its answer can't be used."""

    code: ClassVar[str] = "provider_error"
    permanent: ClassVar[bool] = False
    blocks: ClassVar[bool] = False
    counts: ClassVar[bool] = True
    default_retry_after: ClassVar[float | None] = None

    def __init__(
        self,
        message: str = "",
        *,
        retry_after: float | None = None,
        completion: "Completion | None" = None,
    ) -> None:
        """`retry_after` in seconds; the `completion` if an answer came and was paid for."""
        super().__init__(message or (type(self).__doc__ or "").partition("\n")[0])
        self.retry_after = retry_after if retry_after is not None else self.default_retry_after
        self.completion = completion


class TransientProviderError(ProviderError):
    """The provider can't answer just now."""

    code = "transient"


class PermanentProviderError(ProviderError):
    """The provider will not answer this request."""

    code = "permanent"
    permanent = True


class AnswerUnusable(ProviderError):
    """The model answered, but the answer can't be used."""

    code = "answer_unusable"


class RateLimited(TransientProviderError):
    """The provider asks us to slow down."""

    code = "rate_limited"


class HeldBack(RateLimited):
    """The provider was not asked: it said to wait, has as many calls as it may have, or answers none of them."""

    code = "held_back"
    counts = False


class ProviderUnavailable(TransientProviderError):
    """The provider can't be reached or is failing."""

    code = "unavailable"


class ProviderTimeout(TransientProviderError):
    """The provider did not answer in time."""

    code = "timeout"


class EmptyAnswer(AnswerUnusable, TransientProviderError):
    """The model answered with no text at all."""

    code = "empty_answer"


class ProviderMisconfigured(TransientProviderError):
    """The provider's settings are wrong; an operator must mend them."""

    code = "misconfigured"
    blocks = True
    counts = False
    default_retry_after = 60.0


class Unauthorized(ProviderMisconfigured):
    """The provider does not accept the API key; check it in the settings."""

    code = "unauthorized"


class CertificateRefused(ProviderMisconfigured):
    """The provider's certificate is not accepted; renew it, or have this machine trust who signed it."""

    code = "certificate_refused"


class ModelNotFound(ProviderMisconfigured):
    """The provider knows no such model; check the model's name and the base URL."""

    code = "model_not_found"


class QuotaExhausted(ProviderMisconfigured):
    """The account with the provider has run out; check its billing."""

    code = "quota_exhausted"


class ExternalRefused(ProviderMisconfigured):
    """Providers outside this machine are switched off (ALLOW_EXTERNAL_PROVIDERS)."""

    code = "external_refused"


class UnknownProvider(ProviderMisconfigured):
    """The settings know no such provider."""

    code = "unknown_provider"


class RequestRefused(PermanentProviderError):
    """The provider refuses the request."""

    code = "request_refused"


class ContentBlocked(PermanentProviderError):
    """A content filter refused the request or the answer."""

    code = "content_blocked"


class InvalidVectors(PermanentProviderError):
    """The embedder's answer holds no usable vector for each text."""

    code = "invalid_vectors"


class AnswerTruncated(AnswerUnusable, PermanentProviderError):
    """The answer was cut off at the token limit."""

    code = "answer_truncated"
