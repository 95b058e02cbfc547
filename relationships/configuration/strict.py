"""What every part of the configuration is made of."""

from typing import Annotated

from pydantic import ConfigDict, Field

from relationships.fail_fast import FailFastModel

Share = Annotated[float, Field(ge=0, le=1)]


class Strict(FailFastModel):
    """Unknown names are refused; a field's docstring is its description."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)
