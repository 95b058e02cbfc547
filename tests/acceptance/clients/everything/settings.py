"""The service's settings with the protocol's own fixture server behind our view, for the conformance suite alone."""

from config.settings import *  # noqa: F403

ROOT_URLCONF = "tests.acceptance.clients.everything.urls"
