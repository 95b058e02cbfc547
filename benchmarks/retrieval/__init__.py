"""What retrieval finds and costs among many small tenants."""
