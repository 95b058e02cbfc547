"""Logging: each line has a human sentence, an event name from a closed set, and IDs; never message text or keys."""

import logging
import time
from typing import Any

import structlog

_INTERVAL_SECONDS = 10.0


class RateLimitFilter(logging.Filter):
    """Lets one line of a kind pass in _INTERVAL_SECONDS: a pool logs each failed attempt to connect, and Django each
    503 answer. Its lines about other answers all pass.
    """

    def __init__(self) -> None:
        super().__init__()
        self._again_at: dict[str, float] = {}  # monotonic times, by the line's format string

    def filter(self, record: logging.LogRecord) -> bool:
        if getattr(record, "status_code", 503) != 503:
            return True
        now, kind = time.monotonic(), str(record.msg)
        if now < self._again_at.get(kind, 0.0):
            return False
        self._again_at[kind] = now + _INTERVAL_SECONDS
        return True


def logging_config(*, style: str, level: str) -> dict[str, Any]:
    """Django's LOGGING for `style` text or json. Also configures structlog, so that both write the same format."""
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
            # Such requests are answered 400. They need no key, so anybody could fill the log with them.
            "django.security.DisallowedHost": {"handlers": [], "propagate": False},
            "django-q": {"level": "WARNING", "handlers": ["console"], "propagate": False},
            "axes": {"level": "ERROR"},  # it logs every wrong password, which its table has too
            "psycopg.pool": {"filters": ["rate_limit"]},
            "httpx": {"level": "WARNING"},
            "httpx2": {"level": "WARNING"},
            "openai": {"level": "WARNING"},
            "google_genai": {"level": "WARNING"},
            "mcp": {"level": "WARNING"},  # it logs three lines per call
        },
    }
