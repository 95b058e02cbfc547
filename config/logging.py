"""Logging: each line has a human sentence, an event name from a closed set, and IDs; never message text or keys."""

import logging
import time
import traceback
from collections.abc import Callable
from http.client import responses
from typing import Any

import structlog

STYLES = ("text", "json")
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
_INTERVAL_SECONDS = 10.0
_FRAMES = 12  # of a traceback
_ASKED_WHETHER_READY = ("readyz", "readyz/worker", "metrics")  # a 503 is one of their answers, and no failure

error_listeners: set[Callable[[], None]] = set()  # called for each line of ours about an error in Rapport


class RateLimitFilter(logging.Filter):
    """Lets one line of a kind pass in _INTERVAL_SECONDS: a pool and an exporter of traces log each failed attempt to
    connect, and Django each 503 answer and each refused form. Its lines about other answers all pass, and none about
    _ASKED_WHETHER_READY.
    """

    def __init__(self) -> None:
        super().__init__()
        self._again_at: dict[str, float] = {}  # monotonic times, by the line's format string

    def filter(self, record: logging.LogRecord) -> bool:
        if getattr(record, "status_code", 503) not in (403, 503):
            return True
        if _route_of(record) in _ASKED_WHETHER_READY:
            return False
        now, kind = time.monotonic(), str(record.msg)
        if now < self._again_at.get(kind, 0.0):
            return False
        self._again_at[kind] = now + _INTERVAL_SECONDS
        return True


def frames_of(error: BaseException) -> list[str]:
    """Where the error was raised, for a log line. Its text is not logged, as it may quote a person."""
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]


def class_of_error(_: object, level: str, event: Any) -> Any:
    """Reduce an error (`exc_info`) to its class, as its text may quote a person. Its place is told, too, if it is a
    crash, or if another library logs it.
    """
    error = event.pop("exc_info", None)
    error = error[1] if isinstance(error, tuple) else error
    if isinstance(error, BaseException):
        event["event"] = event["event"].partition("\n")[0]  # asyncio writes the error below
        event["error_class"] = type(error).__name__
        if level == "error" or "_record" in event:
            event["frames"] = frames_of(error)
    return event


def tell_of_error(_: object, level: str, event: Any) -> Any:
    """Tell `error_listeners` of a line of our own about an error."""
    if level == "error" and "event_name" in event:
        for listener in error_listeners:
            listener()
    return event


def route_of_request(_: object, __: str, event: Any) -> Any:
    """Reduce a request that another library logs to its route, as its path may name a person."""
    record = event["_record"]
    if hasattr(record, "request") and hasattr(record, "status_code"):
        route = _route_of(record)
        where = "an unknown address" if route is None else f"/{route}"
        event["event"] = (
            f"{responses.get(record.status_code, record.status_code)}: {record.request.method} {where}"
        )
    return event


def _route_of(record: logging.LogRecord) -> str | None:
    """The route of the request that a line of Django's is about; None if there is none."""
    match = getattr(getattr(record, "request", None), "resolver_match", None)
    return match.route if match else None


def logging_config(*, style: str, level: str) -> dict[str, Any]:
    """Django's LOGGING, with one of STYLES and LEVELS. Also configures structlog, so that both write the same."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        class_of_error,
        tell_of_error,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    renderer: Any = (
        structlog.processors.JSONRenderer()
        if style == "json"
        else structlog.dev.ConsoleRenderer(colors=False)
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "rapport": {
                "()": structlog.stdlib.ProcessorFormatter,
                "processor": renderer,
                "foreign_pre_chain": [*shared, route_of_request],
            }
        },
        "filters": {"rate_limit": {"()": RateLimitFilter}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "rapport"}},
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            "django.request": {"level": "ERROR", "filters": ["rate_limit"]},
            # Such requests are answered 400. They need no key, so anybody could fill the log with them.
            "django.security.DisallowedHost": {"level": "CRITICAL"},  # it logs errors
            "django.security.csrf": {"filters": ["rate_limit"]},
            "django-q": {"level": "WARNING", "handlers": ["console"], "propagate": False},
            "axes": {"level": "ERROR"},  # it logs every wrong password, which its table has too
            "psycopg.pool": {"filters": ["rate_limit"]},
            "opentelemetry.exporter.otlp.proto.http.trace_exporter": {"filters": ["rate_limit"]},
            "httpx": {"level": "WARNING"},
            "httpx2": {"level": "WARNING"},
            "openai": {"level": "WARNING"},
            "google_genai": {"level": "WARNING"},
            "mcp": {"level": "WARNING"},  # it logs three lines per call
        },
    }
