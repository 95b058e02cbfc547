"""Access to pages: an operator who is signed in sees the projects of their memberships, as their role there allows.

`OperatorView` is the base class of all pages.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, cast
from urllib.parse import quote
from uuid import UUID

from django.contrib import messages
from django.db.models import OuterRef, Subquery
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views import View
from django_htmx.middleware import HtmxDetails

from admin_ui.forms import SignInForm
from admin_ui.unsent import keep_unsent
from admin_ui.words import sentence_of
from relationships.models import Companion, Membership, Operator, Project, Relationship, Role, Turn
from relationships.services.relationships import get_or_create_relationship
from web.actor import Actor, ActorKind
from web.errors import NotFound, RapportError, StaleVersion

CHANGED_MEANWHILE = "Somebody else changed this meanwhile, so nothing was done."
PROJECT_IN_SESSION = "project_id"
PROJECT_COOKIE = "rapport_project"  # that was chosen last, for the next sign-in
_FIRST_SAID = Subquery(
    Turn.objects.filter(relationship_id=OuterRef("id")).order_by("occurred_at").values("occurred_at")[:1]
)
_RANK = {Role.VIEWER: 0, Role.EDITOR: 1, Role.OWNER: 2}


@dataclass(frozen=True, slots=True)
class ProjectAccess:
    """An operator's current project and their role in it. `projects`: all that they have access to."""

    operator: Operator
    project: Project
    role: Role
    projects: tuple[Project, ...]

    def may(self, role: Role) -> bool:
        """Return whether the operator has this role or a higher one."""
        return _RANK[self.role] >= _RANK[role]

    @property
    def can_edit(self) -> bool:
        return self.may(Role.EDITOR)

    @property
    def is_owner(self) -> bool:
        return self.may(Role.OWNER)


