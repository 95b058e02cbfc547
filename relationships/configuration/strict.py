"""The base class of every section of the configuration."""

from collections import Counter
from collections.abc import Iterable
from typing import Annotated

from pydantic import ConfigDict, Field

from web.fields import FailFastModel

Share = Annotated[float, Field(ge=0, le=1)]


class Strict(FailFastModel):
    """A section that refuses unknown names. A field's docstring is its description."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def repeated_names(names: Iterable[str]) -> list[str]:
    """The names that occur more than once, sorted."""
    return sorted(name for name, count in Counter(names).items() if count > 1)
