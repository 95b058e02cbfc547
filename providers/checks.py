"""What can be wrong about the settings of providers.

memory.E001  a provider of LLM_PROVIDERS can't work as it is set up
memory.E003  an embedder of EMBEDDING_PROVIDERS can't work as it is set up
memory.W001  there is a budget in US dollars, and no price that a call could be counted by
"""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

from providers.embeddings import embedder_problems
from providers.llm import provider_problems


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
def check_budget(**_: Any) -> list[CheckMessage]:
    """A project's own budget is the operator's to look at: its page counts the calls without a price."""
    options = settings.LLM_PROVIDERS.get(settings.DEFAULT_LLM_PROVIDER, {}).get("OPTIONS", {})
    if not settings.PROJECT_DAILY_USD or options.get("prices") or settings.DEFAULT_LLM_PROVIDER == "offline":
        return []
    hint = "State them in RAPPORT_PROVIDER_PRICES, or limit the tokens: RAPPORT_PROJECT_DAILY_TOKENS."
    return [Warning("RAPPORT_PROJECT_DAILY_USD never holds without prices.", hint=hint, id="memory.W001")]
