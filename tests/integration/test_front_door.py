from django.test import Client


def test_whoever_opens_the_bare_address_is_shown_the_documentation(client: Client, db: None) -> None:
    answer = client.get("/", follow=True)

    assert answer.redirect_chain == [("/v1/docs", 302)]
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/html; charset=utf-8")
