"""What every test may ask for."""

from config.embedded_postgres import start_if_used

pytest_plugins = [
    "tests.fixtures.providers",
    "tests.fixtures.people",
    "tests.fixtures.api",
    "tests.fixtures.turns",
]


def pytest_configure() -> None:
    """The embedded database must be up before pytest-django makes its test database."""
    start_if_used()
