"""System checks of the providers' settings.

memory.E001  the default provider of LLM_PROVIDERS can't work with its settings
memory.E003  the default embedder of EMBEDDING_PROVIDERS can't work with its settings
memory.W001  there is a budget in US dollars, but no prices to compute costs
"""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

from providers.embeddings.registry import embedder_problems
from providers.llm.registry import provider_problems


@register("settings")
def check_providers(**_: Any) -> list[CheckMessage]:
    """Check the default provider only; others are checked when a companion uses them."""
    alias = settings.DEFAULT_LLM_PROVIDER
    return [
        Error(problem, hint="See docs/reference/settings.md, Providers.", id="memory.E001")
        for problem in provider_problems(alias, settings.LLM_PROVIDERS.get(alias))
    ]


@register("settings")
def check_embedders(**_: Any) -> list[CheckMessage]:
    """Check the default embedder only."""
    alias = settings.DEFAULT_EMBEDDING_PROVIDER
    return [
        Error(problem, hint="See docs/reference/settings.md, Embedders.", id="memory.E003")
        for problem in embedder_problems(alias, settings.EMBEDDING_PROVIDERS.get(alias))
    ]


@register("settings")
def check_budget(**_: Any) -> list[CheckMessage]:
    """Check the service's budget. For a project's own budget, its page shows the number of calls without a price."""
    options = settings.LLM_PROVIDERS.get(settings.DEFAULT_LLM_PROVIDER, {}).get("OPTIONS", {})
    if not settings.PROJECT_DAILY_USD or options.get("prices") or settings.DEFAULT_LLM_PROVIDER == "offline":
        return []
    hint = "Set them in RAPPORT_PROVIDER_PRICES, or limit the tokens: RAPPORT_PROJECT_DAILY_TOKENS."
    return [Warning("RAPPORT_PROJECT_DAILY_USD has no effect without prices.", hint=hint, id="memory.W001")]
