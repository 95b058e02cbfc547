"""Logs: one human sentence and one name from a closed set, with IDs; never message text, never a key."""

import logging
import time
from typing import Any

import structlog

_INTERVAL_SECONDS = 10.0


class RateLimitFilter(logging.Filter):
    """Lets one line of a kind through in so many seconds, as a pool says at each attempt that the database is away, and
    Django of each request that was answered 503. What else it says of requests passes.
    """

    def __init__(self) -> None:
        super().__init__()
        self._again_at: dict[str, float] = {}  # monotonic, by what is written before its values are put in

    def filter(self, record: logging.LogRecord) -> bool:
        if getattr(record, "status_code", 503) != 503:
            return True
        now, kind = time.monotonic(), str(record.msg)
        if now < self._again_at.get(kind, 0.0):
            return False
        self._again_at[kind] = now + _INTERVAL_SECONDS
        return True


def logging_config(*, style: str, level: str) -> dict[str, Any]:
    """Django's LOGGING for `style` text or json. Also sets structlog up, so that both write alike."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
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
    known = level.upper() if level.upper() in {"DEBUG", "INFO", "WARNING", "ERROR"} else "INFO"
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "rapport": {
                "()": structlog.stdlib.ProcessorFormatter,
                "processor": renderer,
                "foreign_pre_chain": shared,
            }
        },
        "filters": {"rate_limit": {"()": RateLimitFilter}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "rapport"}},
        "root": {"handlers": ["console"], "level": known},
        "loggers": {
            "django.request": {"level": "ERROR", "filters": ["rate_limit"]},
            # Answered with 400; without a key anybody could fill the log with them.
            "django.security.DisallowedHost": {"handlers": [], "propagate": False},
            "django-q": {"level": "WARNING", "handlers": ["console"], "propagate": False},
            "axes": {"level": "ERROR"},  # it logs every wrong password, and each is in its table anyway
            "psycopg.pool": {"filters": ["rate_limit"]},
            "httpx": {"level": "WARNING"},
            "httpx2": {"level": "WARNING"},
            "openai": {"level": "WARNING"},
            "google_genai": {"level": "WARNING"},
            "mcp": {"level": "WARNING"},  # three lines a call
        },
    }
