"""An update may leave out what only told when it was known: when a plan was made, the days it was expected, "as of"."""

from datetime import UTC, datetime

import pytest

from tests.fakes import ScriptedProvider
from tests.fixtures.turns import Conversation, add, answer, update


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("2026-02-20", 1),
        ("2026-02", 1),
        ("20 February", 1),
        ("im Februar 2026", 1),
        ("el 20 de febrero de 2026", 1),
        ("2026-01-31", 2),
        ("31 January 2026", 2),
    ],
)
def test_how_a_plan_went_need_not_say_when_it_was_made(
    conversation: Conversation, scripted_provider: ScriptedProvider, told: str, asked: int
) -> None:
    scripted_provider.answer_with(
        answer(add(f"Planned on {told} to hike to the hut", type="event", happens_at="2026-03-01")),
        *[answer(update(1, "Hiked to the hut in the snow"))] * 2,
    )

    conversation.hear("On the first of March we hike to the hut.", at=datetime(2026, 2, 20, tzinfo=UTC))
    conversation.hear("We made it to the hut, in the snow!", at=datetime(2026, 3, 2, tzinfo=UTC))

    assert "Hiked to the hut in the snow" in conversation.contents
    assert len(scripted_provider.requests) == 1 + asked


@pytest.mark.parametrize(
    ("date", "asked"), [("2026-03-01", 1), ("2026-01-31", 2), (None, 2)], ids=["ahead", "gone by", "none"]
)
def test_a_plan_that_gets_its_date_need_not_say_when_it_was_made(
    conversation: Conversation, scripted_provider: ScriptedProvider, date: str | None, asked: int
) -> None:
    scripted_provider.answer_with(
        answer(add("Said in 2026-02 that he will hike to the hut", type="event")),
        *[answer(update(1, "He will hike to the hut", happens_at=date, reason="the day is known"))] * 2,
    )

    conversation.hear("He will hike to the hut, he says.", at=datetime(2026, 2, 20, tzinfo=UTC))
    conversation.hear("He says when: the day is known.", at=datetime(2026, 2, 21, tzinfo=UTC))

    assert conversation.contents == ["He will hike to the hut"]
    assert len(scripted_provider.requests) == 1 + asked


@pytest.mark.parametrize(("day", "asked"), [(9, 2), (11, 1)], ids=["before it began", "once it is over"])
@pytest.mark.parametrize(
    "ordered",
    [
        "Ordered a lamp, sent by 2026-03-08, expected on 2026-03-10",
        "Ordered a lamp, sent on 8 March, expected on 10 March 2026",
    ],
)
def test_how_a_plan_went_need_not_say_when_it_was_expected(
    conversation: Conversation, scripted_provider: ScriptedProvider, ordered: str, day: int, asked: int
) -> None:
    scripted_provider.answer_with(
        answer(add(ordered, type="event", happens_at="2026-03-10")),
        *[answer(update(1, "The lamp that was ordered and sent is broken", happens_at=f"2026-03-{day:02d}"))]
        * 2,
    )

    conversation.hear("I ordered a lamp.", at=datetime(2026, 3, 2, tzinfo=UTC))
    conversation.hear("The lamp is broken!", at=datetime(2026, 3, day, 12, tzinfo=UTC))

    assert len(scripted_provider.requests) == 1 + asked


@pytest.mark.parametrize(("day", "asked"), [(2, 1), (1, 2)], ids=["over", "ahead"])
@pytest.mark.parametrize(
    ("when", "date"),
    [
        ("on 2026-03-01 at 9:30", "2026-03-01T09:30"),
        ("on 2026-03-01, a Sunday, at 2 pm", "2026-03-01T14:00"),
        ("on Sunday, 2026-03-01, at 2", "2026-03-01T14:00"),
    ],
)
def test_how_a_plan_went_need_not_say_for_which_time_of_day_it_was_made(
    conversation: Conversation,
    scripted_provider: ScriptedProvider,
    when: str,
    date: str,
    day: int,
    asked: int,
) -> None:
    plan = add(f"Sees the dentist {when}", type="event", happens_at=date)
    went = update(1, "Dentist on 2026-03-01: a crown is needed", happens_at="2026-03-01")
    scripted_provider.answer_with(answer(plan), *[answer(went)] * 2)

    conversation.hear("I see the dentist on the first of March.", at=datetime(2026, 2, 20, tzinfo=UTC))
    conversation.hear("The dentist says that I need a crown.", at=datetime(2026, 3, day, tzinfo=UTC))

    assert len(scripted_provider.requests) == 1 + asked


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("as of 2026-02-20", 1),
        ("as of 2026-02", 1),
        ("Stand 2026-02-20", 1),
        ("as of 2026-01-31", 2),
        ("on 2026-02-20", 2),
    ],
)
def test_what_has_changed_need_not_say_as_of_when_it_was_told(
    conversation: Conversation, scripted_provider: ScriptedProvider, told: str, asked: int
) -> None:
    scripted_provider.answer_with(
        answer(add(f"Told both flatmates a lie about the job; not corrected {told}")),
        *[answer(update(1, "Told both flatmates a lie about the job; Ana knows the truth", reason="new"))]
        * 2,
    )

    conversation.hear("I lied to both flatmates about the job.", at=datetime(2026, 2, 20, tzinfo=UTC))
    conversation.hear("I told Ana the truth.", at=datetime(2026, 2, 24, tzinfo=UTC))

    assert conversation.contents == ["Told both flatmates a lie about the job; Ana knows the truth"]
    assert len(scripted_provider.requests) == 1 + asked
