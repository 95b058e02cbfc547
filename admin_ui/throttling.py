"""Limits on guessing passwords: after a few failures an account and an address together have to wait, and after those
of ten accounts the address.

django-axes counts, and refuses the first. This gives it the client's address, and shows how long to wait.
"""

from datetime import timedelta
from ipaddress import ip_address
from math import ceil
from typing import Any

from axes.models import AccessAttempt
from django.conf import settings
from django.db.models import Sum
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone

from admin_ui.forms import SignInForm
from web.server.clients import address_beyond_proxies

_ACCOUNTS = 10  # whose failures together make their address wait: many people may share one


def client_address(request: HttpRequest) -> str | None:
    """Return the browser's address, as seen by the first of our PROXIES proxies. None if it is unknown."""
    remote, forwarded = request.META.get("REMOTE_ADDR", ""), request.headers.get("X-Forwarded-For", "")
    return address_beyond_proxies(remote, forwarded, proxies=settings.PROXIES)


def locked_out(
    request: HttpRequest, response: HttpResponseBase | None, credentials: dict[str, Any] | None
) -> HttpResponseBase:
    """Return the sign-in page with the time to wait; the password is not checked."""
    email = (credentials or {}).get("username") or request.POST.get("username", "")
    left = time_left(email, client_address(request))
    minutes = max(1, ceil(left.total_seconds() / 60))
    ctx = {
        "form": SignInForm(request, initial={"username": email}),
        "next": request.POST.get("next", ""),
        "unsent": request.POST.get("unsent", ""),
        "why": f"Too many failed attempts. Try again in {minutes} minute{'' if minutes == 1 else 's'}.",
    }
    answer = render(request, "admin_ui/sign_in/form.html", ctx, status=429)
    answer["Retry-After"] = str(max(1, ceil(left.total_seconds())))
    return answer


def has_to_wait(address: str | None) -> bool:
    """Return whether too many passwords were wrong lately from this address, for whichever accounts.

    Not for a private address: it may be that of a proxy which RAPPORT_PROXIES does not count, and so everybody's.
    """
    if address is None or not ip_address(address).is_global:
        return False
    since = timezone.now() - settings.AXES_COOLOFF_TIME
    attempts = AccessAttempt.objects.filter(ip_address=address, attempt_time__gt=since)
    failures = attempts.aggregate(failures=Sum("failures_since_start"))["failures"] or 0
    return bool(failures >= _ACCOUNTS * settings.AXES_FAILURE_LIMIT)


def time_left(email: str, address: str | None) -> timedelta:
    """Return the time until this account may sign in from this address; zero if it may now."""
    attempts = AccessAttempt.objects.filter(ip_address=address)
    if not has_to_wait(address):
        attempts = attempts.filter(username=email)
    last = attempts.order_by("-attempt_time").values_list("attempt_time", flat=True).first()
    return (
        timedelta() if last is None else max(timedelta(), last + settings.AXES_COOLOFF_TIME - timezone.now())
    )
