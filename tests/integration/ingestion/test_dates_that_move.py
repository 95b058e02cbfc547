"""The day beside an entry's text moves with the text, where an answer gives a new text and no date."""

from typing import Any

import pytest

from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer, replacing, update


@pytest.mark.parametrize("change", [update, replacing])
@pytest.mark.parametrize(
    ("new", "kept"),
    [
        ("Planned in 2026-02: meets Lena on 2026-03-08 at 9:30, with Per", "2026-03-08T09:30"),
        ("Planned in 2026-02: meets Lena on 2026-03-08 from 9:30 to 11:00, with Per", "2026-03-08"),
        ("Planned in 2026-02: meets Lena on 2026-03-07 at 20:00, with Per", "2026-03-07T20:00"),
        ("Planned in 2026-02: meets Lena on 2026-03-07 at 8 pm, with Per", "2026-03-07T20:00"),
        ("Planned in 2026-03: meets Lena on 2026-03-08 at 9:30, with Per", "2026-03-08T09:30"),
        ("Meets Lena on 8 March 2026, not on 2026-03-07, with Per", "2026-03-07T18:00"),
        ("Meets Lena in 2026-04, with Per", "2026-03-07T18:00"),
        ("Meets Lena on 2026-02-30, with Per", "2026-03-07T18:00"),
        ("Meets Lena on 2026-03-07 at 18:00, with Per", "2026-03-07T18:00"),
    ],
    ids=[
        "another",
        "two times",
        "another time",
        "another time of a half",
        "planned anew",
        "both",
        "a month",
        "no such day",
        "the same",
    ],
)
def test_a_day_beside_the_text_moves_with_the_text(
    conversation: Conversation, scripted_provider: ScriptedProvider, new: str, kept: str, change: Any
) -> None:
    said, date = "Planned in 2026-02: meets Lena on 2026-03-07 at 18:00", "2026-03-07T18:00"
    old = add(said, type="event", happens_at=date)
    scripted_provider.answer_with(answer(old), *[answer(change(1, new, reason="moved"))] * 2)

    conversation.hear("I meet Lena on Saturday at six.")
    conversation.hear("About Lena: Per comes along.")

    both = "2026-03-08" if "not on" in new else None  # what is replaced has ended, and its day with it
    stands = kept if change is update or kept != date else both
    assert [(entry.content, entry.happens_at) for entry in conversation.entries] == [(new, stands)]


@pytest.mark.parametrize(
    ("new", "updated", "replaced"),
    [
        (
            "Planned in 2026-03: Rome from 2026-05-08 to 2026-05-15",
            "2026-05-08/2026-05-15",
            "2026-05-08/2026-05-15",
        ),
        (
            "Planned in 2026-03: Rome from 2026-05-08 to 2026-05-15, before that from 2026-04-10 to 2026-04-17",
            "2026-04-10/2026-04-17",
            "2026-05-08/2026-05-15",
        ),
        ("Cancelled Rome from 2026-04-10 to 2026-04-17 on 2026-03-05", "2026-04-10/2026-04-17", None),
        ("Rome from 2026-04-10 to 2026-04-20", "2026-04-10/2026-04-20", "2026-04-10/2026-04-20"),
        ("Planned in 2026-03: Rome from 2026-05-08, for a week", "2026-04-10/2026-04-17", None),
    ],
    ids=["moved", "with the days before", "cancelled", "longer", "one day"],
)
def test_both_days_of_a_range_move_with_the_text(
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    new: str,
    updated: str,
    replaced: str | None,
) -> None:
    said, date = "Planned in 2026-02: Rome from 2026-04-10 to 2026-04-17", "2026-04-10/2026-04-17"
    old = [add(f"{said} with {whom}", type="event", happens_at=date) for whom in ("Lena", "Per")]
    changed = [
        update(1, f"{new}, with Lena", reason="moved"),
        replacing(2, f"{new}, with Per", reason="moved"),
    ]
    scripted_provider.answer_with(answer(*old), *[answer(*changed)] * 2)

    conversation.hear("I go to Rome in April, with Lena and Per.")
    conversation.hear("Rome has moved.")

    dates = {entry.content.split()[-1]: entry.happens_at for entry in conversation.entries}
    assert dates == {"Lena": updated, "Per": replaced}
