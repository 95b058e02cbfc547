"""Check the tables against every invariant, report what is broken, and repair what can be repaired.

Every invariant is a small class that finds suspicious rows, page by page, in a fixed number of statements. These are
checked again under the lock of their owner, which every writer holds, so that a running service causes no false alarms.
Repairs are made under the same lock.
"""

from upkeep.verification.pipeline import verify
from upkeep.verification.report import Report

__all__ = ["Report", "verify"]
