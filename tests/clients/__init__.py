"""Programs in the words of other people's clients, which the tests run against the service."""
