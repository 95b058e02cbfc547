"""The hard switch: with ALLOW_EXTERNAL_PROVIDERS off, no provider is asked beyond this machine.

Tests run with it off, so a forgotten key in the environment can neither cost money nor send a test's words
away. It is asked before every call, and it is off wherever the setting can't be read.
"""

from ipaddress import ip_address
from urllib.parse import urlsplit

from django.conf import settings

from providers.errors import ExternalRefused


def refuse_external(base_url: str) -> None:
    """Raises ExternalRefused if `base_url` is not this machine while the switch is off."""
    if external_allowed() or is_loopback(base_url):
        return
    host = _host_of(base_url) or repr(base_url)
    raise ExternalRefused(
        f"ALLOW_EXTERNAL_PROVIDERS is off, and {host} is not this machine. "
        "Give the provider a base URL on localhost, or switch it on."
    )


def external_allowed() -> bool:
    return settings.configured and bool(getattr(settings, "ALLOW_EXTERNAL_PROVIDERS", False))


def is_loopback(base_url: str) -> bool:
    """Whether the address names this machine by itself, without asking a name server."""
    host = _host_of(base_url)
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _host_of(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
