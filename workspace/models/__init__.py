from workspace.models.agent_session import (
    AgentSession,
    AgentStep,
    HeldChange,
    SessionState,
    StepState,
    Worker,
)
from workspace.models.git_object import MAIN, Blob, Branch, Checkpoint, Commit, Tree
from workspace.models.hot_context import HotContextVersion
from workspace.models.tool import Tool, ToolSecret

__all__ = [
    "MAIN",
    "AgentSession",
    "AgentStep",
    "Blob",
    "Branch",
    "Checkpoint",
    "Commit",
    "HeldChange",
    "HotContextVersion",
    "SessionState",
    "StepState",
    "Tool",
    "ToolSecret",
    "Tree",
    "Worker",
]
