"""Load the web server's code before its first request, and before its processes are forked."""

from contextlib import suppress

from django.conf import settings
from django.urls import get_resolver

from providers.errors import ProviderError
from providers.llm.registry import get_provider


def load_code() -> None:
    """Import what the first requests would."""
    _ = get_resolver().url_patterns
    with suppress(ProviderError):  # the system checks report what is wrong with it
        get_provider(settings.DEFAULT_LLM_PROVIDER)  # its SDK alone takes half a second
