"""The admin UI's pages, under /admin-ui/."""

from django.urls import path

from admin_ui.views.audit import AuditExportView, AuditView
from admin_ui.views.behaviours import BehavioursView
from admin_ui.views.companions import CompanionsView, CompanionView
from admin_ui.views.conversation import ConversationView, HideMessageView, TraceView
from admin_ui.views.data import DataView, ExportView
from admin_ui.views.documents import DocumentsView, DocumentView
from admin_ui.views.entries import DecideHeldView, EntryHistoryView, EntryUndoView
from admin_ui.views.erasing import ChosenMessagesView, EraseEntryView, RedactMessagesView
from admin_ui.views.find import FindView
from admin_ui.views.keys import KeysView, LimitKeyView, RevokeKeyView
from admin_ui.views.mending import PlanView, UndoPlanView, WishView
from admin_ui.views.operators import InvitationView, OperatorRoleView, OperatorsView
from admin_ui.views.overview import AlarmView, FirstTurnView, OtherWorkView, OverviewView, StatusView
from admin_ui.views.people import PeopleView
from admin_ui.views.playground import PlaygroundView, TalkView
from admin_ui.views.preview import ContextPreviewView, KeptContextView, NearMissesView
from admin_ui.views.profile import EndSessionView, ProfileView, RelationshipConfigView, SessionStateView
from admin_ui.views.project import ProjectView
from admin_ui.views.prompts import PromptsView, PublishPromptView, ReplayView
from admin_ui.views.relationships import RelationshipsView
from admin_ui.views.scratchpad import (
    AddEntryView,
    BulkView,
    DeleteEntryView,
    EditEntryView,
    RestoreEntryView,
    ScratchpadView,
    SwitchEntryView,
)
from admin_ui.views.sign_in import ChooseProjectView, SignInView, SignOutView, ThemeView
from admin_ui.views.summaries import SummariesView
from admin_ui.views.time_travel import TimeTravelView
from admin_ui.views.tokens import RevokeTokenView, TokensView
from admin_ui.views.turns import RetryTurnView, TurnsView
from admin_ui.views.workspace import (
    AgentSessionView,
    ApproveToolView,
    CheckpointsView,
    CommitView,
    DecideChangeView,
    FileView,
    HistoryView,
    HotContextView,
    WorkspaceView,
)

app_name = "admin_ui"

COMPANION = "companions/<uuid:companion_id>"
RELATIONSHIP = "relationships/<uuid:relationship_id>"
WORKSPACE = f"{RELATIONSHIP}/workspace"
ENTRY = f"{RELATIONSHIP}/entries/<uuid:entry_id>"
TURN = f"{RELATIONSHIP}/turns/<uuid:turn_id>"

