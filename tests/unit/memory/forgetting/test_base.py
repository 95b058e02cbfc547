import pytest
from django.conf import settings

from memory.forgetting.base import ForgettingPolicy
from memory.forgetting.configuration import Forgetting
from memory.forgetting.forget import policy_of


@pytest.mark.parametrize("slug", settings.FORGETTING_POLICIES)
def test_every_policy_of_the_registry_goes_by_its_slug(slug: str) -> None:
    policy = policy_of(Forgetting(policy=slug))

    assert isinstance(policy, ForgettingPolicy)
    assert policy.slug == slug
