import pytest

from memory.retrieval.index.parts import parts_of


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("in apps/web/lib/refresh.ts:12", "apps web lib refresh.ts refresh ts"),
        ("~/.ssh/config", "ssh config"),
        ("@acme/rate-limit", "acme rate-limit"),
        ("loans.spec.ts", "loans spec ts"),
        ("tagged v2.3.1", "2.3.1"),
        ("useAuthStore.getState()", "useauthstore getstate use auth store get state"),
        ("XMLHttpRequest", "xml http request"),
        ("BR-20417, AB-17", "20417"),
        ("my mother/father", "mother father"),
        ("an end.And a beginning", "end and"),
    ],
)
def test_a_name_has_the_parts_by_which_it_is_searched(text: str, parts: str) -> None:
    assert parts_of(text) == parts.split()


@pytest.mark.parametrize(
    "text",
    [
        "My iPhone.",
        "McDonald",
        "eva@firm.org",
        "https://maya.dev/a",
        "maya.dev/a",
        "at 10:30 on 3.5.2024",
        "148/92",
        "1.200,50",
        "e.g. a well-known",
        "",
    ],
)
def test_what_is_no_name_of_parts_has_none(text: str) -> None:
    assert parts_of(text) == []
