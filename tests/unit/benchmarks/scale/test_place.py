from pathlib import Path
from uuid import UUID

import pytest

from benchmarks.scale.place import EMBEDDED, Place, drawn

IDS = [UUID(int=number) for number in range(2 * EMBEDDED)]


def test_what_was_seeded_is_known_again(tmp_path: Path) -> None:
    place = Place(UUID(int=7), "rk_key", IDS, history_of_one_in=2, seconds=12.5)

    place.save(tmp_path)

    assert Place.load(tmp_path) == place


def test_nothing_was_seeded_where_nothing_was_written_down(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Place.load(tmp_path)


def test_the_first_have_vectors() -> None:
    assert Place(UUID(int=7), "", IDS).embedded == IDS[:EMBEDDED]


def test_nobody_is_drawn_twice_while_there_are_others() -> None:
    found = drawn(IDS, 500, seed=1)

    assert len(set(found)) == 500
    assert found == drawn(IDS, 500, seed=1) != drawn(IDS, 500, seed=2)


def test_few_are_drawn_again_and_again() -> None:
    assert sorted(drawn(IDS[:3], 9, seed=1)) == sorted(3 * IDS[:3])
