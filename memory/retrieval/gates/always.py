from memory.retrieval.gates.base import ContextGate, GateDecision, GateRequest


class AlwaysGate(ContextGate):
    """Every context looks into the archive."""

    slug = "always"

    def opens(self, request: GateRequest) -> GateDecision:
        return GateDecision(True, "always")
