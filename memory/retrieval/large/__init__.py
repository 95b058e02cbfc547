"""Large relationships: above a measured size they have indexes of their own; below it, search reads every row.

There is no index over the vectors of several relationships, so the planner has no plan that would leave a small one
with too few rows (docs/adr/0014-an-index-for-each-large-relationship.md).
"""
