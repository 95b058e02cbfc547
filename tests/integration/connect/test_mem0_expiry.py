"""mem0's `expiration_date`: a memory is there to the end of that day."""

from datetime import UTC, datetime, time, timedelta

from memory.forgetting.expiry import expire_entries
from tests.fixtures.mem0 import Mem0


def test_a_memory_is_there_to_the_end_of_its_expiration_date_and_by_its_id_after_that(mem0: Mem0) -> None:
    today = datetime.now(UTC).date()
    body = {"messages": "Trial account.", "user_id": "maya", "infer": False, "expiration_date": str(today)}
    memory = mem0.send("POST", "v3/memories/add/", body)[1]["results"][0]["id"]
    ends = datetime.combine(today + timedelta(days=1), time(), UTC)

    expire_entries(ends - timedelta(seconds=1))
    assert mem0.all("maya") == ["Trial account."]
    assert mem0.send("GET", f"v1/memories/{memory}/")[1]["expiration_date"] == str(today)

    expire_entries(ends)
    assert mem0.all("maya") == []
    assert mem0.send("GET", f"v1/memories/{memory}/")[1]["memory"] == "Trial account."

    status, told = mem0.send("PUT", f"v1/memories/{memory}/", {"expiration_date": None})
    assert (status, told["expiration_date"]) == (200, None)
    assert mem0.all("maya") == ["Trial account."]


def test_a_refused_change_brings_no_expired_memory_back(mem0: Mem0) -> None:
    memory = mem0.keep("maya", "Trial account.")
    tomorrow = datetime.now(UTC).date() + timedelta(days=1)
    mem0.send("PUT", f"v1/memories/{memory}/", {"expiration_date": str(tomorrow)})
    expire_entries(datetime.now(UTC) + timedelta(days=3))

    status, told = mem0.send("PUT", f"v1/memories/{memory}/", {"text": "", "expiration_date": None})

    assert status == 422, told
    assert mem0.all("maya") == []
