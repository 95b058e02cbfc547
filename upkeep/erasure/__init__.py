"""Erase for good: messages, an entry, a relationship, a person, a companion, a project, with every copy of their text.

Nothing else can remove text from the history: only this package sets the flag that the append-only triggers check
(allow_erasure.py). AuditEvents record what was erased as counts, without any text.
Why it is built this way: docs/adr/0010-append-only-yet-erasable.md
"""
