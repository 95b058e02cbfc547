from datetime import UTC, datetime
from uuid import UUID

from web.rendering import OrjsonRenderer


def test_times_end_in_z_and_ids_are_texts() -> None:
    shown = OrjsonRenderer().render(
        {"at": datetime(2026, 3, 2, 9, tzinfo=UTC), "id": UUID(int=1), "name": "Мая"}
    )

    assert shown.decode() == (
        '{"at":"2026-03-02T09:00:00Z","id":"00000000-0000-0000-0000-000000000001","name":"Мая"}'
    )


def test_nothing_is_an_empty_body() -> None:
    assert OrjsonRenderer().render(None) == b""
