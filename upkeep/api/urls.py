"""Erasure, export and import under /v1. Before the routes of other rooms: these views add DELETE to theirs."""

from django.urls import URLPattern, path

from upkeep.api.erasure import (
    ErasableCompanionView,
    ErasableEntryView,
    ErasableProjectView,
    ErasableRelationshipView,
    ErasableUserView,
    RedactMessagesView,
)
from upkeep.api.hiding import HideMessagesView, ShowMessagesView
from upkeep.api.mending import (
    CarryOutPlanView,
    CorrectView,
    DeclinePlanView,
    ForgetView,
    PlansView,
    PlanView,
    UndoPlanView,
)
from upkeep.api.transfer import ExportView, ImportView

RELATIONSHIP = "relationships/<uuid:relationship_id>"
PLAN = f"{RELATIONSHIP}/plans/<uuid:plan_id>"

urlpatterns: list[URLPattern] = [
    path("project", ErasableProjectView.as_view()),
    path("companions/<uuid:companion_id>", ErasableCompanionView.as_view()),
    path("users/<uuid:user_id>", ErasableUserView.as_view()),
    path(RELATIONSHIP, ErasableRelationshipView.as_view()),
    path(f"{RELATIONSHIP}/entries/<uuid:entry_id>", ErasableEntryView.as_view()),
    path(f"{RELATIONSHIP}/messages/redact", RedactMessagesView.as_view()),
    path(f"{RELATIONSHIP}/messages/hide", HideMessagesView.as_view()),
    path(f"{RELATIONSHIP}/messages/show", ShowMessagesView.as_view()),
    path(f"{RELATIONSHIP}/forget", ForgetView.as_view()),
    path(f"{RELATIONSHIP}/correct", CorrectView.as_view()),
    path(f"{RELATIONSHIP}/plans", PlansView.as_view()),
    path(f"{PLAN}", PlanView.as_view()),
    path(f"{PLAN}/carry-out", CarryOutPlanView.as_view()),
    path(f"{PLAN}/decline", DeclinePlanView.as_view()),
    path(f"{PLAN}/undo", UndoPlanView.as_view()),
    path(f"{RELATIONSHIP}/export", ExportView.as_view()),
    path(f"{RELATIONSHIP}/import", ImportView.as_view()),
]
