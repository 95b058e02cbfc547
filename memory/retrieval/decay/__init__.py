"""The fold: what a large relationship's ranker `decay` keeps beside the vectors, so that one index scan ranks."""
