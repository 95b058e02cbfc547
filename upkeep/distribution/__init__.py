"""Spreads a database over the nodes of Citus, by relationship: `manage.py distribute`.

`checks` say what is in the way, `estimate` how long it takes, `pipeline` does it in steps that can be begun again.
"""
