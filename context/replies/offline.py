"""A reply without a model: plainly marked, and made of what the companion would be shown."""

from context.answer import AssembledContext

MARK = "[No model is set up, so this is no reply of one.]"
LINES = 8  # of what is remembered that are quoted


def offline_reply(context: AssembledContext, *, user: str) -> str:
    """Says what a model would know. `user`: the person's name."""
    known = [line.removeprefix("- ") for line in context.system.splitlines() if line.startswith("- ")]
    if not known:
        return f"{MARK} Nothing is remembered of {user} yet; tell me something about yourself."
    lines = "\n".join(f"- {line}" for line in known[:LINES])
    more = f"\n... and {len(known) - LINES} more" if len(known) > LINES else ""
    return f"{MARK} What a model would know of {user} now:\n{lines}{more}"
