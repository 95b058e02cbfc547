from chat.models.kept_context import KeptContext
from chat.models.tool_call import ToolCall

__all__ = ["KeptContext", "ToolCall"]
