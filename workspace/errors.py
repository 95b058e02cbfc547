"""What can be wrong with files, sessions and tools.

RapportError
├── BadPath                  a path that no tree takes; says which rule it breaks
├── ReadOnlyFile             made from something else: change that
├── FileNotThere             there is no file of that path
├── WorkspaceFull            over the limits of a file, of files, of bytes
├── HotContextTooLong        more than 700 words or 2,000 tokens
├── SessionNotOpen           the session's state does not allow it
├── PushRefused              what a push brings can't be taken; says why
└── ToolRefused              the call does not fit the tool's spec, or the tool may not be called

SessionLost                  inside the worker only: stopped, erased, or another worker has taken it over
"""

from web.errors import Conflict, InvalidInput, NotFound, TooMuch


class BadPath(InvalidInput):
    code = "bad_path"


class ReadOnlyFile(Conflict):
    code = "read_only_file"


class FileNotThere(NotFound):
    code = "file_not_there"


class WorkspaceFull(TooMuch):
    code = "workspace_full"


class HotContextTooLong(InvalidInput):
    code = "hot_context_too_long"


class SessionNotOpen(Conflict):
    code = "session_not_open"


class PushRefused(InvalidInput):
    code = "push_refused"


class ToolRefused(InvalidInput):
    code = "tool_refused"


class SessionLost(Exception):
    """Stop, and write nothing."""
