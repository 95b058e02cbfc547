"""Forget and correct by saying so: a plan, what it would change, and the carrying out of it."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field, StringConstraints
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.schemas import EntryText
from memory.mending.execution import carry_out, decline_plan, undo_plan
from memory.mending.plans import make_plan, plan_of
from memory.models import MendingPlan, MendingState, MendingVerb
from relationships.api.views import ApiView
from upkeep.erasure.plans import erase_plan
from web.errors import InvalidInput
from web.fields import NOT_BLANK, Answer, Body, Page, PageQuery
from web.operations import operation

TAG = "Mending"

LONGEST_WISH = 2000  # characters
MOST_TICKS = 500

WishText = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_WISH), NOT_BLANK]
Depth = Literal["hide", "erase"]


class ForgetBody(Body):
    what: WishText
    """In plain words: "what I said about my sister's job", "ORD-17", "that I live in Vienna"."""
    dry_run: bool = False
    """Only make the plan. It is kept for an hour."""
    depth: Depth = "hide"
    """`hide` can be undone. `erase` is final, removes every copy, and also covers what is hidden."""


class CorrectBody(Body):
    what: WishText
    """What is wrong, in plain words."""
    to: EntryText
    """What is right, as an entry would say it."""
    dry_run: bool = False


class CarryOutBody(Body):
    ticked: Annotated[list[int], Field(max_length=MOST_TICKS)] | None = None
    """Numbers of the items to carry out; if left out, those that the plan has ticked."""
    depth: Depth | None = None
    """If left out, the depth that the plan was made with. `erase` also works on a plan that was carried out, and
    erases what it hid.
    """


class PlanItemAnswer(Answer):
    """One thing that a plan changes. `action`: `hide` takes all of it, `edit` leaves `rest`."""

    number: int
    kind: str
    id: UUID
    action: str
    sentence: str | None
    """The part that says it. Null once the plan is carried out: a plan keeps no words."""
    rest: str | None
    place: str | None
    """Where it is: a file's path, a document's name, an earlier version."""
    score: float | None
    """The share of the wish's words that it contains, 0 to 1; 1 if a model judged."""
    why: str | None
    ticked: bool
    fixed: bool
    """It can't be changed by a plan: a read-only entry, or one of the companion's documents."""
    asks: bool
    """The message that asks for it, or repeats it: it goes with what is ticked, itself ticked or not."""
    hidden: bool
    """It is already hidden, or is an earlier text of an entry: only erasing changes it."""
    done: bool | None
    """False: it changed since the plan was made, and was left alone."""


class PlanAnswer(Answer):
    id: UUID
    verb: MendingVerb
    depth: Depth
    state: MendingState
    left_out: int
    """How many texts were not examined or not listed, because there are too many for one plan. Carry it out and ask
    again, or use fewer and rarer words.
    """
    judged_by: str
    """The model that judged; empty: rules."""
    turn_id: UUID | None
    """Set if it was asked for in a conversation and nothing was certain, or too much at once. It is then `proposed`
    until somebody carries it out or declines it.
    """
    recorded_at: datetime
    items: list[PlanItemAnswer]


class PlanListQuery(PageQuery):
    awaiting_review: bool = False
    """Only plans that were asked for in a conversation and wait for a decision."""


class WishView(ApiView):
    open_to_tokens = True

    def plan(self, relationship_id: UUID, body: ForgetBody | CorrectBody, **wish: str) -> Response:
        """Make a plan and, unless only that is wanted, carry out what is certain."""
        relationship = self.get_relationship(relationship_id, "companion", "project", "user")
        plan = make_plan(relationship, what=body.what, by=self.actor, **wish)
        if not body.dry_run and any(item["ticked"] for item in plan.items):
            plan = carry_out_to(plan, plan.depth, None, self.actor)
        return self.answer(present(plan))


class ForgetView(WishView):
    @operation(
        "relationships_forget",
        "Forget something by saying so",
        answers={200: PlanAnswer},
        problems=(429, 502),
    )
    def post(self, request: Request, relationship_id: UUID, body: ForgetBody) -> Response:
        """Searches entries, parts of entries, messages of either side and documents, and hides or erases what
        certainly says it. Uncertain items are listed unticked: carry out the plan with the items you select.
        """
        return self.plan(relationship_id, body, verb="forget", depth=body.depth)


