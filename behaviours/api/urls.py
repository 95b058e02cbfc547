"""The routes of behaviours under /v1."""

from django.urls import path

from behaviours.api import outbox, views

RELATIONSHIP = "relationships/<uuid:relationship_id>"
RUN = f"{RELATIONSHIP}/behaviour-runs/<uuid:run_id>"

urlpatterns = [
    path(f"{RELATIONSHIP}/behaviours", views.BehavioursView.as_view()),
    path(f"{RELATIONSHIP}/behaviours/dry-run", views.DryRunView.as_view()),
    path(f"{RELATIONSHIP}/behaviour-runs", views.RunsView.as_view()),
    path(RUN, views.RunView.as_view()),
    path(f"{RUN}/retry", views.RetryRunView.as_view()),
    path(f"{RELATIONSHIP}/outbox", outbox.OutboxView.as_view()),
    path(f"{RELATIONSHIP}/outbox/stream", outbox.OutboxStreamView.as_view()),
    path(f"{RELATIONSHIP}/outbox/<uuid:message_id>/ack", outbox.AcknowledgeView.as_view()),
    path("companions/<uuid:companion_id>/webhook-secret", views.WebhookSecretView.as_view()),
]
