from datetime import UTC, datetime, timedelta

import pytest

from memory.entries.times import FUTURE_TOLERANCE_SECONDS, refuse_future
from web.errors import InvalidInput

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.mark.parametrize("seconds", [-(10**9), 0, FUTURE_TOLERANCE_SECONDS])
def test_what_was_said_by_any_honest_clock_passes(seconds: int) -> None:
    said = NOON + timedelta(seconds=seconds)

    refuse_future({"occurred_at": said}, now=NOON)

    assert (said - NOON).total_seconds() == seconds


def test_what_nobody_can_have_said_yet_is_refused_by_its_field() -> None:
    ahead = NOON + timedelta(seconds=FUTURE_TOLERANCE_SECONDS + 1)

    with pytest.raises(InvalidInput) as refused:
        refuse_future({"occurred_at": NOON, "messages.3.occurred_at": ahead}, now=NOON)

    assert [problem.field for problem in refused.value.problems] == ["messages.3.occurred_at"]