class CorrectView(WishView):
    @operation(
        "relationships_correct",
        "Correct something by saying so",
        answers={200: PlanAnswer},
        problems=(409, 429, 502),
    )
    def post(self, request: Request, relationship_id: UUID, body: CorrectBody) -> Response:
        """Changes the entry that says it. If no entry does, the call is refused and shows what it looked at. If
        several might, the plan waits for you to select some.
        """
        return self.plan(relationship_id, body, verb="correct", to=body.to)


class PlansView(ApiView):
    tag = "Mending"
    open_to_tokens = True

    @operation("plans_list", "List plans, newest first", answers={200: Page[PlanAnswer]})
    def get(self, request: Request, relationship_id: UUID, query: PlanListQuery) -> Response:
        self.get_relationship(relationship_id)
        plans = MendingPlan.objects.for_relationship(relationship_id)
        rows = plans.awaiting_review() if query.awaiting_review else plans
        return self.page(rows, present, order=["-recorded_at", "-id"], query=query)


class PlanView(ApiView):
    open_to_tokens = True

    @operation("plans_read", "Read a plan", answers={200: PlanAnswer})
    def get(self, request: Request, relationship_id: UUID, plan_id: UUID) -> Response:
        self.get_relationship(relationship_id)
        return self.answer(present(plan_of(relationship_id, plan_id)))


class CarryOutPlanView(ApiView):
    open_to_tokens = True

    @operation(
        "plans_carry_out", "Carry out a plan", body_optional=True, answers={200: PlanAnswer}, problems=(409,)
    )
    def post(self, request: Request, relationship_id: UUID, plan_id: UUID, body: CarryOutBody) -> Response:
        """All of it happens in one transaction. Items that changed since the plan was made are left alone, and the
        answer says so. A plan that hid its items can be carried out again with the depth `erase`; then it can't be
        undone.
        """
        self.get_relationship(relationship_id)
        plan = plan_of(relationship_id, plan_id)
        waits = plan.state == MendingState.PROPOSED
        own = [item for item in plan.items if not item.get("asks")]
        numbers = (
            body.ticked if body.ticked is not None else [one["number"] for one in own if one.get("ticked")]
        )
        if waits and not any(item["number"] in numbers for item in own):
            raise InvalidInput.of("ticked", "nothing is ticked: name items of the plan, or decline the plan")
        depth = body.depth or (plan.depth if waits else "hide")
        return self.answer(present(carry_out_to(plan, depth, body.ticked, self.actor)))


class DeclinePlanView(ApiView):
    tag = "Mending"
    open_to_tokens = True

    @operation("plans_decline", "Decline a plan", answers={200: PlanAnswer}, problems=(409,))
    def post(self, request: Request, relationship_id: UUID, plan_id: UUID) -> Response:
        """Leaves unchanged everything that it would have changed, and keeps none of the plan's words."""
        self.get_relationship(relationship_id)
        return self.answer(present(decline_plan(plan_of(relationship_id, plan_id))))


class UndoPlanView(ApiView):
    open_to_tokens = True

    @operation("plans_undo", "Undo a plan", answers={200: PlanAnswer}, problems=(409,))
    def post(self, request: Request, relationship_id: UUID, plan_id: UUID) -> Response:
        """Restores what the plan hid and changed. What was erased stays erased."""
        self.get_relationship(relationship_id)
        return self.answer(present(undo_plan(plan_of(relationship_id, plan_id), by=self.actor)))


def carry_out_to(plan: MendingPlan, depth: str, ticked: list[int] | None, by: Any) -> MendingPlan:
    if depth == "erase" and plan.verb == "forget":
        return erase_plan(plan, by=by, ticked=ticked)
    return carry_out(plan, by=by, ticked=ticked)


def present(plan: MendingPlan) -> dict[str, Any]:
    defaults: dict[str, Any] = dict.fromkeys(PlanItemAnswer.model_fields) | {
        "ticked": True,
        "fixed": False,
        "asks": False,
        "hidden": False,
    }
    items = [
        {name: {**defaults, **item}[name] for name in PlanItemAnswer.model_fields} for item in plan.items
    ]
    return PlanAnswer.of(plan, items=items)
