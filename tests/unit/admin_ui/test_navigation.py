from django.test import Client


def test_the_page_one_is_on_is_marked(editor: Client) -> None:
    page = editor.get("/admin-ui/relationships/").content.decode()

    assert page.count('aria-current="page"') == 1
    assert '<a href="/admin-ui/relationships/" aria-current="page">' in page


def test_the_theme_one_chose_stays(editor: Client) -> None:
    answer = editor.post(
        "/admin-ui/theme/", {"theme": "dark"}, headers={"Referer": "http://localhost/admin-ui/turns/"}
    )

    assert answer["Location"] == "http://localhost/admin-ui/turns/"
    assert '<html lang="en" data-theme="dark">' in editor.get("/admin-ui/").content.decode()


def test_a_theme_that_is_none_is_ignored(editor: Client) -> None:
    editor.cookies["rapport_theme"] = '"><script>'

    assert '<html lang="en">' in editor.get("/admin-ui/").content.decode()
