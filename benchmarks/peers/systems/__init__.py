"""What is measured, each behind the same few verbs."""