urlpatterns = [
    path("", OverviewView.as_view(), name="overview"),
    path("status/", StatusView.as_view(), name="overview_status"),
    path("other-work/", OtherWorkView.as_view(), name="overview_other_work"),
    path("alarm/", AlarmView.as_view(), name="alarm"),
    path("find/", FindView.as_view(), name="find"),
    path("first-turn/", FirstTurnView.as_view(), name="first_turn"),
    path("sign-in/", SignInView.as_view(), name="sign_in"),
    path("invitations/<token>/", InvitationView.as_view(), name="invitation"),
    path("sign-out/", SignOutView.as_view(), name="sign_out"),
    path("project/", ChooseProjectView.as_view(), name="choose_project"),
    path("project/configuration/", ProjectView.as_view(), name="project"),
    path("theme/", ThemeView.as_view(), name="theme"),
    path("companions/", CompanionsView.as_view(), name="companions"),
    path(f"{COMPANION}/", CompanionView.as_view(), name="companion"),
    path(f"{COMPANION}/prompt/", PromptsView.as_view(), name="companion_prompt"),
    path(f"{COMPANION}/prompt/<int:version>/publish/", PublishPromptView.as_view(), name="companion_publish"),
    path(
        f"{COMPANION}/replays/<uuid:relationship_id>/<uuid:replay_id>/",
        ReplayView.as_view(),
        name="companion_replay",
    ),
    path(f"{COMPANION}/behaviours/", BehavioursView.as_view(), name="companion_behaviours"),
    path(f"{COMPANION}/documents/", DocumentsView.as_view(), name="companion_documents"),
    path(f"{COMPANION}/documents/<uuid:document_id>/", DocumentView.as_view(), name="companion_document"),
    path("keys/", KeysView.as_view(), name="keys"),
    path("keys/<uuid:key_id>/limits/", LimitKeyView.as_view(), name="key_limits"),
    path("keys/<uuid:key_id>/revoke/", RevokeKeyView.as_view(), name="key_revoke"),
    path("operators/", OperatorsView.as_view(), name="operators"),
    path("operators/<uuid:membership_id>/", OperatorRoleView.as_view(), name="operator_role"),
    path("audit/", AuditView.as_view(), name="audit"),
    path("audit/export/", AuditExportView.as_view(), name="audit_export"),
    path("playground/", PlaygroundView.as_view(), name="playground"),
    path("playground/<uuid:relationship_id>/", TalkView.as_view(), name="playground_talk"),
    path("turns/", TurnsView.as_view(), name="turns"),
    path("relationships/", RelationshipsView.as_view(), name="relationships"),
    path(f"{RELATIONSHIP}/", ScratchpadView.as_view(), name="relationship"),
    path(f"{RELATIONSHIP}/people/", PeopleView.as_view(), name="relationship_people"),
    path(f"{RELATIONSHIP}/entries/", AddEntryView.as_view(), name="relationship_add_entry"),
    path(f"{RELATIONSHIP}/bulk/", BulkView.as_view(), name="relationship_bulk"),
    path(f"{RELATIONSHIP}/conversation/", ConversationView.as_view(), name="relationship_conversation"),
    path(
        f"{RELATIONSHIP}/messages/<uuid:message_id>/",
        HideMessageView.as_view(),
        name="relationship_hide_message",
    ),
    path(f"{RELATIONSHIP}/summaries/", SummariesView.as_view(), name="relationship_summaries"),
    path(f"{RELATIONSHIP}/context/", ContextPreviewView.as_view(), name="relationship_preview"),
    path(f"{RELATIONSHIP}/context/scores/", NearMissesView.as_view(), name="relationship_near"),
    path(f"{RELATIONSHIP}/contexts/<uuid:context_id>/", KeptContextView.as_view(), name="relationship_kept"),
    path(f"{RELATIONSHIP}/time/", TimeTravelView.as_view(), name="relationship_time"),
    path(f"{RELATIONSHIP}/profile/", ProfileView.as_view(), name="relationship_profile"),
    path(f"{RELATIONSHIP}/configuration/", RelationshipConfigView.as_view(), name="relationship_config"),
    path(f"{RELATIONSHIP}/sessions/", SessionStateView.as_view(), name="relationship_session"),
    path(f"{RELATIONSHIP}/sessions/end/", EndSessionView.as_view(), name="relationship_end_session"),
    path(f"{WORKSPACE}/", WorkspaceView.as_view(), name="relationship_workspace"),
    path(f"{WORKSPACE}/history/", HistoryView.as_view(), name="relationship_file_history"),
    path(f"{WORKSPACE}/file/", FileView.as_view(), name="relationship_file"),
    path(f"{WORKSPACE}/hot-context/", HotContextView.as_view(), name="relationship_hot_context"),
    path(f"{WORKSPACE}/tools/", ApproveToolView.as_view(), name="relationship_approve_tool"),
    path(f"{WORKSPACE}/checkpoints/", CheckpointsView.as_view(), name="relationship_checkpoints"),
    path(f"{WORKSPACE}/commits/<slug:sha>/", CommitView.as_view(), name="relationship_commit"),
    path(
        f"{WORKSPACE}/sessions/<uuid:session_id>/",
        AgentSessionView.as_view(),
        name="relationship_agent_session",
    ),
    path(
        f"{WORKSPACE}/changes/<uuid:change_id>/",
        DecideChangeView.as_view(),
        name="relationship_decide_change",
    ),
    path(f"{RELATIONSHIP}/forget/", WishView.as_view(verb="forget"), name="relationship_forget"),
    path(f"{RELATIONSHIP}/correct/", WishView.as_view(verb="correct"), name="relationship_correct"),
    path(f"{RELATIONSHIP}/plans/<uuid:plan_id>/", PlanView.as_view(), name="relationship_plan"),
    path(f"{RELATIONSHIP}/plans/<uuid:plan_id>/undo/", UndoPlanView.as_view(), name="relationship_undo_plan"),
    path(f"{RELATIONSHIP}/tokens/", TokensView.as_view(), name="relationship_tokens"),
    path(
        f"{RELATIONSHIP}/tokens/<uuid:token_id>/revoke/",
        RevokeTokenView.as_view(),
        name="relationship_revoke_token",
    ),
    path(f"{RELATIONSHIP}/data/", DataView.as_view(), name="relationship_data"),
    path(f"{RELATIONSHIP}/export/", ExportView.as_view(), name="relationship_export"),
    path(f"{RELATIONSHIP}/messages/", ChosenMessagesView.as_view(), name="relationship_messages"),
    path(f"{RELATIONSHIP}/messages/redact/", RedactMessagesView.as_view(), name="relationship_redact"),
    path(f"{RELATIONSHIP}/held/<uuid:held_id>/", DecideHeldView.as_view(), name="relationship_decide_held"),
    path(f"{ENTRY}/", EntryHistoryView.as_view(), name="relationship_entry"),
    path(f"{ENTRY}/edit/", EditEntryView.as_view(), name="relationship_edit_entry"),
    path(f"{ENTRY}/delete/", DeleteEntryView.as_view(), name="relationship_delete_entry"),
    path(f"{ENTRY}/restore/", RestoreEntryView.as_view(), name="relationship_restore_entry"),
    path(f"{ENTRY}/switch/", SwitchEntryView.as_view(), name="relationship_switch_entry"),
    path(f"{ENTRY}/erase/", EraseEntryView.as_view(), name="relationship_erase_entry"),
    path(f"{ENTRY}/undo/<int:seq>/", EntryUndoView.as_view(), name="relationship_undo"),
    path(f"{TURN}/", TraceView.as_view(), name="relationship_trace"),
    path(f"{TURN}/retry/", RetryTurnView.as_view(), name="relationship_retry"),
]
