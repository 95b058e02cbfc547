"""Django's PostgreSQL backend with a cheaper look at whether a pooled connection still lives."""
