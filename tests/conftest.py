"""What every test may ask for."""

from hypothesis import settings

from config.embedded_postgres import start_if_used

# A loaded machine is slow, not wrong; and a red run must be red again when it is looked at.
settings.register_profile("rapport", deadline=None, derandomize=True)
settings.load_profile("rapport")

pytest_plugins = [
    "tests.fixtures.providers",
    "tests.fixtures.embedders",
    "tests.fixtures.people",
    "tests.fixtures.api",
    "tests.fixtures.operators",
    "tests.fixtures.turns",
    "tests.fixtures.queue",
]


def pytest_configure() -> None:
    """The embedded database must be up before pytest-django makes its test database."""
    start_if_used()
