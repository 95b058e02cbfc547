from datetime import UTC, datetime

import pytest

from providers.errors import (
    ModelNotFound,
    ProviderError,
    ProviderMisconfigured,
    ProviderTimeout,
    ProviderUnavailable,
    QuotaExhausted,
    RateLimited,
    RequestRefused,
    Unauthorized,
)
from providers.statuses import error_class, quotation, retry_after_seconds

NOON = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (302, ProviderMisconfigured),
        (400, RequestRefused),
        (401, Unauthorized),
        (402, QuotaExhausted),
        (403, Unauthorized),
        (404, ModelNotFound),
        (405, RequestRefused),
        (408, ProviderTimeout),
        (409, ProviderUnavailable),
        (413, RequestRefused),
        (418, RequestRefused),
        (422, RequestRefused),
        (429, RateLimited),
        (500, ProviderUnavailable),
        (504, ProviderTimeout),
        (529, ProviderUnavailable),
    ],
)
def test_a_status_means_the_same_for_every_vendor(status: int, kind: type[ProviderError]) -> None:
    assert error_class(status) is kind


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "30"}, 30.0),
        ({"retry-after": "0.25"}, 0.25),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Mon, 04 May 2026 12:00:20 GMT"}, 20.0),
        ({"retry-after": "Mon, 04 May 2026 11:00:00 GMT"}, 0.0),
        ({"retry-after": "Mon, 04 May 2026 12:00:20 -0000"}, 20.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
    ids=str,
)
def test_the_wait_is_read_from_the_headers(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_seconds(headers, now=NOON) == seconds


def test_a_quotation_is_one_short_line_without_the_key() -> None:
    quoted = quotation("Key sk-1 is\n  wrong. " + "x" * 1000, secret="sk-1")

    assert quoted.startswith("Key *** is wrong. xxx")
    assert len(quoted) == 300
    assert quoted.endswith("…")
    assert quotation("The key x does not exist.", secret="x") == "The key *** does not exist."
