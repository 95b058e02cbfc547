from django.test import Client


def test_a_page_runs_and_shows_only_our_own_files(client: Client, db: None) -> None:
    policy = client.get("/admin-ui/sign-in/", HTTP_HOST="localhost")["Content-Security-Policy"]

    assert "script-src 'self'" in policy
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_what_is_remembered_is_kept_by_no_cache(editor: Client) -> None:
    assert editor.get("/admin-ui/relationships/")["Cache-Control"] == "no-store"


def test_other_addresses_are_left_alone(client: Client, db: None) -> None:
    assert "Content-Security-Policy" not in client.get("/healthz", HTTP_HOST="localhost")
