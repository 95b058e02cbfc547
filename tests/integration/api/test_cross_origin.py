"""A page of the developer's own site may call the API; no other site's page may."""

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

SITE = "https://app.example"


@pytest.mark.parametrize(("origin", "allowed"), [(SITE, SITE), ("https://elsewhere.example", None)])
def test_only_a_page_of_a_named_site_may_call(
    client: Client, settings: Settings, origin: str, allowed: str | None
) -> None:
    settings.CORS_ALLOWED_ORIGINS = [SITE]
    asked = {"Access-Control-Request-Method": "PATCH", "Access-Control-Request-Headers": "if-match"}

    answer = client.options("/v1/relationships", headers={"Origin": origin, **asked})

    assert answer.get("Access-Control-Allow-Origin") == allowed
    assert ("if-match" in answer.get("Access-Control-Allow-Headers", "")) == (allowed is not None)
    assert "Access-Control-Allow-Credentials" not in answer


def test_a_page_of_a_named_site_may_read_what_is_left_of_its_limits(
    client: Client, settings: Settings
) -> None:
    settings.CORS_ALLOWED_ORIGINS = [SITE]

    answer = client.get("/v1/project", headers={"Origin": SITE})

    exposed = {name.strip() for name in answer["Access-Control-Expose-Headers"].split(",")}
    assert exposed == {"ETag", "Mcp-Session-Id", "Retry-After", "RateLimit", "RateLimit-Policy"}


@pytest.mark.parametrize(
    "names",
    [
        ("traceparent", "tracestate"),
        ("x-stainless-lang", "x-stainless-helper-method", "x-stainless-retry-count", "x-stainless-timeout"),
    ],
    ids=["a trace", "OpenAI's SDK"],
)
def test_a_page_of_a_named_site_may_send(client: Client, settings: Settings, names: tuple[str, ...]) -> None:
    settings.CORS_ALLOWED_ORIGINS = [SITE]
    asked = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": ",".join(names),
    }

    answer = client.options("/v1/relationships", headers={"Origin": SITE, **asked})

    allowed = {name.strip() for name in answer["Access-Control-Allow-Headers"].split(",")}
    assert {*names} <= allowed


def test_without_a_named_site_nothing_is_said_to_browsers(client: Client) -> None:
    answer = client.options(
        "/v1/relationships", headers={"Origin": SITE, "Access-Control-Request-Method": "GET"}
    )

    assert "Access-Control-Allow-Origin" not in answer
