"""What retrieval costs and finds at scale: many tenants, large ones, decay, and many indexes."""
