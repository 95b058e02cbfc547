"""A person edits an entry, over REST, while the model answers about it: the person's text stands."""

import threading
from typing import Any

import httpx
import pytest

from memory.models import OperationResult, ScratchpadEntry
from tests.acceptance.drills.answers import NOTHING, change_entries
from tests.acceptance.drills.questions import question_in
from tests.acceptance.drills.talk import scaled
from tests.acceptance.service import LiveService
from tests.vendor_servers.openai_server import OpenAIServer

pytestmark = pytest.mark.drill

ROUNDS = scaled(2, 10)


FIRST = "At first"


def test_the_persons_text_stands(drilled: LiveService) -> None:
    """Edited once, or each time the model is asked."""
    edited, always = threading.Event(), False
    people: dict[str, Any] = {}

    def edit_then_answer(body: dict[str, Any]) -> dict[str, Any]:
        """The model was shown the entry; a person is faster. Then it wants to overwrite what it saw."""
        question = question_in(body)
        if question.task == "extract":  # shows no entry
            return {"json": change_entries(question, facts=1)}
        if always or not edited.is_set():
            text = f"{FIRST}, edited by hand, {len(people['edits'])}"
            people["edits"].append(text)
            answer = httpx.patch(people["entry"], json={"content": text}, headers=people["headers"])
            assert answer.status_code == 200, answer.text
            edited.set()
            return {"json": change_entries(question, facts=1)}
        assert question.entries[1] == people["edits"][-1]  # it sees the present list when asked again
        return {"json": NOTHING[question.task]}

    with OpenAIServer(respond=edit_then_answer) as model:
        drilled.settings["OPENAI_BASE_URL"] = model.url
        drilled.start_worker()
        web = drilled.start_web()
        drilled.wait_until_ready()
        people["headers"] = {"Authorization": f"Bearer {drilled.new_api_key()}"}
        for number in range(2 * ROUNDS):
            always = number % 2 == 1
            edited.clear()
            people["edits"] = []
            relationship = drilled.new_relationships(1)[0]
            entries = f"{web.url}/v1/relationships/{relationship.id}/entries"
            made = httpx.post(entries, json={"content": FIRST, "type": "goal"}, headers=people["headers"])
            people["entry"] = f"{entries}/{made.json()['id']}"

            turn = drilled.say(relationship, f"Change what was {FIRST.lower()}.")
            drilled.wait_until_settled([turn])

            entry = ScratchpadEntry.objects.for_relationship(relationship.id).get()
            assert entry.content == people["edits"][-1]
            judged = OperationResult.objects.for_relationship(relationship.id)
            assert {one.verdict for one in judged} <= {"refused"}
