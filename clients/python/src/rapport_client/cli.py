"""`rapport`: export and import relationships, run commands on their files, call tools and any REST operation."""

import argparse
import inspect
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rapport_client.client import Rapport
from rapport_client.errors import RapportError
from rapport_client.generated.operations import Operations
from rapport_client.workspace import run_in_workspace


def main(arguments: Sequence[str] | None = None) -> int:
    parsed = _parser().parse_args(arguments)
    try:
        with Rapport(parsed.url, parsed.key) as client:
            command: Callable[[Rapport, argparse.Namespace], int | None] = parsed.command
            return command(client, parsed) or 0
    except (RapportError, ValueError, OSError) as error:
        print(f"rapport: {error}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="rapport", description=__doc__)
    parser.add_argument("--url", help="the service; default: RAPPORT_URL, else http://127.0.0.1:8000")
    parser.add_argument("--key", help="an API key or token; default: RAPPORT_API_KEY")
    commands = parser.add_subparsers(required=True, metavar="command")

    export = commands.add_parser("export", help="write a relationship to a file, or to standard output")
    export.add_argument("relationship")
    export.add_argument("file", nargs="?", type=Path)
    export.set_defaults(command=_export)

    importing = commands.add_parser("import", help="read a relationship from a file, or from standard input")
    importing.add_argument("relationship", help="the ID of a relationship that is still empty")
    importing.add_argument("file", nargs="?", type=Path)
    importing.set_defaults(command=_import)

    run = commands.add_parser("workspace", help="run a command on a relationship's files")
    of_workspace = run.add_subparsers(required=True, metavar="run")
    run = of_workspace.add_parser("run", help="run it in a new session; push and merge its changes")
    run.add_argument("relationship", help="its ID")
    run.add_argument("--task", help="what the session is for; default: the command")
    run.add_argument(
        "--folder", type=Path, help="an empty folder, which is kept; default: a temporary folder"
    )
    run.add_argument("--wait", type=float, default=120.0, help="seconds to wait for the merge; default: 120")
    run.add_argument("words", nargs="+", metavar="-- command")
    run.set_defaults(command=_run)

    tool = commands.add_parser("tool", help="use the companion's tools, within `workspace run`")
    of_tool = tool.add_subparsers(required=True, metavar="list|describe|call")
    of_tool.add_parser("list", help="list their names").set_defaults(command=_tool_list)
    describe = of_tool.add_parser("describe", help="show what a tool does and takes, as YAML")
    describe.add_argument("name")
    describe.set_defaults(command=_tool_describe)
    call = of_tool.add_parser("call", help="call a tool; exits with 1 if the call is refused")
    call.add_argument("name")
    call.add_argument("words", nargs="*", help="arguments as name=value; values are JSON or text")
    call.add_argument("--approved", type=int, help="the step's number, once a person has approved it")
    call.set_defaults(command=_tool_call)

    call = commands.add_parser(
        "call", help="call an operation by its operationId, such as users_list limit=5"
    )
    call.add_argument("operation")
    call.add_argument(
        "words", nargs="*", help="the path's parameters in order, then name=value; values are JSON or text"
    )
    call.set_defaults(command=_call)
    return parser


def _export(client: Rapport, parsed: argparse.Namespace) -> None:
    archive = json.dumps(client.relationships_export(parsed.relationship), ensure_ascii=False, indent=1)
    if parsed.file:
        parsed.file.write_text(archive, encoding="utf-8")
    else:
        print(archive)


def _import(client: Rapport, parsed: argparse.Namespace) -> None:
    archive = json.loads(parsed.file.read_text(encoding="utf-8") if parsed.file else sys.stdin.read())
    if not isinstance(archive, dict) or archive.get("format") != "rapport.relationship":
        raise ValueError(f"{parsed.file or 'standard input'} is not an export of a relationship.")
    _show(_called(client.relationships_import, [parsed.relationship], archive))


def _run(client: Rapport, parsed: argparse.Namespace) -> int:
    task = parsed.task or " ".join(parsed.words)
    ran = run_in_workspace(
        client, parsed.relationship, parsed.words, task=task, folder=parsed.folder, wait=parsed.wait
    )
    for path, why in ran.left_out.items():
        print(f"not stored, and still in {ran.folder}: {path}: {why}", file=sys.stderr)
    session = ran.session
    print(f"session {session['id']}: {session['state']} {session['error'] or ''}".rstrip(), file=sys.stderr)
    return ran.code or (1 if session["state"] == "failed" or ran.left_out else 0)


def _tool_list(client: Rapport, parsed: argparse.Namespace) -> None:
    relationship, branch = _of_session("RAPPORT_RELATIONSHIP", "RAPPORT_BRANCH")
    for file in client.files_list(relationship, branch=branch, prefix="tools/")["files"]:
        folder, _, name = file["path"].rpartition("/")
        if name == "spec.yaml":
            print(folder.removeprefix("tools/"))


def _tool_describe(client: Rapport, parsed: argparse.Namespace) -> None:
    relationship, branch = _of_session("RAPPORT_RELATIONSHIP", "RAPPORT_BRANCH")
    print(client.files_read(relationship, f"tools/{parsed.name}/spec.yaml", branch=branch)["content"], end="")


def _tool_call(client: Rapport, parsed: argparse.Namespace) -> int:
    relationship, session = _of_session("RAPPORT_RELATIONSHIP", "RAPPORT_SESSION")
    nameless = [word for word in parsed.words if "=" not in word]
    if nameless:
        raise ValueError(f"{nameless[0]!r} is not an argument: write name=value.")
    given = {name: _value(text) for name, text in (word.split("=", 1) for word in parsed.words)}
    more = {} if parsed.approved is None else {"approved": parsed.approved}
    step = client.agent_tools_call(relationship, session, parsed.name, input=given, **more)
    _show(step)
    return 0 if step["state"] == "done" else 1


def _of_session(*names: str) -> list[str]:
    missing = [name for name in names if not os.environ.get(name)]
    if missing:
        raise ValueError(f"{missing[0]} is not set: run this within `rapport workspace run`.")
    return [os.environ[name] for name in names]


def _call(client: Rapport, parsed: argparse.Namespace) -> None:
    if parsed.operation.startswith("_") or parsed.operation not in vars(Operations):
        raise ValueError(f"{parsed.operation!r} is not an operation; see /v1/docs of the service.")
    placed = [word for word in parsed.words if "=" not in word]
    named = dict(word.split("=", 1) for word in parsed.words if "=" in word)
    given = {name: _value(text) for name, text in named.items()}
    answer = _called(getattr(client, parsed.operation), placed, given)
    if isinstance(answer, bytes):
        sys.stdout.buffer.write(answer)
    elif hasattr(answer, "__next__"):
        for event in answer:
            print(json.dumps({"event": event.name, "id": event.id, "data": event.data}), flush=True)
    elif answer is not None:
        _show(answer)


def _called(operation: Callable[..., Any], placed: Sequence[str], named: dict[str, Any]) -> Any:
    """Call the operation. Raises ValueError if the arguments don't fit."""
    takes = inspect.signature(operation)
    try:
        takes.bind(*placed, **named)
    except TypeError as error:
        known = ", ".join(
            name if one.default is one.empty else f"[{name}]" for name, one in takes.parameters.items()
        )
        raise ValueError(f"{operation.__name__}: {error}. Its arguments: {known}.") from None
    return operation(*placed, **named)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _show(answer: Any) -> None:
    print(json.dumps(answer, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    sys.exit(main())
