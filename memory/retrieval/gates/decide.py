from memory.retrieval.configuration import Gate
from memory.retrieval.gates.base import ContextGate, GateDecision, GateRequest
from relationships.configuration.seams import load


def decide_gate(gate: Gate, request: GateRequest) -> GateDecision:
    """Open when any of `gate.open_on` says so, for the first one's reason; else closed, for all their reasons."""
    reasons = []
    for name in gate.open_on:
        opener: ContextGate = load("GATES", name)()
        decision = opener.opens(request)
        reason = f"{name}: {decision.reason}" if decision.reason != name else name
        if decision.open:
            return GateDecision(True, reason)
        reasons.append(reason)
    return GateDecision(False, "; ".join(reasons) or "nothing opens it")
