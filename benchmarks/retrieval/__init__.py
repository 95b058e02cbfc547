"""What retrieval costs and finds at scale: many tenants, and large relationships."""
