"""mem0's protocol over Django's test client: whose memory is whose, and what is refused."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from config.rates import Rate
from memory.models import ScratchpadEntry
from relationships.models import ApiKey, Companion, Turn
from relationships.services.projects import create_project
from tests.acceptance.drills.talk import scaled
from tests.fixtures.api import TESTER, new_key
from tests.fixtures.mem0 import Mem0
from web import throttling
from web.rate_counters import RateCounters

PEOPLE = scaled(60, 1000)
NOT_THERE = "This entry does not exist, or was named before."


@pytest.mark.drill
def test_many_people_find_their_own_and_nobody_elses(mem0: Mem0) -> None:
    for number in range(PEOPLE):
        mem0.keep(f"person-{number}", f"The code word is W{number}Z.")
    for number in range(0, PEOPLE, 7):
        assert mem0.all(f"person-{number}") == [f"The code word is W{number}Z."]
    for number in range(0, PEOPLE, 10):
        asked = {"query": "code word", "filters": {"user_id": f"person-{number}"}, "top_k": 200}
        found = mem0.send("POST", "v3/memories/search/", asked)[1]["results"]
        assert [one["memory"] for one in found] == [f"The code word is W{number}Z."]


def test_another_project_finds_nothing_by_name_or_by_id(mem0: Mem0) -> None:
    memory = mem0.keep("maya", "Has a cat.")
    stranger = Mem0(new_key(create_project(name="Other", by=TESTER), "admin"))
    assert stranger.all("maya") == []
    for method, path in (("GET", ""), ("PUT", ""), ("DELETE", ""), ("GET", "history/")):
        status, told = stranger.send(
            method, f"v1/memories/{memory}/{path}", {"text": "x"} if method == "PUT" else None
        )
        assert status == 404, told
    assert mem0.all("maya") == ["Has a cat."]


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "said"),
    [
        ("POST", "v3/memories/", {}, 400, "user_id: name one person"),
        ("POST", "v3/memories/", {"filters": {"user_id": "*"}}, 400, "user_id: name one person"),
        ("POST", "v3/memories/", {"filters": {"user_id": {"in": ["a"]}}}, 400, "filters.user_id"),
        ("POST", "v3/memories/", {"filters": {"OR": [{"user_id": "a"}]}}, 400, "filters.OR"),
        ("POST", "v3/memories/", {"filters": {"user_id": "a", "run_id": "r"}}, 400, "run_id"),
        ("POST", "v3/memories/add/", {"user_id": "a", "messages": []}, 400, "messages"),
        (
            "POST",
            "v3/memories/add/",
            {"user_id": "a", "messages": "x", "custom_instructions": "y"},
            400,
            "ingestion",
        ),
        (
            "POST",
            "v3/memories/add/",
            {"user_id": "a", "messages": "x", "agent_id": "No Slug"},
            400,
            "agent_id",
        ),
        (
            "POST",
            "v3/memories/add/",
            {"user_id": "a", "messages": "x", "timestamp": "soon"},
            400,
            "timestamp",
        ),
        *(
            ("POST", "v3/memories/add/", {"user_id": "a", **body}, status, said)
            for body, status, said in (
                (
                    {"messages": [{"role": "user", "content": [{"type": "text", "text": 1}]}]},
                    400,
                    "messages.0.content",
                ),
                ({"messages": [{"role": "user", "content": "I love tea."}, "x"]}, 400, "messages.1: must be"),
                ({"messages": ["x"], "infer": False}, 400, "messages.0: must be"),
                ({"messages": "x", "timestamp": -7e10}, 400, "timestamp"),
                ({"messages": "x", "expiration_date": -7e10, "infer": False}, 400, "expiration_date"),
                ({"messages": "x", "expiration_date": "2030-01-01"}, 400, "infer=False"),
                ({"messages": "x", "metadata": {"a": [1]}}, 400, "metadata.a"),
                ({"messages": "x", "run_id": {"a": 1}}, 400, "run_id"),
                ({"messages": "x", "immutable": True}, 400, "read_only"),
                ({"messages": "x", "user_id": "u" * 201}, 422, "user_id: "),
                ({"messages": "x", "run_id": ""}, 422, "run_id: "),
                ({"messages": "x", "metadata": {"a": "b" * 201}}, 422, "metadata.a: "),
                ({"messages": " ", "infer": False}, 422, "messages.0.content: "),
            )
        ),
        *(
            ("POST", "v3/memories/", {"user_id": "a", "filters": filters}, 400, "filters")
            for filters in (
                {"AND": 5},
                {"AND": [5]},
                {"AND": {"user_id": "a"}},
                {"AND": [{"AND": [{"created_at": {"gte": "2020"}}]}]},
                {"AND": [{"user_id": "a"}, {"user_id": "b"}]},
                [{"user_id": "a"}],
                5,
                '{"user_id": "a", "user_id": "b"}',
            )
        ),
        ("POST", "v3/memories/search/", {"filters": {"user_id": "maya"}}, 422, "query: must be a string"),
        (
            "POST",
            "v3/memories/search/",
            {"query": "a", "user_id": "maya", "threshold": "x"},
            422,
            "threshold: ",
        ),
        ("DELETE", "v1/memories/", None, 400, "user_id"),
        ("GET", "v1/memories/no-id/", None, 404, "does not exist"),
        ("POST", "v1/exports/", {"schema": "{}"}, 501, "not offered"),
    ],
)
def test_unsupported_fields_are_refused_with_a_sentence(
    mem0: Mem0, method: str, path: str, body: Any, status: int, said: str
) -> None:
    mem0.keep("maya", "Has a cat.")
    answer = mem0.send(method, path, body)
    assert (answer[0], said in answer[1]["detail"]) == (status, True), answer
    assert f"({said}" not in answer[1]["detail"]  # once is enough


def test_nothing_is_created_for_an_invalid_person(mem0: Mem0) -> None:
    assert (
        mem0.send("POST", "v3/memories/add/", {"user_id": "u" * 201, "agent_id": "ghost", "messages": "x"})[0]
        == 422
    )
    assert not Companion.objects.filter(slug="ghost").exists()


def test_a_turns_metadata_is_on_the_entries_learnt_from_it(mem0: Mem0) -> None:
    body = {"messages": "x", "user_id": "maya", "metadata": {"source": "form", "page": 3}}
    mem0.send("POST", "v3/memories/add/", body)
    assert Turn.objects.get().tags == {"source": "form", "page": "3"}


def test_a_memory_that_is_changed_stays_as_old_as_it_is(mem0: Mem0) -> None:
    memory = mem0.keep("maya", "Lives in Porto.")
    before = mem0.send("GET", f"v1/memories/{memory}/")[1]

    after = mem0.send("PUT", f"v1/memories/{memory}/", {"text": "Lives in Faro."})[1]

    assert after["created_at"] == before["created_at"] < after["updated_at"]


def test_metadata_of_an_update_is_merged_into_what_is_there(mem0: Mem0) -> None:
    memory = mem0.keep("maya", "Lives in Porto.")

    def after(metadata: dict[str, Any]) -> Any:
        return mem0.send("PUT", f"v1/memories/{memory}/", {"metadata": metadata})[1]["metadata"]

    assert after({"a": 1, "b": 2}) == {"a": 1, "b": 2}
    assert after({}) == {"a": 1, "b": 2}
    assert after({"b": 3, "c": 4}) == {"a": 1, "b": 3, "c": 4}
    assert after({"b": None}) == {"a": 1, "c": 4}


def test_all_of_a_person_are_deleted_with_as_many_statements_as_one_is(mem0: Mem0) -> None:
    def delete_all(user: str, *texts: str) -> int:
        said = [{"role": "user", "content": text} for text in texts]
        kept = mem0.send("POST", "v3/memories/add/", {"messages": said, "user_id": user, "infer": False})
        assert len(kept[1]["results"]) == len(texts), kept
        with CaptureQueriesContext(connection) as asked:
            assert mem0.send("DELETE", f"v1/memories/?user_id={user}")[0] == 200
        statements = len(asked)
        assert mem0.all(user) == []
        return statements

    delete_all("noor", "Has a cat.")  # what a process reads once
    assert delete_all("tom", "Has a cat.") >= delete_all("maya", *(f"Has cat {n}." for n in range(9)))


def test_a_memory_that_is_there_already_is_answered_with_and_keeps_none_from_coming(mem0: Mem0) -> None:
    memory = mem0.keep("maya", "Has a cat.")
    said = [{"role": "user", "content": text} for text in ("has a cat", "Has a dog.", "Has a dog.")]

    status, told = mem0.send(
        "POST", "v3/memories/add/", {"messages": said, "user_id": "maya", "infer": False}
    )

    assert status == 200, told
    cat, dog, again = told["results"]
    assert (cat["event"], cat["id"], cat["memory"]) == ("NONE", memory, "Has a cat.")
    assert (dog["event"], again) == ("ADD", {**dog, "event": "NONE"})
    assert len(mem0.all("maya")) == 2


def test_a_batch_is_done_whole_or_not_at_all_and_says_what_can_not_be(mem0: Mem0) -> None:
    cat, dog, fish = (
        mem0.keep("maya", "Has a cat."),
        mem0.keep("maya", "Has a dog."),
        mem0.keep("tom", "Has fish."),
    )
    nobody = f"{fish.split('.')[0]}.01890a5d-ac96-774b-bcce-b302099a8057"
    kept = ["Has a cat.", "Has a dog.", "Has fish."]

    def batch(method: str, *memories: tuple[str, dict[str, Any]]) -> tuple[int, str, list[str]]:
        listed = [{"memory_id": memory, **more} for memory, more in memories]
        status, told = mem0.send(method, "v1/batch/", {"memories": listed})
        return status, next(iter(told.values())), sorted([*mem0.all("maya"), *mem0.all("tom")])

    one, same = (cat, {"text": "Has one cat."}), (dog, {"text": "has ONE cat"})
    assert batch("PUT", one, (nobody, {"text": "x"})) == (404, f"memories.1: {NOT_THERE}", kept)
    assert batch("PUT", one, (dog, {"text": ""}))[::2] == (422, kept)
    assert batch("PUT", one, (fish, {}))[:2] == (400, "memories.1: Send text, metadata or expiration_date.")
    assert batch("PUT", one, (fish, {"text": "Has a bird."}), same) == (
        422, "memories.2: Another active entry says exactly this.", kept,
    )  # fmt: skip
    assert batch("DELETE", (cat, {}), (nobody, {})) == (404, "memories.1: This entry does not exist.", kept)
    changed = ["Has a bird.", "Has a dog.", "Has two cats."]
    done = batch("PUT", one, (fish, {"text": "Has a bird."}), (cat, {"text": "Has two cats."}))
    assert done == (200, "Successfully updated 3 memories", changed)
    assert batch("DELETE", (cat, {}), (cat, {}), (fish, {}))[::2] == (200, ["Has a dog."])


def test_a_batch_is_let_in_and_counted_before_its_transaction_for_other_requests_wait_for_those_rows(
    mem0: Mem0, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In it, two batches of one key hung on each other for ever."""
    monkeypatch.setattr(throttling, "RATE_COUNTERS", RateCounters())
    memories = [{"memory_id": mem0.keep(who, "Has a cat."), "text": "Has cats."} for who in ("maya", "tom")]
    settings.KEY_RATES = {"requests": Rate(4, 60)}  # a share is one request
    ApiKey.objects.update(last_used_at=None)

    said: list[str] = []

    def note(execute: Callable[..., Any], sql: Any, *more: Any) -> Any:
        said.append(sql if isinstance(sql, str) else sql.as_string())
        return execute(sql, *more)

    with connection.execute_wrapper(note):
        assert mem0.send("PUT", "v1/batch/", {"memories": memories})[0] == 200

    shared = [place for place, sql in enumerate(said) if re.search("ratewindow|UPDATE relationships_ap", sql)]
    assert len(shared) == 3
    assert max(shared) < next(place for place, sql in enumerate(said) if sql.startswith("SAVEPOINT"))
    mem0.send("DELETE", "v1/batch/", {"memories": memories[:1]})
    for refused in (mem0.ask("DELETE", "v1/batch/", {"memories": memories}), mem0.ask("GET", "v1/ping/")):
        assert refused.status_code == 429
        assert 1 <= int(refused["Retry-After"]) <= 60
    assert ScratchpadEntry.objects.active().count() == 1
    assert Mem0("rk_aaaaaaaa_" + "x" * 43).send("PUT", "v1/batch/", {"memories": []})[0] == 401


