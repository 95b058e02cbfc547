from memory.retrieval.gates.base import ContextGate, GateDecision, GateRequest


class NeverGate(ContextGate):
    """No context looks into the archive; a search by REST still does."""

    slug = "never"

    def opens(self, request: GateRequest) -> GateDecision:
        return GateDecision(False, "never")
