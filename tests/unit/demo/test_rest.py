import httpx2
import pytest

from demo.errors import DemoFailed, RequestFailed
from demo.rest import Rest


def answering(response: httpx2.Response) -> Rest:
    return Rest("http://localhost", "rk", transport=httpx2.MockTransport(lambda request: response))


def test_a_list_is_read_to_its_end(rest: Rest) -> None:
    for number in range(3):
        rest.post("/users", {"external_id": f"user-{number}"})
    assert [user["external_id"] for user in rest.every("/users", limit=1)] == ["user-0", "user-1", "user-2"]


def test_a_refusal_is_reported_with_its_field(rest: Rest) -> None:
    with pytest.raises(RequestFailed, match=r"POST /v1/companions: 422 .* name: is required") as refused:
        rest.post("/companions", {"slug": "ada"})
    assert refused.value.status == 422


@pytest.mark.parametrize(
    "response",
    [httpx2.Response(502, text="<html>"), httpx2.Response(502, json=["no"]), httpx2.Response(502)],
    ids=["a page", "another JSON", "nothing"],
)
def test_a_refusal_by_a_proxy_is_reported_too(response: httpx2.Response) -> None:
    with pytest.raises(RequestFailed, match="GET /v1/project: 502"):
        answering(response).get("/project")


def test_a_service_that_is_away_is_said_so() -> None:
    with Rest("http://127.0.0.1:9", "rk") as rest, pytest.raises(DemoFailed, match="got no answer"):
        rest.get("/project")
