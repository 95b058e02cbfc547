"""Make generated requests meaningful: with IDs that exist, present versions, and known names.

Most generated requests are refused at the first field. If a part of a request was meant to be valid, some of its
values are replaced here by meaningful ones; one request in four stays unchanged.
"""

import random
from typing import Any

from schemathesis import Case, GenerationMode
from schemathesis.core.parameters import ParameterLocation

from tests.integration.api.world import World

CONFIGS: list[dict[str, Any]] = [
    {},
    {"ingestion": {"enabled": False}},
    {"ingestion": {"trigger": {"mode": "every_n_turns", "n": 2}}},
    {"ingestion": {"trigger": {"mode": "session_end"}}, "sessions": {"idle_minutes": 1}},
    {"ingestion": {"trigger": {"mode": "explicit"}, "max_batch": 1, "reference_messages": 0}},
    {"ingestion": {"roles": ["user", "assistant", "system", "tool"], "shown_budget": 200, "soft_budget": 0}},
    {
        "ingestion": {
            "types": [{"name": "recipe", "examples": ["Bakes bread"]}],
            "single_valued": ["recipe", "city"],
        }
    },
    {"ingestion": {"deletion_hold": {"share": 0, "count": 0}, "soft_budget": 1, "provider": "offline"}},
    {"ingestion": None, "context": {"layers": {"memory": {"enabled": False}, "profile": {"budget": 0}}}},
    {"context": {"order": ["current", "memory"], "group_by_type": True, "recent_messages": 0}},
    {
        "context": {
            "core_prompt": "You are {companion}, {user}'s friend. {{x}} {",
            "priorities": ["Be kind.", ""],
        }
    },
    {
        "context": {
            "layers": {"messages": {"budget": 1}, "memory": {"budget": 5}},
            "preamble": "",
            "format": "gemini",
        }
    },
]
WORDS: dict[str, list[Any]] = {
    "type": ["identity", "preference", "other"],
    "key": ["city", "pet", None],
    "companion": ["ada"],
    "user": ["maya", "noor", {"external_id": "zoë", "display_name": "Zoë \U0001f98a"}],
    "timezone": ["UTC", "Pacific/Kiritimati", "America/St_Johns"],
    "format": ["openai", "anthropic", "gemini", "text", None],
    "config": CONFIGS,
    "template": [
        "Keep what {{ user }} cooks.",
        "{% for t in types %}{{ t.name }} {% endfor %}",
        "{{ nobody }}",
    ],
    "confirm": ["Test project", "test project"],
    "occurred_at": ["2024-02-29T23:59:59+14:00", "0001-01-02T00:00:00Z", None],
    "effective_at": ["2024-02-29T23:59:59+14:00", "0001-01-02T00:00:00Z", None],
    "happens_at": ["9999-12-30T00:00:00Z", "0001", "9999-12", "2026-03-14/2026-03-20", None],
    "session": ["web", "Gespräch 7"],
    "version": [0, 1],
    "content": [
        "I moved to Lisbon.",
        "Forget that I moved.",
        "My name is Zoë.",
        "I no longer eat \U0001f41f.",
    ],
}
MATCHES = ["*", '"1"', '"2"', None]


def make_sense(case: Case[Any], world: World) -> None:
    """Change a request in place, deterministically."""
    choose = random.Random(repr((case.path, case.body, case.query)))
    if _was_meant(case, ParameterLocation.PATH):
        known = {name: value for name, value in world.parameters.items() if name in case.path_parameters}
        case.path_parameters.update(known)
    if choose.random() < 0.25:
        return
    if "If-Match" in case.headers:
        _put(case.headers, "If-Match", choose.choice(MATCHES))
    if _was_meant(case, ParameterLocation.QUERY):
        case.query.pop("cursor", None)
    if _was_meant(case, ParameterLocation.BODY) and isinstance(case.body, dict):
        case.body = _body(case.body, case.path, world, choose)


def _was_meant(case: Case[Any], part: ParameterLocation) -> bool:
    """Return whether this part of the request was generated to be valid."""
    meta = case.meta
    component = meta.components.get(part) if meta else None
    return component is None or component.mode == GenerationMode.POSITIVE


def _body(body: dict[str, Any], path: str, world: World, choose: random.Random) -> dict[str, Any]:
    if path.endswith("/config"):
        return choose.choice(CONFIGS)
    if path.endswith("/preview"):
        body = {name: value for name, value in body.items() if name not in choose.choice(PREVIEWS)}
    ours = {"relationship": world.parameters["relationship_id"], "turns": [world.parameters["turn_id"]]}
    return {
        name: ours[name] if name in ours else _sensible(name, value, choose) for name, value in body.items()
    }


# What to leave out of a preview, so that the rest is consistent.
PREVIEWS = [("turns", "version"), ("turns", "template"), ("messages", "version"), ("messages", "template")]


def _sensible(name: str, value: Any, choose: random.Random) -> Any:
    if name in WORDS and choose.random() < 0.8:
        return choose.choice(WORDS[name])
    if isinstance(value, list):
        return [_sensible("", item, choose) for item in value]
    if isinstance(value, dict) and name not in ("metadata", "state"):
        return {inner: _sensible(inner, below, choose) for inner, below in value.items()}
    return value


def _put(headers: Any, name: str, value: str | None) -> None:
    if value is None:
        headers.pop(name, None)
    else:
        headers[name] = value