class OperatorView(View):
    """Base class of the views. `needs`: the role for GET and HEAD; `needs_to_write`: for other methods.

    Handlers do not get the URL's `relationship_id` and `companion_id`. They use `self.relationship` and
    `self.companion`, which check that the row belongs to the project. `tab`: the relationship's tab that is marked.
    """

    needs: ClassVar[Role] = Role.VIEWER
    needs_to_write: ClassVar[Role] = Role.EDITOR
    tab: ClassVar[str] = "scratchpad"
    access: ProjectAccess

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return _to_sign_in(request)
        access = project_access(request)
        if access is None:
            return render(request, "admin_ui/sign_in/no_project.html", status=403)
        self.access = access
        request.access = access  # type: ignore[attr-defined]  # for the templates
        role = self.needs if request.method in ("GET", "HEAD") else self.needs_to_write
        if not access.may(role):
            if self._goes_to_its_project(request, kwargs):
                return self.dispatch(request, *args, **kwargs)
            return self.refuse(
                f"Your role in this project is {access.role}; this requires {role}.", status=403
            )
        others = {
            name: part for name, part in kwargs.items() if name not in ("relationship_id", "companion_id")
        }
        try:
            return super().dispatch(request, *args, **others)
        except NotFound as error:
            if self._goes_to_its_project(request, kwargs):
                return self.dispatch(request, *args, **kwargs)
            return self.refuse(error.detail, status=404)
        except StaleVersion:
            return self.refuse_stale()
        except RapportError as error:
            return self.refuse(sentence_of(error), status=409)

    @property
    def project_id(self) -> UUID:
        return self.access.project.id

    @property
    def actor(self) -> Actor:
        return Actor(ActorKind.OPERATOR, self.access.operator.email)

    @property
    def htmx(self) -> HtmxDetails:
        return htmx_of(self.request)

    def show(self, page: str, /, *, status: int = 200, **ctx: Any) -> HttpResponse:
        """Render a page or a part of one. Its context also has the relationship or companion that the URL names."""
        names = [name for name in ("relationship", "companion") if f"{name}_id" in self.kwargs]
        named = {name: getattr(self, name) for name in names}
        return render(self.request, f"admin_ui/{page}.html", {"tab": self.tab, **named, **ctx}, status=status)

    def show_or_part(self, page: str, part: str, /, *, target: str, **ctx: Any) -> HttpResponse:
        """Render the page, or only `part` if htmx requests the content of the element with the ID `target`."""
        return self.show(part if self.htmx.target == target else page, **ctx)

    def redirect_with_message(self, said: str, to: str, *args: Any) -> HttpResponse:
        """Redirect with the message `said`. `to`, `args`: as of Django's `redirect`."""
        messages.success(self.request, said)
        return redirect(to, *args)

    def refuse_stale(self) -> HttpResponse:
        """Answer a form that was based on an older version of its object."""
        return self.refuse(f"{CHANGED_MEANWHILE} Reload the page and decide.", status=409)

    def refuse(self, why: str, *, status: int) -> HttpResponse:
        """Return an error: a notice for a request by htmx, else a page with a link back."""
        ctx = {"why": why, "status": status, "kind": "bad"}
        if not self.htmx:
            ctx["back"] = _page_behind(self.request, header="Referer")
            ctx["heading"] = {403: "Not allowed", 404: "Not found"}.get(status, "Request failed")
            return render(self.request, "admin_ui/refused.html", ctx, status=status)
        response = render(self.request, "admin_ui/_notice.html", ctx, status=status)
        # overrides the page's own hx-select
        response["HX-Reselect"] = ".notice"
        response["HX-Retarget"], response["HX-Reswap"] = "#notices", "innerHTML"
        return response

    @cached_property
    def relationship(self) -> Relationship:
        """The relationship that the URL names. Raises NotFound."""
        return self.get_relationship(self.kwargs["relationship_id"])

    @cached_property
    def companion(self) -> Companion:
        """The companion that the URL names. Raises NotFound."""
        return self.get_companion(self.kwargs["companion_id"])

    def get_relationship(self, relationship_id: UUID) -> Relationship:
        """Load a relationship with its user, companion, project, and `first_said`, the time of its first turn.

        Raises NotFound, also if it belongs to another project.
        """
        rows = Relationship.objects.of_project(self.project_id).select_related("user", "companion", "project")
        found = rows.annotate(first_said=_FIRST_SAID).filter(id=relationship_id).first()
        if found is None:
            raise NotFound("This relationship does not exist, or belongs to another project.")
        return found

    def get_companion(self, companion_id: UUID) -> Companion:
        """Load a companion with its project. Raises NotFound, also if it belongs to another project."""
        rows = Companion.objects.of_project(self.project_id).select_related("project")
        found = rows.filter(id=companion_id).first()
        if found is None:
            raise NotFound("This companion does not exist, or belongs to another project.")
        return found

    @property
    def test_user(self) -> str:
        """The external ID of the operator's test user."""
        return f"playground:{self.access.operator.email}"[:200]

    def test_relationship(self, companion: str) -> Relationship:
        """Return the relationship of the operator's test user with a companion, which is given by slug or ID."""
        found, _ = get_or_create_relationship(
            project_id=self.project_id,
            companion=companion,
            user=self.test_user,
            display_name="Test user",
            by=self.actor,
        )
        return found

    def _goes_to_its_project(self, request: HttpRequest, named: Mapping[str, Any]) -> bool:
        """Switch to the project of the relationship or companion in the URL, if the operator is a member of it.

        This is needed after a new sign-in, for a colleague's link, and in a second tab. Return whether it switched.
        """
        model, key = (
            (Relationship, "relationship_id") if "relationship_id" in named else (Companion, "companion_id")
        )
        others = [project.id for project in self.access.projects if project != self.access.project]
        if key not in named or not others or _project_of_page(request):
            return False
        owners = model.objects.filter(id=named[key], project_id__in=others)
        found = owners.values_list("project_id", flat=True).first()
        if found is not None:
            request.session[PROJECT_IN_SESSION] = str(found)
        return found is not None


