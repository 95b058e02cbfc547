"""The schema's address is open to everybody, so what it costs is anybody's to spend."""

from concurrent.futures import ThreadPoolExecutor

from django.test import Client

from web import docs


def test_many_who_ask_for_the_schema_at_once_get_the_one_that_is_made_once() -> None:
    docs.schema_document.cache_clear()

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: Client().get("/v1/schema"), range(4)))

    assert [answer.status_code for answer in answers] == [200] * 4
    assert docs.schema_document.cache_info().misses == 1
    assert {answer.content for answer in answers} == {docs.schema_document()}


def test_nothing_in_the_address_changes_the_schema() -> None:
    plain = Client().get("/v1/schema")

    assert Client().get("/v1/schema", {"version": "2\nX: y"}).content == plain.content
    assert plain.headers["Content-Disposition"] == 'inline; filename="Rapport.json"'
