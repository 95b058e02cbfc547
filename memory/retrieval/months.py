"""Names of months, by the language of the configuration. An unknown language is read as English."""

from collections.abc import Iterable, Mapping

_SHORT_ENGLISH = {"jan": 1, "feb": 2, "mar": 3, "apr": 4, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "sept": 9}
# Words of everyday use too: months only after a preposition, or beside a day or a year.
AMBIGUOUS = frozenset({"may", "march", "mar", "mai", "mars", "marzo", "set", "juni", "mei", "maj", "oct"})


def _table(names: str, more: Mapping[str, int] | None = None) -> dict[str, int]:
    return {name: month for month, name in enumerate(names.split(), start=1)} | dict(more or {})


_ENGLISH = _table(
    "january february march april may june july august september october november december",
    {**_SHORT_ENGLISH, "oct": 10, "nov": 11, "dec": 12},
)
_BY_LANGUAGE: dict[str, dict[str, int]] = {
    "english": _ENGLISH,
    "german": _table(
        "januar februar märz april mai juni juli august september oktober november dezember",
        {"jänner": 1, "feber": 2, "maerz": 3},
    ),
    "french": _table(
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        {"fevrier": 2, "aout": 8, "decembre": 12},
    ),
    "spanish": _table(
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        {"setiembre": 9},
    ),
    "italian": _table(
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"
    ),
    "portuguese": _table(
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        {"marco": 3},
    ),
    "dutch": _table(
        "januari februari maart april mei juni juli augustus september oktober november december"
    ),
}


def months_of(languages: Iterable[str]) -> Mapping[str, int]:
    """The names to look for, as name: 1 to 12. Of several languages the first keeps a name they share."""
    merged: dict[str, int] = {}
    for language in reversed(list(languages)):
        merged |= _BY_LANGUAGE.get(language, _ENGLISH)
    return merged or _ENGLISH
