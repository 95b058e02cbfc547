"""Runs tools and reads resources for an MCP request, on the memory that it may reach."""

import json
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from connect.mcp.tools import Asked, Told, Tool, ToolFailed, good
from connect.own_api import OwnApi

_URI = re.compile(
    r"rapport://relationships/([0-9a-f-]{36})/(entries|profile|hot-context|files)(?:(?<=/files)/(.+))?"
)
RESOURCES = {
    "entries": "Everything that is remembered of the person at present.",
    "profile": "What the developer keeps about the person, as structured data.",
    "hot-context": "What the agents who work on the person's files think that matters now.",
    "files": "The person's files, by path; each can be read by its own address.",
}
FILE = ("files/{+path}", "file", "One of the person's files.")
NAMING = {
    "companion": "Which companion speaks: its slug.",
    "user": "Who the person is: your own ID of them.",
}


@dataclass(frozen=True, slots=True)
class Desk:
    """`relationship`: from the URL or the token; None: each call names companion and user."""

    api: OwnApi
    relationship: str | None
    address: str

    def use(self, tool: type[Tool], arguments: dict[str, Any]) -> Told:
        """Run a tool. Raises ToolFailed, pydantic.ValidationError."""
        own = dict(arguments)
        named = {name: own.pop(name, None) for name in NAMING} if self.relationship is None else {}
        call = tool.model_validate(own)
        relationship = self.relationship or self._find_relationship(named, make=not tool.reads_only)
        return call.run(Asked(self.api, relationship, self.address))

    def _find_relationship(self, named: dict[str, Any], *, make: bool) -> str:
        """Find the relationship. If it does not exist, create it if `make`, otherwise raise ToolFailed."""
        for name, value in named.items():
            if not isinstance(value, str) or not value:
                raise ToolFailed(f"{name}: is required. {NAMING[name]}")
        found = good(self.api.get("/relationships", **named))["items"]
        if not found and make:
            return str(good(self.api.post("/relationships", named))["id"])
        if not found:
            raise ToolFailed("Nothing is known of this person with this companion yet.")
        return str(found[0]["id"])

    def resources(self) -> list[tuple[str, str, str]]:
        """URI, name and description of the resources of a known relationship."""
        if self.relationship is None:
            return []
        return [(_uri(self.relationship, name), name, text) for name, text in RESOURCES.items()]

    def templates(self) -> list[tuple[str, str, str]]:
        place, name, text = FILE
        owner = self.relationship or "{relationship_id}"
        files = [(_uri(owner, place), name, text)]
        if self.relationship is not None:
            return files
        return [(_uri(owner, name), name, text) for name, text in RESOURCES.items()] + files

    def read(self, uri: str) -> str:
        """Read a resource as JSON. Raises ToolFailed."""
        found = _URI.fullmatch(uri)
        if found is None or (self.relationship is not None and found[1] != self.relationship):
            raise ToolFailed(f"There is no resource {uri[:200]!r}.")
        path = f"/relationships/{found[1]}/{found[2]}"
        if found[2] == "entries":
            return json.dumps({"entries": self.api.every(path, good)}, ensure_ascii=False)
        of_file = f"/{unquote(found[3])}" if found[3] else ""
        return json.dumps(good(self.api.get(path + of_file)), ensure_ascii=False)


def _uri(relationship: str, name: str) -> str:
    return f"rapport://relationships/{relationship}/{name}"
