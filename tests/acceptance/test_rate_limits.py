"""The real web server, in two processes: what one lets through, the other counts."""

from concurrent.futures import ThreadPoolExecutor
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from tests.acceptance.service import LiveService

LIMIT = 40


def test_two_processes_together_let_just_the_limit_through(live: LiveService) -> None:
    web = live.start_web(RAPPORT_RATE_REQUESTS=f"{LIMIT}/hour", RAPPORT_WEB_PROCESSES="2")
    web.wait_until_it_answers()
    key, other = live.new_api_key(), live.new_api_key()

    def ask(key: str) -> int:
        sent = Request(f"{web.url}/v1/project", headers={"Authorization": f"Bearer {key}"})
        try:
            with urlopen(sent, timeout=30) as answer:
                return int(answer.status)
        except HTTPError as refused:
            assert 3000 < int(refused.headers["Retry-After"]) <= 3600
            return refused.code

    with ThreadPoolExecutor(8) as people:
        statuses = list(people.map(ask, [key] * 4 * LIMIT))

    assert (statuses.count(200), statuses.count(429)) == (LIMIT, 3 * LIMIT)
    assert ask(other) == 200
    assert web.answers("/healthz")
