from memory.retrieval.gates.base import ContextGate, GateDecision, GateRequest


class CadenceGate(ContextGate):
    """Opens at a session's first turn, and then at every `gate.turns`-th."""

    slug = "cadence"

    def opens(self, request: GateRequest) -> GateDecision:
        every = request.gate.turns
        due = request.turns % every == 0
        return GateDecision(due, f"turn {request.turns + 1}, {'one of' if due else 'between'} every {every}")
