"""One call a batch: the model sees the whole scratchpad and answers with operations.

Where there is an archive, it also sees what a search finds there for the new messages, so that it can change that.
"""

from dataclasses import replace

from memory.ingestion.calls import CallLog
from memory.ingestion.candidates import find_candidates, texts_of
from memory.ingestion.operations import check_operations, parse_answer
from memory.ingestion.prompt import OPERATIONS
from memory.ingestion.reading import Reading
from memory.ingestion.strategies.asking import ask
from memory.ingestion.strategies.base import Proposal, Strategy
from memory.models import Tier


class OperationsStrategy(Strategy):
    slug = "operations"

    def propose(self, reading: Reading, log: CallLog, *, purpose: str) -> Proposal:
        if reading.has_archive:
            found = find_candidates(reading, texts_of(reading), tiers=(Tier.ARCHIVE,))
            reading = replace(reading, entries=(*reading.entries, *found))
        raw = ask(OPERATIONS, reading, log, purpose=purpose, parse=parse_answer)
        return Proposal(reading.entries, check_operations(raw, reading), reading.tier)
