"""Read settings from the environment and `.env`, and report what is wrong with them.

A value that can't be read does not stop Django's settings from loading: it is added to `PROBLEMS`, the default is used
instead, and `manage.py check` reports it (rapport.E001). Commands run those checks first, so nothing starts with it.
"""

import json
import os
import re
import secrets
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, TypeVar

import environ

T = TypeVar("T")
PROBLEMS: list[tuple[str, str, str]] = []  # (variable, what is wrong, what to do)

_TRUE, _FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}
# What Django compares with: a host has no scheme and no port, an origin has a scheme and no path.
_HOST = re.compile(r"\*|\.?[a-z0-9.-]+|\[[a-f0-9:.]+\]", re.IGNORECASE)
_ORIGIN = re.compile(r"null|file://|[a-z][a-z0-9+.-]*://([a-z0-9._-]+|\[[a-f0-9:.]+\])(:\d+)?")
_ORIGINS = re.compile(r"https?://\*\.[a-z0-9._-]+(:\d+)?|" + _ORIGIN.pattern)


def load_dotenv(path: Path) -> None:
    """Load `.env`. Variables that the environment sets itself win."""
    if path.is_file():
        environ.Env.read_env(str(path), overwrite=False)


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, default).strip()


def flag(name: str, default: bool) -> bool:
    return _read(name, default, _flag, "write 1 or 0")


def whole(name: str, default: int, *, low: int = 0, high: int = 2**31) -> int:
    return _read(
        name, default, lambda raw: _between(int(raw), low, high), f"write a whole number, {low} to {high}"
    )


def seconds(
    name: str, default: float, *, low: float = 0.0, high: float = 86_400.0, unit: str = "seconds"
) -> float:
    """A length of time in `unit`, as it is written."""
    return _read(
        name, default, lambda raw: _between(float(raw), low, high), f"write {unit}, {low:g} to {high:g}"
    )


def one_of(name: str, default: str, known: Sequence[str]) -> str:
    """One of these words, in capitals or not."""
    words = {word.lower(): word for word in known}
    return _read(name, default, lambda raw: _word(raw, words), f"write one of {', '.join(known)}")


def amount(name: str, default: str, *, high: int = 100_000_000) -> Decimal:
    """An exact amount of money, zero or more."""
    return _read(name, Decimal(default), lambda raw: _amount(raw, high), f"write an amount, 0 to {high}")


def json_object(name: str, *, hint: str) -> dict[str, Any]:
    return _read(name, {}, _json_object, hint)


def parsed(name: str, default: str, parse: Callable[[str], T], hint: str) -> T:
    """Parse the variable with `parse`. `default` is written like the variable."""
    return _read(name, parse(default), parse, hint)


def listing(name: str, default: str = "") -> list[str]:
    return [item.strip() for item in text(name, default).split(",") if item.strip()]


def hosts(name: str, default: str) -> list[str]:
    hint = "write names without scheme, port and path, such as rapport.example.com"
    return _each(name, listing(name, default), _HOST, hint)


def origins(name: str, *, subdomains: bool) -> list[str]:
    """Origins as a browser sends them. `subdomains`: `https://*.example.com` may stand for all of them."""
    shape = _ORIGINS if subdomains else _ORIGIN
    return _each(name, listing(name), shape, "write origins without a path, such as https://app.example.com")


def kept_secret(file: Path) -> str:
    """Read the secret in `file`, which is created with a random one if missing, readable by its owner only."""
    made = secrets.token_urlsafe(48)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return file.read_text().strip()
        try:
            with os.fdopen(descriptor, "w") as handle:
                handle.write(made)
        except OSError:  # a full disk: an empty file would be read as the key from now on
            file.unlink()
            raise
    except OSError as error:
        what = f"is not set, and no key can be kept in {file} ({error.strerror})"
        problem(
            "RAPPORT_SECRET_KEY", what, "set it, or RAPPORT_DATA_DIR to a folder that can be written and read"
        )
    return made


def problem(name: str, what: str, hint: str) -> None:
    if (name, what, hint) not in PROBLEMS:  # a variable may be read more than once
        PROBLEMS.append((name, what, hint))


def _read(name: str, default: T, parse: Callable[[str], T], hint: str) -> T:
    raw = os.environ.get(name)
    if raw is None or not raw.strip():
        return default
    try:
        return parse(raw.strip())
    except ValueError:
        problem(name, f"{raw!r} can't be read", hint)
        return default


def _each(name: str, items: list[str], shape: re.Pattern[str], hint: str) -> list[str]:
    """The items of this shape. The others are reported."""
    for item in items:
        if not shape.fullmatch(item):
            problem(name, f"{item!r} can't be read", hint)
    return [item for item in items if shape.fullmatch(item)]


def _word(raw: str, words: dict[str, str]) -> str:
    if raw.lower() not in words:
        raise ValueError(raw)
    return words[raw.lower()]


def _flag(raw: str) -> bool:
    if raw.lower() in _TRUE:
        return True
    if raw.lower() in _FALSE:
        return False
    raise ValueError(raw)


def _json_object(raw: str) -> dict[str, Any]:
    value = json.loads(raw, parse_float=str)  # as text, so that a price becomes an exact decimal
    if not isinstance(value, dict):
        raise ValueError(raw)
    return value


def _amount(raw: str, high: int) -> Decimal:
    try:
        value = Decimal(raw)
    except InvalidOperation:
        raise ValueError(raw) from None
    if not value.is_finite() or not 0 <= value <= high:
        raise ValueError(raw)
    return value


N = TypeVar("N", int, float)


def _between(value: N, low: N, high: N) -> N:
    if not low <= value <= high:
        raise ValueError(value)
    return value
