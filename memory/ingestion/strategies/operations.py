"""One call a batch: the model sees the whole scratchpad and answers with operations."""

from dataclasses import replace

from memory.errors import UnparsableAnswer
from memory.ingestion.calls import CallLog
from memory.ingestion.operations import Operation, Refusal, check_operations, parse_answer
from memory.ingestion.prompt import build_request
from memory.ingestion.reading import Reading
from memory.ingestion.strategies.base import Strategy


class OperationsStrategy(Strategy):
    slug = "operations"

    def propose(self, reading: Reading, log: CallLog, *, purpose: str) -> list[Operation | Refusal]:
        request = build_request(reading)
        completion = log.ask(request, reading, purpose=purpose)
        try:
            return check_operations(parse_answer(completion.text), reading)
        except UnparsableAnswer as error:
            complaint = f"{error} Answer again, with the JSON object only."
            repair = replace(request, history=(("assistant", completion.text[:8000]), ("user", complaint)))
        completion = log.ask(repair, reading, purpose="repair")
        return check_operations(parse_answer(completion.text), reading)
