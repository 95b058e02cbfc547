"""Files that were made to take a reader down: each ends with the limit it ran into, and the next one is read."""

import psutil
import pytest
from pytest_django.fixtures import Settings

from knowledge.errors import REASONS
from knowledge.parsing.base import Unreadable
from knowledge.sandbox import parse_document
from relationships.models import Companion
from tests.fixtures.bombs import BOMBS, LIMITS, MEMORY, SECONDS, Bomb
from tests.fixtures.documents import learn


@pytest.fixture(autouse=True)
def small_limits(settings: Settings) -> None:
    settings.DOCUMENT_SECONDS = SECONDS
    settings.DOCUMENT_MEMORY = MEMORY


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
def test_a_bomb_is_read_to_its_end_or_ends_with_the_limit(bomb: Bomb, settings: Settings) -> None:
    if bomb.ends != LIMITS:  # it ends by itself, on a busy machine late
        settings.DOCUMENT_SECONDS = 20 * SECONDS
    code = ""
    try:
        parse_document(bomb.made(), kind=bomb.kind)
    except Unreadable as error:
        code = error.code

    assert code in bomb.ends
    assert not code or REASONS[code]
    assert not psutil.Process().children()


@pytest.mark.django_db
def test_the_next_document_is_read(companion: Companion) -> None:
    failed = learn(companion, BOMBS["a page packed twice"].made(), "bomb.pdf")
    ready = learn(companion, "Words.", "words.txt")

    assert (failed.state, failed.error_code in BOMBS["a page packed twice"].ends) == ("failed", True)
    assert "RAPPORT_DOCUMENT_" in failed.error  # names the limit
    assert ready.state == "ready"
