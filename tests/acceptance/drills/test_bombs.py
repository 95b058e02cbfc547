"""Documents that were made to take a worker down are uploaded one behind the other, and an honest one behind them."""

import pytest

from knowledge.models import Document, DocumentState
from tests.acceptance.drills.talk import only_long
from tests.acceptance.service import LiveService
from tests.fixtures.bombs import BOMBS, MEMORY, SECONDS
from tests.fixtures.documents import upload
from tests.waiting import wait_until

pytestmark = [pytest.mark.drill, only_long]


def test_each_ends_by_itself_and_the_worker_reads_on(live: LiveService) -> None:
    live.settings |= {
        "RAPPORT_DOCUMENT_SECONDS": str(SECONDS),
        "RAPPORT_DOCUMENT_MEMORY": str(MEMORY),
        "RAPPORT_EMBEDDING_PROVIDER": "offline",
    }
    companion = live.new_relationships(1)[0].companion
    sent = [upload(companion, bomb.made(), bomb.name) for bomb in BOMBS.values()]
    honest = upload(companion, "Refunds take five days.", "words.txt")
    worker = live.start_worker()
    worker.wait_until_in_order()
    before = [reader.pid for reader in worker.readers()]

    ids = [document.id for document in (*sent, honest)]
    settled = Document.objects.filter(id__in=ids, state__in=["ready", "failed"])
    wait_until(lambda: settled.count() == len(ids), timeout=120, what="every document to be settled")

    for document, (name, bomb) in zip(sent, BOMBS.items(), strict=True):
        # On a busy machine time may be up before the limit is reached that ends it otherwise.
        assert Document.objects.get(id=document.id).error_code in (*bomb.ends, "too_slow"), name
    assert Document.objects.get(id=honest.id).state == DocumentState.READY
    assert [reader.pid for reader in worker.readers()] == before
