"""A scripted agent: reads what is known, writes it to a file, and makes hot context. It ignores what the task says."""

import json
import re
from collections.abc import Sequence

from providers.llm.base import AgentData
from providers.tokens import estimate_tokens

OUTPUT = "workspace/outputs/what-is-known.md"
MOST_LINES, MOST_WORDS, MOST_TOKENS = 60, 480, 1500
_READS = ("memory/entries.md", "profile/user.yaml")
_NUMBERED = re.compile(r"^ *\d+\t", re.MULTILINE)


def next_step(agent: AgentData) -> str:
    """The next step's tool and input, as JSON."""
    done = len(agent.steps)
    if done < len(_READS):
        return _call("view", path=_READS[done])
    if done == len(_READS):
        return _call("delete", path=OUTPUT)  # from an earlier session; fails harmlessly if there is none
    if done == len(_READS) + 1:
        known = [_shown(result) for _, result in agent.steps[: len(_READS)]]
        text = "\n\n".join([f"# {agent.assignment.splitlines()[0][:200]}", *known])
        return _call("create", path=OUTPUT, file_text=f"{text}\n")
    if done == len(_READS) + 2:
        return _call("commit", reason="Wrote up what is known")
    return _call("done", summary=f"Read entries and profile, and wrote {OUTPUT}.", facts=[])


def curate(agent: AgentData) -> str:
    """The lines of both versions of hot context and one about this session, without duplicates."""
    lines = ["# Hot context", *_lines(agent.hot_context), *_lines(agent.elsewhere)]
    lines += [f"Session: {agent.assignment.splitlines()[0][:200].rstrip('.')}. {agent.summary}".strip()]
    kept: list[str] = []
    words = tokens = 0
    for line in lines[:MOST_LINES]:
        words, tokens = words + len(line.split()), tokens + estimate_tokens(line)
        if line not in kept and words <= MOST_WORDS and tokens <= MOST_TOKENS:
            kept.append(line)
    return "\n".join(kept)


def _call(tool: str, **given: object) -> str:
    return json.dumps({"tool": tool, "input": json.dumps(given, ensure_ascii=False)}, ensure_ascii=False)


def _shown(result: str) -> str:
    """A file's text from the result of `view`, without the first line and the numbers."""
    return _NUMBERED.sub("", result.partition("\n")[2]).strip()


def _lines(text: str) -> Sequence[str]:
    return [line for line in text.splitlines() if line.strip()]
