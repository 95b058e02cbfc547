"""What can be wrong about memory's settings.

memory.E001  a provider of LLM_PROVIDERS can't work as it is set up
memory.E002  the queue's settings would lose or repeat work
memory.E003  an embedder of EMBEDDING_PROVIDERS can't work as it is set up
memory.W001  there is a budget in US dollars, and no price that a call could be counted by
"""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

from memory.embedders import embedder_problems
from memory.providers import provider_problems


@register("settings")
def check_providers(**_: Any) -> list[CheckMessage]:
    """Only the one in use must be in order; the others are looked at when a companion names them."""
    alias = settings.DEFAULT_LLM_PROVIDER
    return [
        Error(problem, hint="See docs/reference/settings.md, Providers.", id="memory.E001")
        for problem in provider_problems(alias, settings.LLM_PROVIDERS.get(alias))
    ]


@register("settings")
def check_embedders(**_: Any) -> list[CheckMessage]:
    """As with language models, only the one that a configuration's `default` stands for must be in order."""
    alias = settings.DEFAULT_EMBEDDING_PROVIDER
    return [
        Error(problem, hint="See docs/reference/settings.md, Embedders.", id="memory.E003")
        for problem in embedder_problems(alias, settings.EMBEDDING_PROVIDERS.get(alias))
    ]


@register("settings")
def check_queue(**_: Any) -> list[CheckMessage]:
    queue = settings.Q_CLUSTER
    wanted = {"max_attempts": 1, "ack_failures": True}
    hint = "The turn's row is what is owed; the queue only nudges (docs/adr/0003-the-row-is-the-queue.md)."
    return [
        Error(f"Q_CLUSTER[{name!r}] must be {value!r}.", hint=hint, id="memory.E002")
        for name, value in wanted.items()
        if queue.get(name) != value
    ]


@register("settings")
def check_budget(**_: Any) -> list[CheckMessage]:
    """A project's own budget is the operator's to look at: its page counts the calls without a price."""
    options = settings.LLM_PROVIDERS.get(settings.DEFAULT_LLM_PROVIDER, {}).get("OPTIONS", {})
    if not settings.PROJECT_DAILY_USD or options.get("prices") or settings.DEFAULT_LLM_PROVIDER == "offline":
        return []
    hint = "State them in RAPPORT_PROVIDER_PRICES, or limit the tokens: RAPPORT_PROJECT_DAILY_TOKENS."
    return [Warning("RAPPORT_PROJECT_DAILY_USD never holds without prices.", hint=hint, id="memory.W001")]
