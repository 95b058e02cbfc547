"""The times of day that a text says. Pure."""

import re
from collections.abc import Collection

TIME = re.compile(
    r"(?<![\d:.])(?P<hour>\d\d?)(?::(?P<minute>\d\d))?(?![\d:])(?: ?(?P<half>[ap])\.?m\b| ?uhr\b|(?(minute)|(?!)))",
    re.IGNORECASE,
)
_AT = re.compile(r"\bat (\d\d?)\b(?![:.]\d)", re.IGNORECASE)  # of an unknown half of the day


def times_in(said: str) -> set[str]:
    """The times of day in a text, as "9:00": also those of "9 am" and "9 Uhr"."""
    return set(map(_time_of, TIME.finditer(said)))


def _time_of(found: re.Match[str]) -> str:
    hour, half = int(found["hour"]), (found["half"] or "").lower()
    return f"{hour % 12 + 12 * (half == 'p') if half else hour}:{found['minute'] or '00'}"


def numbers_of_times(said: str, times: Collection[str]) -> set[str]:
    """The numbers by which a text says these times of day: "2" of "2 pm" and of "at 2" for "14:00"."""
    found = (one for one in TIME.finditer(said) if _time_of(one) in times)
    hours = {int(time.removesuffix(":00")) % 12 for time in times if time.endswith(":00")}
    written = {f"{one['hour']}:{one['minute']}" if one["minute"] else one["hour"] for one in found}
    return written | {hour for hour in _AT.findall(said) if int(hour) % 12 in hours}
