from web.models.rate_window import RateWindow

__all__ = [
    "RateWindow",
]
