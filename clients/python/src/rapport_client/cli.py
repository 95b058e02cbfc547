"""`rapport`: a relationship in and out of a file, and any operation of the REST API by hand."""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rapport_client.client import Rapport
from rapport_client.errors import RapportError
from rapport_client.generated.operations import Operations


def main(arguments: Sequence[str] | None = None) -> int:
    parsed = _parser().parse_args(arguments)
    try:
        with Rapport(parsed.url, parsed.key) as client:
            command: Callable[[Rapport, argparse.Namespace], None] = parsed.command
            command(client, parsed)
    except (RapportError, ValueError, OSError) as error:
        print(f"rapport: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="rapport", description=__doc__)
    parser.add_argument("--url", help="else RAPPORT_URL, else http://127.0.0.1:8000")
    parser.add_argument("--key", help="else RAPPORT_API_KEY")
    commands = parser.add_subparsers(required=True, metavar="command")

    export = commands.add_parser("export", help="write a relationship to a file, or to standard output")
    export.add_argument("relationship")
    export.add_argument("file", nargs="?", type=Path)
    export.set_defaults(command=_export)

    importing = commands.add_parser("import", help="read a relationship from a file, or from standard input")
    importing.add_argument("relationship", help="one that holds nothing yet")
    importing.add_argument("file", nargs="?", type=Path)
    importing.set_defaults(command=_import)

    call = commands.add_parser("call", help="one operation by its operationId, such as users_list limit=5")
    call.add_argument("operation")
    call.add_argument(
        "words", nargs="*", help="what stands in its address, then name=value, values as JSON or text"
    )
    call.set_defaults(command=_call)
    return parser


def _export(client: Rapport, parsed: argparse.Namespace) -> None:
    archive = json.dumps(client.relationships_export(parsed.relationship), ensure_ascii=False, indent=1)
    if parsed.file:
        parsed.file.write_text(archive)
    else:
        print(archive)


def _import(client: Rapport, parsed: argparse.Namespace) -> None:
    archive = json.loads(parsed.file.read_text() if parsed.file else sys.stdin.read())
    _show(client.relationships_import(parsed.relationship, **archive))


def _call(client: Rapport, parsed: argparse.Namespace) -> None:
    if parsed.operation.startswith("_") or parsed.operation not in vars(Operations):
        raise ValueError(f"{parsed.operation!r} is no operation; see /v1/docs of the service.")
    placed = [word for word in parsed.words if "=" not in word]
    named = dict(word.split("=", 1) for word in parsed.words if "=" in word)
    answer = getattr(client, parsed.operation)(
        *placed, **{name: _value(text) for name, text in named.items()}
    )
    if isinstance(answer, bytes):
        sys.stdout.buffer.write(answer)
    elif hasattr(answer, "__next__"):
        for event in answer:
            print(json.dumps({"event": event.name, "id": event.id, "data": event.data}), flush=True)
    elif answer is not None:
        _show(answer)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _show(answer: Any) -> None:
    print(json.dumps(answer, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    sys.exit(main())
