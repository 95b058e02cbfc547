"""One call a batch: the model sees the whole scratchpad and answers with operations.

Where there is an archive, it also sees what a search finds there for the new messages, so that it can change that.
"""

from dataclasses import replace

from memory.ingestion.calls import CallLog
from memory.ingestion.candidates import find_candidates, texts_of
from memory.ingestion.ingestion_input import IngestionInput
from memory.ingestion.operations import check_operations, parse_answer
from memory.ingestion.prompt import OPERATIONS
from memory.ingestion.strategies.asking import ask
from memory.ingestion.strategies.base import Proposal, Strategy
from memory.models import Tier


class OperationsStrategy(Strategy):
    slug = "operations"

    def propose(self, given: IngestionInput, log: CallLog, *, purpose: str) -> Proposal:
        if given.has_archive:
            found = find_candidates(given, texts_of(given), tiers=(Tier.ARCHIVE,))
            given = replace(given, entries=(*given.entries, *found))
        raw = ask(OPERATIONS, given, log, purpose=purpose, parse=parse_answer)
        return Proposal(given.entries, check_operations(raw, given), given.tier)
