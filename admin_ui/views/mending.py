"""Forgetting and correcting by description: the wish, its plan with all texts that would change, and undoing it."""

from typing import Any, ClassVar
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from admin_ui.access import OperatorView
from admin_ui.params import text_param
from memory.entries.limits import entry_fault
from memory.mending.execution import carry_out, decline_plan, undo_plan
from memory.mending.plans import make_plan, plan_of
from memory.models import MendingPlan, MendingState
from relationships.models import Role
from upkeep.erasure.plans import erase_plan
from web.errors import RapportError

LONGEST = 2000  # characters of a wish


class WishView(OperatorView):
    needs = Role.EDITOR
    verb: ClassVar[str] = "forget"

    def get(self, request: HttpRequest) -> HttpResponse:
        return self._form()

    def post(self, request: HttpRequest) -> HttpResponse:
        what, to = (text_param(request.POST, name) for name in ("what", "to"))
        if not what or len(what) > LONGEST:
            return self._form(wrong_what=f"Say what, in at most {LONGEST} characters.", to=to, status=422)
        if self.verb == "correct" and (fault := "Say what is right." if not to else entry_fault(to)):
            return self._form(wrong_to=fault, what=what, to=to, status=422)
        erase = request.POST.get("depth") == "erase" and self.verb == "forget" and self.access.is_owner
        depth = "erase" if erase else "hide"
        try:
            plan = make_plan(self.relationship, verb=self.verb, what=what, to=to, depth=depth, by=self.actor)
        except RapportError as error:
            looked_at = error.extra.get("looked_at", [])
            return self._form(wrong_what=error.detail, what=what, to=to, looked_at=looked_at, status=422)
        return redirect("admin_ui:relationship_plan", self.relationship.id, plan.id)

    def _form(self, **more: Any) -> HttpResponse:
        return self.show("mending/wish", verb=self.verb, **more)


class PlanView(OperatorView):
    """Every text that a plan would change, with the reason. Only the selected ones are changed."""

    def get(self, request: HttpRequest, plan_id: UUID) -> HttpResponse:
        return self._page(plan_of(self.relationship.id, plan_id))

    def post(self, request: HttpRequest, plan_id: UUID) -> HttpResponse:
        plan = plan_of(self.relationship.id, plan_id)
        scratchpad = ("admin_ui:relationship", self.relationship.id)
        if "decline" in request.POST:
            decline_plan(plan)
            return self.redirect_with_message("Nothing was changed.", *scratchpad)
        ticked = [int(text) for text in request.POST.getlist("item") if text.isdecimal() and len(text) < 6]
        is_hidden = plan.state == MendingState.CARRIED_OUT  # hidden texts can be erased later
        if not ticked and not is_hidden:
            return self._page(plan, unticked=True, status=422)
        if request.POST.get("depth") == "erase" and plan.verb == "forget" and self.access.is_owner:
            erase_plan(plan, by=self.actor, ticked=None if is_hidden else ticked)
            return self.redirect_with_message("Erased, together with every copy.", *scratchpad)
        done = carry_out(plan, by=self.actor, ticked=ticked)
        skipped = sum(not item["done"] for item in done.items)
        message = f"Done, except {skipped} changed in the meantime." if skipped else "Done."
        return self.redirect_with_message(
            message, "admin_ui:relationship_plan", self.relationship.id, plan_id
        )

    def _page(self, plan: MendingPlan, **more: Any) -> HttpResponse:
        return self.show(
            "mending/plan",
            plan=plan,
            waits=plan.state == MendingState.PROPOSED,
            can_undo=plan.state == MendingState.CARRIED_OUT,
            **more,
        )


class UndoPlanView(OperatorView):
    def post(self, request: HttpRequest, plan_id: UUID) -> HttpResponse:
        undo_plan(plan_of(self.relationship.id, plan_id), by=self.actor)
        return self.redirect_with_message("Undone.", "admin_ui:relationship", self.relationship.id)
