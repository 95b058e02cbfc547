"""The switch ALLOW_EXTERNAL_PROVIDERS: if it is off, no provider outside this machine is asked.

Tests run with it off, so that a forgotten key in the environment can neither cost money nor leak a test's texts. It is
checked before every call.
"""

from ipaddress import ip_address
from urllib.parse import urlsplit

from django.conf import settings

from providers.errors import ExternalRefused


def refuse_external(base_url: str) -> None:
    """Raises ExternalRefused if the switch is off and `base_url` is not on this machine."""
    if is_loopback(base_url) or settings.ALLOW_EXTERNAL_PROVIDERS:
        return
    host = _host_of(base_url) or repr(base_url)
    raise ExternalRefused(
        f"ALLOW_EXTERNAL_PROVIDERS is off, and {host} is not this machine. "
        "Give the provider a base URL on localhost, or switch it on."
    )


def is_loopback(base_url: str) -> bool:
    """Return whether the URL is on this machine, without asking a name server."""
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