class RelationshipAction(OperatorView):
    """Base class of changes that redirect to the page they came from, such as a filtered list."""

    def redirect_back(self, said: str, *, undo: str = "") -> HttpResponse:
        """Redirect with the message `said`. `undo`: the URL that its Undo button posts to."""
        messages.success(self.request, said, extra_tags=undo)
        return self._redirect_back()

    def refuse_stale(self) -> HttpResponse:
        """Redirect to the page, which shows the object's present version."""
        messages.warning(self.request, f"{CHANGED_MEANWHILE} This is how it stands now.")
        return self._redirect_back()

    def _redirect_back(self) -> HttpResponse:
        scratchpad = reverse("admin_ui:relationship", args=[self.relationship.id])
        return redirect(return_path(self.request) or scratchpad)


def htmx_of(request: HttpRequest) -> HtmxDetails:
    """Return the headers of htmx. False if the request is not by htmx."""
    return request.htmx  # type: ignore[attr-defined, no-any-return]


def project_access(request: HttpRequest) -> ProjectAccess | None:
    """Return the operator's access to their current project: that of the form or of htmx, else of the session, else
    the one chosen last in this browser, else the first by name. None if they are a member of none, or not of the
    form's.
    """
    operator = cast(Operator, request.user)
    if operator.is_superuser:
        roles = {str(project.id): (project, Role.OWNER) for project in Project.objects.order_by("name", "id")}
    else:
        memberships = Membership.objects.filter(operator=operator, invited_at__isnull=True)
        ordered = memberships.select_related("project").order_by("project__name", "id")
        roles = {str(member.project_id): (member.project, Role(member.role)) for member in ordered}
    if not roles:
        return None
    first = next(iter(roles))
    last = request.COOKIES.get(PROJECT_COOKIE, first)
    chosen = _project_of_page(request) or request.session.get(PROJECT_IN_SESSION, last)
    if chosen not in roles:
        if "project" in request.POST:
            return None
        chosen = first
    project, role = roles[chosen]
    return ProjectAccess(operator, project, role, tuple(project for project, _ in roles.values()))


def _project_of_page(request: HttpRequest) -> str:
    """Return the project that a form or an htmx request names, as another tab may have switched to another one."""
    return request.POST.get("project") or request.headers.get("X-Project", "")


def _to_sign_in(request: HttpRequest) -> HttpResponse:
    """Redirect to the sign-in page, which redirects back to a page that can be opened by GET.

    A submitted form is kept (see `unsent`), unless it has a file or htmx sent it for a part of a page.
    """
    htmx = htmx_of(request)
    behind = _page_behind(request) or _page_behind(request, header="Referer")
    if request.POST and not request.FILES and not htmx.target:
        back = behind or reverse("admin_ui:overview")
        ctx = {"form": SignInForm(request), "next": back, "unsent": keep_unsent(request, back)}
        return render(request, "admin_ui/sign_in/form.html", ctx, status=401)
    if htmx:
        response = HttpResponse(status=204)
        page = behind or reverse("admin_ui:overview")
        response["HX-Redirect"] = f"{reverse('admin_ui:sign_in')}?next={quote(page)}"
        return response
    back = request.get_full_path() if request.method == "GET" else behind or reverse("admin_ui:overview")
    return redirect(f"{reverse('admin_ui:sign_in')}?next={quote(back)}")


def _page_behind(request: HttpRequest, *, header: str = "HX-Current-URL") -> str:
    """Return the path of the page that sent this htmx request, or "".

    `header`: `Referer` for the page that a normal request came from.
    """
    page = request.headers.get(header, "")
    ours = url_has_allowed_host_and_scheme(page, {request.get_host()}) and page.count("/") > 2
    # a browser reads a path that begins with "//" or "/\\" as the address of another site
    return "/" + page.split("/", 3)[3].lstrip("/\\") if ours else ""


def return_path(request: HttpRequest) -> str:
    """Return the path to go back to: the page that sent an htmx request, else `next`; "" if it is no page of ours."""
    wanted = _page_behind(request) or request.GET.get("next", request.POST.get("next", ""))
    ours = reverse("admin_ui:overview")
    return wanted if wanted.startswith(ours) and "//" not in wanted and "\\" not in wanted else ""
