import hashlib
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from uuid import UUID

import pytest
from django.db import connection, transaction
from django.utils import timezone

from providers.llm.base import CompletionRequest
from relationships.models import Message, Relationship
from relationships.services.hiding import hide_messages
from relationships.services.sequence import lock_relationship
from tests.fakes import ScriptedProvider
from tests.fixtures.api import TESTER
from tests.fixtures.distributed import somebody_waits_for_us
from tests.fixtures.turns import Conversation
from tests.fixtures.workspaces import begin, done, step, work
from tests.waiting import wait_until
from upkeep.erasure.messages import redact_messages
from workspace.files import change_files
from workspace.forgettable import ForgettableFiles
from workspace.models import AgentStep, SessionState
from workspace.store import read_contents


@pytest.mark.django_db(transaction=True)
def test_what_is_forgotten_goes_while_others_commit(relationship: Relationship) -> None:
    def write(place: int) -> None:
        try:
            change_files(relationship=relationship, changes={f"{place % 9}.md": b"%d" % place}, by=TESTER)
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        for animal in "raven otter badger weasel heron lynx marmot viper stoat crane ibex newt mole owl toad hare".split():
            said = f"Likes the {animal}\n".encode()
            change_files(relationship=relationship, changes={f"{animal}.md": said}, by=TESTER)
            sentence = UUID(bytes=hashlib.sha256(said).digest()[:12] + bytes(4))
            writing = [pool.submit(write, place) for place in range(20)]
            with transaction.atomic():
                assert ForgettableFiles().hide(relationship, [sentence], now=timezone.now()) == {sentence}
            for one in writing:
                one.result()
            assert said not in read_contents(relationship.id, "main").values()


@pytest.mark.parametrize("what", ["hidden", "erased"])
@pytest.mark.django_db(transaction=True)
def test_what_goes_while_an_agent_finds_it_is_not_among_what_it_found(
    what: str, pair: Relationship, conversation: Conversation, scripted_provider: ScriptedProvider
) -> None:
    """It is found before the change is committed, and stored after it."""
    turn = conversation.say("I drink rooibos.")
    said = list(
        Message.objects.for_relationship(pair.id).filter(turn_id=turn.id).values_list("id", flat=True)
    )
    began = Event()

    def change() -> None:
        try:
            with transaction.atomic():
                lock_relationship(pair.id)
                if what == "hidden":
                    hide_messages(relationship_id=pair.id, message_ids=said, now=timezone.now())
                else:
                    redact_messages(
                        project_id=pair.project_id, relationship_id=pair.id, message_ids=said, by=TESTER
                    )
                began.set()
                wait_until(somebody_waits_for_us, what="the agent's step to wait for the lock")
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:

        def begin_to_change(request: CompletionRequest) -> dict[str, str]:
            changing.append(pool.submit(change))
            assert began.wait(10)
            return step("recall", query="rooibos", messages=True)

        changing: list[Future[None]] = []
        scripted_provider.answer_with(begin_to_change, done(), "# Maya")
        session = work(pair, begin(pair))
        changing[0].result()

    assert session.state == SessionState.DONE, session.error
    assert not AgentStep.objects.for_relationship(pair.id).filter(result__contains="I drink rooibos").exists()
