"""The routes of summaries under /v1."""

from django.urls import path

from summaries.api.views import SummariesView, SummaryView

SUMMARIES = "relationships/<uuid:relationship_id>/summaries"

urlpatterns = [
    path(SUMMARIES, SummariesView.as_view()),
    path(f"{SUMMARIES}/<uuid:summary_id>", SummaryView.as_view()),
]
