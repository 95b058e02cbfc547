"""Signing in and out, and choosing the project and the theme."""

from typing import Any

from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views import View

from admin_ui.access import PROJECT_COOKIE, PROJECT_IN_SESSION, OperatorView
from admin_ui.forms import SignInForm
from admin_ui.navigation import THEME_COOKIE, THEMES
from admin_ui.throttling import client_address, has_to_wait, locked_out
from admin_ui.unsent import read_unsent

_A_YEAR = 365 * 24 * 3600


class SignInView(LoginView):
    template_name = "admin_ui/sign_in/form.html"
    authentication_form = SignInForm
    next_page = "admin_ui:overview"
    redirect_authenticated_user = True

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Refuse an address that has to wait before a password is checked, which takes a processor's time. After
        signing in, offer to send the form again that was submitted before (see `unsent`).
        """
        if request.method == "POST" and has_to_wait(client_address(request)):
            return locked_out(request, None, None)
        unsent = read_unsent(request.POST.get("unsent", ""))
        answer = super().dispatch(request, *args, **kwargs)
        if unsent and request.user.is_authenticated:
            return render(request, "admin_ui/sign_in/unsent.html", {"unsent": unsent})
        return answer

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(unsent=self.request.POST.get("unsent", ""), **kwargs)


class SignOutView(LogoutView):
    next_page = "admin_ui:sign_in"


class ChooseProjectView(OperatorView):
    needs_to_write = OperatorView.needs

    def post(self, request: HttpRequest) -> HttpResponse:
        chosen, response = request.POST.get("project", ""), redirect("admin_ui:overview")
        if any(str(project.id) == chosen for project in self.access.projects):
            request.session[PROJECT_IN_SESSION] = chosen
            _keep(request, response, PROJECT_COOKIE, chosen)
        return response


class ThemeView(View):
    def post(self, request: HttpRequest) -> HttpResponse:
        back = request.headers.get("Referer", "")
        known = url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure())
        response = redirect(back if known else "admin_ui:overview")
        theme = request.POST.get("theme")
        if theme in THEMES:
            _keep(request, response, THEME_COOKIE, theme)
        return response


def _keep(request: HttpRequest, response: HttpResponse, name: str, value: str) -> None:
    """Have the browser keep what was chosen, past the sign-out."""
    response.set_cookie(
        name, value, max_age=_A_YEAR, samesite="Lax", secure=request.is_secure(), httponly=True
    )
