"""What is measured, each behind the same few verbs. SYSTEMS is the report's order."""

from benchmarks.peers.systems.base import System
from benchmarks.peers.systems.peers import Baseline, LangMem, Mem0
from benchmarks.peers.systems.rapport import Rapport, RapportInProcess, RapportRetrieval

SYSTEMS: tuple[type[System], ...] = (Rapport, RapportRetrieval, RapportInProcess, Mem0, LangMem, Baseline)
