"""Everything under /v1 that is about people, companions and what was said."""

from django.urls import URLPattern, path, register_converter
from django.urls.converters import StringConverter

from relationships.api.api_keys import ApiKeysView, ApiKeyView, TokensView, TokenView
from relationships.api.companions import CompanionConfigView, CompanionsView, CompanionView, ConfigSchemaView
from relationships.api.messages import MessagesView
from relationships.api.profiles import ProfileHistoryView, ProfileView
from relationships.api.projects import BudgetView, ProjectView
from relationships.api.relationships import RelationshipsView, RelationshipView
from relationships.api.sessions import SessionEndView, SessionsView, SessionView
from relationships.api.users import UsersView, UserView
from web.docs import DocsView, SchemaView
from web.openapi import PATH_SCHEMAS


class SessionConverter(StringConverter):
    """The developer's own ID of a session: up to 200 characters, no slash, no control characters, not . or .. alone."""

    regex = r"(?!\.\.?(?:/|$))[^/\x00-\x1f\x7f]{1,200}"


register_converter(SessionConverter, "session")
PATH_SCHEMAS["session"] = {
    "type": "string",
    "minLength": 1,
    "maxLength": 200,
    "pattern": r"^[^/\x00-\x1f\x7f]+$",
}

COMPANION = "companions/<uuid:companion_id>"
RELATIONSHIP = "relationships/<uuid:relationship_id>"

urlpatterns: list[URLPattern] = [
    path("project", ProjectView.as_view()),
    path("project/budget", BudgetView.as_view()),
    path("api-keys", ApiKeysView.as_view()),
    path("api-keys/<uuid:key_id>", ApiKeyView.as_view()),
    path("config-schema", ConfigSchemaView.as_view()),
    path("companions", CompanionsView.as_view()),
    path(COMPANION, CompanionView.as_view()),
    path(f"{COMPANION}/config", CompanionConfigView.as_view()),
    path("users", UsersView.as_view()),
    path("users/<uuid:user_id>", UserView.as_view()),
    path("relationships", RelationshipsView.as_view()),
    path(RELATIONSHIP, RelationshipView.as_view()),
    path(f"{RELATIONSHIP}/profile", ProfileView.as_view()),
    path(f"{RELATIONSHIP}/profile/history", ProfileHistoryView.as_view()),
    path(f"{RELATIONSHIP}/sessions", SessionsView.as_view()),
    path(f"{RELATIONSHIP}/sessions/<session:session>", SessionView.as_view()),
    path(f"{RELATIONSHIP}/sessions/<session:session>/end", SessionEndView.as_view()),
    path(f"{RELATIONSHIP}/tokens", TokensView.as_view()),
    path(f"{RELATIONSHIP}/tokens/<uuid:token_id>", TokenView.as_view()),
    path(f"{RELATIONSHIP}/messages", MessagesView.as_view()),
    path("schema", SchemaView.as_view(), name="schema"),
    path("docs", DocsView.as_view(), name="docs"),
]
