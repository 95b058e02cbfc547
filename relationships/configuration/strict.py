"""What every part of the configuration is made of."""

from collections import Counter
from collections.abc import Iterable
from typing import Annotated

from pydantic import ConfigDict, Field

from web.fields import FailFastModel

Share = Annotated[float, Field(ge=0, le=1)]


class Strict(FailFastModel):
    """Unknown names are refused; a field's docstring is its description."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


def repeated_names(names: Iterable[str]) -> list[str]:
    """Those that are there more than once, in order."""
    return sorted(name for name, count in Counter(names).items() if count > 1)
