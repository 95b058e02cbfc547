import pytest
from django.db import OperationalError, connection
from django.test import Client

WORDS = "Maya is secretly a spy"


def test_a_page_runs_and_shows_only_our_own_files(client: Client, db: None) -> None:
    policy = client.get("/admin-ui/sign-in/", HTTP_HOST="localhost")["Content-Security-Policy"]

    assert "script-src 'self'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_what_is_remembered_is_kept_by_no_cache(editor: Client) -> None:
    assert editor.get("/admin-ui/relationships/")["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("path", "has"), [("/admin-ui/sign-in/", True), ("/v1/docs", False), ("/healthz", False)]
)
def test_only_a_page_has_a_session_and_messages(client: Client, db: None, path: str, has: bool) -> None:
    request = client.get(path, HTTP_HOST="localhost").wsgi_request

    assert [hasattr(request, name) for name in ("session", "_messages")] == [has] * 2


def test_a_page_is_one_wherever_a_proxy_puts_the_service(client: Client, db: None) -> None:
    page = client.get("/admin-ui/sign-in/", HTTP_HOST="localhost", SCRIPT_NAME="/memory")

    assert page.status_code == 200
    assert "default-src 'none'" in page["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("error", "status"), [(OperationalError(WORDS), 503), (RuntimeError(WORDS), 500)], ids=["away", "crash"]
)
def test_a_page_that_could_not_be_made_says_so_and_logs_nobodys_words(
    error: Exception, status: int, editor: Client, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise error

    editor.raise_request_exception = False
    with connection.execute_wrapper(fail):
        page = editor.get("/admin-ui/relationships/")

    assert (page.status_code, page.headers.get("Retry-After")) == (status, "1" if status == 503 else None)
    assert "Back to the overview" in page.content.decode()
    assert WORDS not in caplog.text
