"""The errors of files, sessions and tools.

RapportError
├── BadPath                  a path that is not allowed in a tree; says which rule it breaks
├── ReadOnlyFile             the file is generated from something else: change that
├── FileNotThere             there is no file at that path
├── WorkspaceFull            over a limit: bytes of a file, number of files, bytes of all files
├── HotContextTooLong        more than 700 words or 2,000 tokens
├── SessionNotOpen           the session's state does not allow it
├── PushRefused              a push can't be accepted; says why
└── ToolRefused              the call does not fit the tool's spec, or the tool may not be called

SessionLost                  only inside the worker: the session was stopped, erased, or taken over by another worker
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
    """The worker no longer holds the session: stop, and write nothing."""
