from workspace.models.agent_session import AgentSession, SessionState, Worker
from workspace.models.agent_step import AgentStep, StepState
from workspace.models.branch import MAIN, Branch
from workspace.models.checkpoint import Checkpoint
from workspace.models.git_object import Blob, Commit, Tree
from workspace.models.held_change import HeldChange
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