def test_a_time_of_a_change_is_refused_not_passed_over(mem0: Mem0) -> None:
    memory = mem0.keep("maya", "Has a cat.")
    status, told = mem0.send(
        "PUT", f"v1/memories/{memory}/", {"text": "Has cats.", "timestamp": "2024-05-08"}
    )
    assert (status, told["detail"][:10]) == (400, "timestamp:")
    assert mem0.all("maya") == ["Has a cat."]


def test_a_body_in_any_letters_may_be_as_long_as_one_in_ascii(mem0: Mem0) -> None:
    said = [{"role": "user", "content": "я" * 30_000} for _ in range(8)]
    assert mem0.send("POST", "v3/memories/add/", {"messages": said, "user_id": "maya"})[0] == 200


def test_a_wrong_key_is_told_nothing(mem0: Mem0) -> None:
    wrong = Mem0("rk_aaaaaaaa_" + "x" * 43)
    assert wrong.send("GET", "v1/ping/")[0] == 401
    assert wrong.send("GET", "v1/nowhere/")[0] == 401


def test_it_is_off_by_default(mem0: Mem0, settings: Settings) -> None:
    settings.MEM0 = False
    assert mem0.send("GET", "v1/ping/")[0] == 404


def test_what_was_deleted_is_gone_but_for_its_history(mem0: Mem0) -> None:
    memory = f"v1/memories/{mem0.keep('maya', 'Has a cat.')}/"
    assert (mem0.send("GET", memory)[0], mem0.send("DELETE", memory)[0]) == (200, 200)

    assert mem0.send("GET", memory) == (404, {"detail": "This memory is deleted; its history is kept."})
    assert [one["event"] for one in mem0.send("GET", f"{memory}history/")[1]] == ["ADD", "DELETE"]


def test_a_person_whose_id_has_slashes_is_erased_and_nobody_else(mem0: Mem0) -> None:
    people = ("a", "a/", "a/b")
    for person in people:
        mem0.keep(person, "Has a cat.")
    for number, name in enumerate(("a%2Fb", "a%2F"), start=1):
        assert mem0.send("DELETE", f"v2/entities/user/{name}/")[0] == 200
        assert [len(mem0.all(person)) for person in people] == [1, int(number == 1), 0]
