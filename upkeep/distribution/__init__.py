"""Distribute a database over the nodes of Citus, by relationship: `manage.py distribute`.

`checks` says what prevents it, `estimate` how long it takes, and `pipeline` does it in steps that can be resumed.
"""
