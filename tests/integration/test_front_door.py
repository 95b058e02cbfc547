import re

from django.test import Client


def test_whoever_opens_the_bare_address_finds_the_ways_in(client: Client, db: None) -> None:
    answer = client.get("/")

    assert (answer.status_code, answer["Content-Type"]) == (200, "text/html; charset=utf-8")
    ways = re.findall(r'<a [^>]*href="([^"]+)"', answer.content.decode())
    assert ways == ["/admin-ui/", "/v1/docs", "/healthz"]
    assert [client.get(way, follow=True).status_code for way in ways] == [200, 200, 200]
