"""Django's PostgreSQL backend with a cheaper look at whether a connection that was kept still lives."""
