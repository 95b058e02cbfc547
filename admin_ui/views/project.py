"""The project: its name, and its level of the configuration, which applies to all its companions."""

from typing import Any

from django.http import HttpRequest, HttpResponse

from admin_ui.access import OperatorView
from admin_ui.forms import ProjectForm
from admin_ui.params import pretty_json, required_version
from relationships.models import Project, Role
from relationships.services.projects import change_project
from web.errors import RapportError, StaleVersion


class ProjectView(OperatorView):
    needs_to_write = Role.OWNER

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._page()

    def post(self, request: HttpRequest) -> HttpResponse:
        form = ProjectForm(request.POST)
        if not form.is_valid():
            return self._page(form, status=422)
        try:
            change_project(
                project_id=self.project_id,
                changes={"name": form.cleaned_data["name"], "config": form.cleaned_data["document"]},
                by=self.actor,
                expected_version=required_version(request.POST),
                merge=False,
            )
        except StaleVersion:
            return self._page(form, stale=True, status=409)
        except RapportError as error:
            form.add_error("document", error.detail)
            return self._page(form, status=422)
        return self.redirect_with_message("Project saved.", "admin_ui:project")

    def _page(self, form: ProjectForm | None = None, **more: Any) -> HttpResponse:
        project = Project.objects.get(id=self.project_id)
        present = pretty_json(project.config)
        form = form or ProjectForm(initial={"name": project.name, "document": present})
        return self.show("projects/detail", project=project, present=present, form=form, **more)
