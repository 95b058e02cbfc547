from memory.retrieval.gates.base import ContextGate, GateDecision, GateRequest


class GapGate(ContextGate):
    """Opens when `gate.gap_seconds` have passed since the last message, or when there was none."""

    slug = "gap"

    def opens(self, request: GateRequest) -> GateDecision:
        if request.last_message_at is None:
            return GateDecision(True, "no message before")
        gap = max(0.0, (request.now - request.last_message_at).total_seconds())
        return GateDecision(gap >= request.gate.gap_seconds, f"{gap:.0f} s since the last message")
