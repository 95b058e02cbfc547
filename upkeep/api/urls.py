"""Erasure, export and import under /v1. Included before other rooms' routes, as these views add DELETE to theirs."""

from django.urls import URLPattern, path

from upkeep.api import erasure, hiding, mending, transfer

RELATIONSHIP = "relationships/<uuid:relationship_id>"
PLAN = f"{RELATIONSHIP}/plans/<uuid:plan_id>"

urlpatterns: list[URLPattern] = [
    path("project", erasure.ErasableProjectView.as_view()),
    path("companions/<uuid:companion_id>", erasure.ErasableCompanionView.as_view()),
    path("users/<uuid:user_id>", erasure.ErasableUserView.as_view()),
    path(RELATIONSHIP, erasure.ErasableRelationshipView.as_view()),
    path(f"{RELATIONSHIP}/entries/<uuid:entry_id>", erasure.ErasableEntryView.as_view()),
    path(f"{RELATIONSHIP}/messages/redact", erasure.RedactMessagesView.as_view()),
    path(f"{RELATIONSHIP}/messages/hide", hiding.HideMessagesView.as_view()),
    path(f"{RELATIONSHIP}/messages/show", hiding.ShowMessagesView.as_view()),
    path(f"{RELATIONSHIP}/forget", mending.ForgetView.as_view()),
    path(f"{RELATIONSHIP}/correct", mending.CorrectView.as_view()),
    path(f"{RELATIONSHIP}/plans", mending.PlansView.as_view()),
    path(f"{PLAN}", mending.PlanView.as_view()),
    path(f"{PLAN}/carry-out", mending.CarryOutPlanView.as_view()),
    path(f"{PLAN}/decline", mending.DeclinePlanView.as_view()),
    path(f"{PLAN}/undo", mending.UndoPlanView.as_view()),
    path(f"{RELATIONSHIP}/export", transfer.ExportView.as_view()),
    path(f"{RELATIONSHIP}/import", transfer.ImportView.as_view()),
]
