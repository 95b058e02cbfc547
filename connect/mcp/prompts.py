"""The prompts that a person picks in their own client."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prompt:
    """`arguments`: name and description of each; none is required."""

    name: str
    title: str
    description: str
    text: str
    arguments: tuple[tuple[str, str], ...] = ()


_ALL = (
    Prompt(
        "continue_conversation",
        "Go on where we were",
        "Pick the conversation up with everything that is known.",
        "Call get_context{about} and go on where we were, as somebody who knows me. Don't recite what you know.",
        (("message", "What you want to say or ask."),),
    ),
    Prompt(
        "what_do_you_know_about_me",
        "What do you know about me?",
        "See everything that is remembered, to correct or forget parts of it.",
        "Read everything that is remembered about me (the resource entries, or get_context) and tell me in plain "
        "words what you know, grouped by topic, and since when. Ask whether something is wrong or should go; then use "
        "correct and forget.",
    ),
)
PROMPTS = {prompt.name: prompt for prompt in _ALL}


def written(prompt: Prompt, arguments: dict[str, str]) -> str:
    message = arguments.get("message", "").strip()
    about = f" with my message and answer it: {message}\n" if message else ""
    return prompt.text.replace("{about}", about)
