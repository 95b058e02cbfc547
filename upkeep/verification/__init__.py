"""Checks the tables against every invariant, reports what is broken, and repairs what can be repaired.

Every invariant is one small class that names the rows it doubts, page by page, in a fixed number of statements whatever
the rows. What it doubts is looked at once more under the lock of its owner, which every writer holds, before it is
called wrong: so a service that runs meanwhile gives no false alarm. What is mended is mended under that same lock.
"""

from upkeep.verification.pipeline import verify
from upkeep.verification.report import Report

__all__ = ["Report", "verify"]
