import pickle

import pytest

from providers import errors
from providers.errors import (
    ModelNotFound,
    PermanentProviderError,
    ProviderError,
    ProviderMisconfigured,
    QuotaExhausted,
    RateLimited,
    TransientProviderError,
    Unauthorized,
    UnknownProvider,
)

EVERY_ERROR = [
    kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, ProviderError)
]


@pytest.mark.parametrize("kind", EVERY_ERROR)
def test_no_error_is_both_transient_and_permanent(kind: type[ProviderError]) -> None:
    assert not (issubclass(kind, TransientProviderError) and issubclass(kind, PermanentProviderError))
    assert kind.permanent == issubclass(kind, PermanentProviderError)


@pytest.mark.parametrize("kind", [Unauthorized, ModelNotFound, QuotaExhausted, UnknownProvider])
def test_an_operators_mistake_blocks_and_waits_but_loses_no_turn(kind: type[ProviderError]) -> None:
    error = kind()

    assert isinstance(error, ProviderMisconfigured)
    assert error.blocks is True
    assert error.permanent is False
    assert error.retry_after == 60.0


def test_only_an_operators_mistake_blocks() -> None:
    assert {kind for kind in EVERY_ERROR if kind.blocks} == {
        kind for kind in EVERY_ERROR if issubclass(kind, ProviderMisconfigured)
    }


def test_an_error_survives_the_way_between_processes() -> None:
    error = pickle.loads(pickle.dumps(RateLimited("Slow down.", retry_after=3.5)))

    assert (str(error), error.retry_after) == ("Slow down.", 3.5)
