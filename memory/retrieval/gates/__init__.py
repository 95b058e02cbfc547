"""When a context looks into the archive. `decide_gate(gate, request)`."""

from memory.retrieval.gates.base import ContextGate, GateDecision, GateRequest
from memory.retrieval.gates.decide import decide_gate

__all__ = ["ContextGate", "GateDecision", "GateRequest", "decide_gate"]
