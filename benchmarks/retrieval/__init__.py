"""What retrieval costs and finds at scale: many small tenants, and searches by size."""
