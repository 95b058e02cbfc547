"""Forgetting and correcting by saying so: what is asked, the plan as a list to tick, and undoing it."""

from typing import Any, ClassVar
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from admin_ui.views.scratchpad import RelationshipPart
from memory.entries.limits import entry_fault
from memory.mending.carrying import carry_out, decline_plan, undo_plan
from memory.mending.plans import make_plan, plan_of
from memory.models import MendingPlan, MendingState
from relationships.models import Role
from upkeep.erasure.plans import erase_plan
from web.errors import RapportError

LONGEST = 2000  # characters of a wish


class WishView(RelationshipPart):
    needs = Role.EDITOR
    verb: ClassVar[str] = "forget"

    def get(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        return self._form(request, relationship_id, {})

    def post(self, request: HttpRequest, relationship_id: UUID) -> HttpResponse:
        relationship = self.get_relationship(relationship_id)
        what, to = (request.POST.get(name, "").strip() for name in ("what", "to"))
        if not what or len(what) > LONGEST:
            wrong = f"Say what, in at most {LONGEST} characters."
            return self._form(request, relationship_id, {"wrong_what": wrong, "to": to}, status=422)
        if self.verb == "correct" and (fault := "Say what is right." if not to else entry_fault(to)):
            return self._form(
                request, relationship_id, {"wrong_to": fault, "what": what, "to": to}, status=422
            )
        erase = request.POST.get("depth") == "erase" and self.verb == "forget" and self.access.is_owner
        depth = "erase" if erase else "hide"
        try:
            plan = make_plan(
                relationship, verb=self.verb, what=what, to=to, depth=depth, by=self.access.actor
            )
        except RapportError as error:
            looked_at = error.extra.get("looked_at", [])
            ctx = {"wrong_what": error.detail, "what": what, "to": to, "looked_at": looked_at}
            return self._form(request, relationship_id, ctx, status=422)
        return redirect("admin_ui:relationship_plan", relationship_id, plan.id)

    def _form(
        self, request: HttpRequest, relationship_id: UUID, said: dict[str, Any], *, status: int = 200
    ) -> HttpResponse:
        ctx = {**self.ctx_of(self.get_relationship(relationship_id)), "verb": self.verb, **said}
        return render(request, "admin_ui/mending/wish.html", ctx, status=status)


class PlanView(RelationshipPart):
    """Every text with the sentence that it is there for. What is ticked is changed; nothing else is."""

    def get(self, request: HttpRequest, relationship_id: UUID, plan_id: UUID) -> HttpResponse:
        return self._page(
            request, relationship_id, plan_of(self.get_relationship(relationship_id).id, plan_id)
        )

    def post(self, request: HttpRequest, relationship_id: UUID, plan_id: UUID) -> HttpResponse:
        self.get_relationship(relationship_id)
        plan = plan_of(relationship_id, plan_id)
        if "decline" in request.POST:
            decline_plan(plan)
            messages.success(request, "Nothing was changed.")
            return redirect("admin_ui:relationship", relationship_id)
        ticked = [int(text) for text in request.POST.getlist("item") if text.isdecimal() and len(text) < 6]
        hid = plan.state == MendingState.CARRIED_OUT
        if not ticked and not hid:
            return self._page(request, relationship_id, plan, unticked=True, status=422)
        if request.POST.get("depth") == "erase" and plan.verb == "forget" and self.access.is_owner:
            erase_plan(plan, by=self.access.actor, ticked=None if hid else ticked)
            messages.success(request, "Erased, together with every copy.")
            return redirect("admin_ui:relationship", relationship_id)
        done = carry_out(plan, by=self.access.actor, ticked=ticked)
        left = sum(not item["done"] for item in done.items)
        messages.success(request, f"Done, except {left} changed in the meantime." if left else "Done.")
        return redirect("admin_ui:relationship_plan", relationship_id, plan_id)

    def _page(
        self,
        request: HttpRequest,
        relationship_id: UUID,
        plan: MendingPlan,
        *,
        unticked: bool = False,
        status: int = 200,
    ) -> HttpResponse:
        ctx = {
            **self.ctx_of(self.get_relationship(relationship_id)),
            "plan": plan,
            "waits": plan.state == MendingState.PROPOSED,
            "can_undo": plan.state == MendingState.CARRIED_OUT,
            "unticked": unticked,
        }
        return render(request, "admin_ui/mending/plan.html", ctx, status=status)


class UndoPlanView(RelationshipPart):
    def post(self, request: HttpRequest, relationship_id: UUID, plan_id: UUID) -> HttpResponse:
        self.get_relationship(relationship_id)
        undo_plan(plan_of(relationship_id, plan_id), by=self.access.actor)
        messages.success(request, "Undone.")
        return redirect("admin_ui:relationship", relationship_id)
