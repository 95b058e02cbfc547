"""The doors of other protocols."""

from django.urls import path

from connect.mcp.view import McpView

urlpatterns = [
    path("mcp", McpView.as_view()),
    path("mcp/relationships/<uuid:relationship_id>", McpView.as_view()),
]
