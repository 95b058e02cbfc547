"""Django's PostgreSQL backend with a cheaper check whether a kept connection still works."""
