import hashlib
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from django.db import connection, transaction
from django.utils import timezone

from relationships.models import Relationship
from tests.fixtures.api import TESTER
from workspace.files import change_files
from workspace.forgettable import ForgettableFiles
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
