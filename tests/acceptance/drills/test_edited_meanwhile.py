"""A person edits an entry, over REST, while the model answers about it: the person's text stands."""

import threading
from typing import Any

import httpx
import pytest

from memory.models import ScratchpadEntry
from relationships.models import Turn
from tests.acceptance.drills.talk import scaled
from tests.acceptance.service import LiveService
from tests.vendor_servers.openai_server import OpenAIServer

pytestmark = pytest.mark.drill

ROUNDS = scaled(2, 10)


@pytest.mark.parametrize("again", ["once", "every time"])
def test_the_persons_text_stands(again: str, drilled: LiveService) -> None:
    edited = threading.Event()
    people: dict[str, Any] = {}

    def edit_then_answer(body: dict[str, Any]) -> dict[str, Any]:
        """The model was asked; a person is faster. Then it wants to overwrite what it saw."""
        if again == "every time" or not edited.is_set():
            text = f"Edited by hand, {len(people['edits'])}"
            people["edits"].append(text)
            answer = httpx.patch(people["entry"], json={"content": text}, headers=people["headers"])
            assert answer.status_code == 200, answer.text
            edited.set()
            return {
                "json": {"operations": [{"op": "update", "entry": 1, "content": "Model", "messages": [1]}]}
            }
        assert (
            "Edited by hand" in body["messages"][-1]["content"]
        )  # it sees the present list when asked again
        return {"json": {"operations": []}}

    with OpenAIServer(respond=edit_then_answer) as model:
        drilled.settings["OPENAI_BASE_URL"] = model.url
        drilled.start_worker()
        web = drilled.start_web()
        drilled.wait_until_ready()
        people["headers"] = {"Authorization": f"Bearer {drilled.new_api_key()}"}
        for _ in range(ROUNDS):
            edited.clear()
            people["edits"] = []
            relationship = drilled.new_relationships(1)[0]
            entries = f"{web.url}/v1/relationships/{relationship.id}/entries"
            made = httpx.post(
                entries, json={"content": "At first", "type": "other"}, headers=people["headers"]
            )
            people["entry"] = f"{entries}/{made.json()['id']}"

            turn = drilled.say(relationship, "Change it.")
            drilled.wait_until_settled([turn])

            entry = ScratchpadEntry.objects.for_relationship(relationship.id).get()
            assert entry.content == people["edits"][-1]
            judged = Turn.objects.for_relationship(relationship.id).get().operations
            assert {one["verdict"] for one in judged} <= {"refused"}
