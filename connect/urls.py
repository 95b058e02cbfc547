"""The routes of events, of other protocols, and of the page for the person."""

from django.urls import path

from connect.events.delivery_view import (
    DeliveryView,
    FailedDeliveriesView,
    ReplayFailedView,
    ReplayView,
)
from connect.events.view import EventsView
from connect.mcp.view import McpView
from connect.mem0.view import mem0_view
from connect.memory_page import memory_page

urlpatterns = [
    path("v1/events/failed", FailedDeliveriesView.as_view()),
    path("v1/events/failed/replay", ReplayFailedView.as_view()),
    path("v1/relationships/<uuid:relationship_id>/events", EventsView.as_view()),
    path("v1/relationships/<uuid:relationship_id>/events/delivery", DeliveryView.as_view()),
    path("v1/relationships/<uuid:relationship_id>/events/replay", ReplayView.as_view()),
    path("mem0/<path:path>", mem0_view),
    path("memory", memory_page),
    path("mcp", McpView.as_view()),
    path("mcp/", McpView.as_view()),  # as many clients write it
    path("mcp/relationships/<uuid:relationship_id>", McpView.as_view()),
    path("mcp/relationships/<uuid:relationship_id>/", McpView.as_view()),
]
