"""The routes of behaviours under /v1."""

from django.urls import path

from behaviours.api.outbox import AcknowledgeView, OutboxStreamView, OutboxView
from behaviours.api.views import (
    BehavioursView,
    DryRunView,
    RetryRunView,
    RunsView,
    RunView,
    WebhookSecretView,
)

RELATIONSHIP = "relationships/<uuid:relationship_id>"
RUN = f"{RELATIONSHIP}/behaviour-runs/<uuid:run_id>"

urlpatterns = [
    path(f"{RELATIONSHIP}/behaviours", BehavioursView.as_view()),
    path(f"{RELATIONSHIP}/behaviours/dry-run", DryRunView.as_view()),
    path(f"{RELATIONSHIP}/behaviour-runs", RunsView.as_view()),
    path(RUN, RunView.as_view()),
    path(f"{RUN}/retry", RetryRunView.as_view()),
    path(f"{RELATIONSHIP}/outbox", OutboxView.as_view()),
    path(f"{RELATIONSHIP}/outbox/stream", OutboxStreamView.as_view()),
    path(f"{RELATIONSHIP}/outbox/<uuid:message_id>/ack", AcknowledgeView.as_view()),
    path("companions/<uuid:companion_id>/webhook-secret", WebhookSecretView.as_view()),
]
