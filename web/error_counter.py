"""Counts the errors that this process logs, for /metrics. Import it after `count_in` (web.meters)."""

from prometheus_client import Counter

from web.meters import OWN

_ERRORS = Counter("rapport_web_errors", "Errors in Rapport that the web server has logged.", registry=OWN)


def count_error() -> None:
    """A listener of the log (config.logging)."""
    _ERRORS.inc()
