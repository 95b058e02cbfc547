"""`make bench-recall`: is what answers a question among what is found? In the product's own code, on PostgreSQL."""
