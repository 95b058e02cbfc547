from memory.models.decayed_vector import DecayedVector
from memory.models.embedding import Embedding
from memory.models.entry import USER_SUBJECT, EntrySource, EntryState, ScratchpadEntry, Tier
from memory.models.held_deletion import HeldDeletion, HeldState
from memory.models.ingestion_prompt import IngestionPrompt
from memory.models.mending_plan import MendingPlan, MendingState, MendingVerb
from memory.models.model_call import ModelCall
from memory.models.operation_result import OperationKind, OperationResult, Verdict
from memory.models.replay import Replay, ReplayState
from memory.models.revision import EntryRevision, RevisionEvent
from memory.models.search_segment import SearchSegment
from memory.models.search_text import SearchedKind, SearchText

__all__ = [
    "USER_SUBJECT",
    "DecayedVector",
    "Embedding",
    "EntryRevision",
    "EntrySource",
    "EntryState",
    "HeldDeletion",
    "HeldState",
    "IngestionPrompt",
    "MendingPlan",
    "MendingState",
    "MendingVerb",
    "ModelCall",
    "OperationKind",
    "OperationResult",
    "Replay",
    "ReplayState",
    "RevisionEvent",
    "ScratchpadEntry",
    "SearchSegment",
    "SearchText",
    "SearchedKind",
    "Tier",
    "Verdict",
]
