"""Every seam's registry: a slug is one line here, an outsider's own is its dotted path in the configuration."""

INGESTION_STRATEGIES = {
    "operations": "memory.ingestion.strategies.operations.OperationsStrategy",
    "importance": "memory.ingestion.strategies.importance.ImportanceStrategy",
    "two_call": "memory.ingestion.strategies.two_call.TwoCallStrategy",
    "classifier": "memory.ingestion.strategies.classifier.ClassifierStrategy",
    "keyed_facts": "memory.ingestion.strategies.keyed_facts.KeyedFactsStrategy",
}
RECIPES = {
    "scratchpad": "memory.recipes.scratchpad.RECIPE",
    "importance": "memory.recipes.importance.RECIPE",
    "two_call": "memory.recipes.two_call.RECIPE",
    "classifier": "memory.recipes.classifier.RECIPE",
    "keyed_facts": "memory.recipes.keyed_facts.RECIPE",
    "decay": "memory.recipes.decay.RECIPE",
}
CONTEXT_LAYERS = {
    "core": "context.layers.core.CoreLayer",
    "priorities": "context.layers.priorities.PrioritiesLayer",
    "memory": "context.layers.memory.MemoryLayer",
    "knowledge": "context.layers.knowledge.KnowledgeLayer",
    "profile": "context.layers.profile.ProfileLayer",
    "session": "context.layers.session.SessionLayer",
    "episodes": "context.layers.episodes.EpisodesLayer",
    "messages": "context.layers.messages.MessagesLayer",
    "current": "context.layers.current.CurrentLayer",
}
CONTEXT_FORMATS = {
    "openai": "context.formats.openai.to_openai",
    "anthropic": "context.formats.anthropic.to_anthropic",
    "gemini": "context.formats.gemini.to_gemini",
    "text": "context.formats.text.to_text",
}
RANKERS = {
    "best": "memory.retrieval.rankers.best.BestRanker",
    "hybrid": "memory.retrieval.rankers.formulas.HybridRanker",
    "cosine": "memory.retrieval.rankers.formulas.CosineRanker",
    "importance": "memory.retrieval.rankers.formulas.ImportanceRanker",
    "decay": "memory.retrieval.rankers.formulas.DecayRanker",
}
GATES = {
    "always": "memory.retrieval.gates.AlwaysGate",
    "keywords": "memory.retrieval.gates.KeywordsGate",
    "cadence": "memory.retrieval.gates.CadenceGate",
    "gap": "memory.retrieval.gates.GapGate",
    "never": "memory.retrieval.gates.NeverGate",
}
FORGETTING_POLICIES = {
    "none": "memory.forgetting.none.KeepEverything",
    "activation": "memory.forgetting.activation.ActivationFloor",
    "retention": "memory.forgetting.retention.RetentionDays",
}
# What is to be done every so many seconds: a function takes the present and says how many rows it was about.
HOUSEKEEPING: dict[str, tuple[float, str]] = {
    "expire_entries": (30, "memory.forgetting.expiry.expire_entries"),
    "end_idle_sessions": (30, "relationships.services.sessions.end_idle_sessions"),
    "read_ended_sessions": (2, "memory.ingestion.triggers.read_ended_sessions"),
    "drop_idempotency_keys": (30, "relationships.services.idempotency.drop_old_keys"),
    "drop_tokens": (30, "relationships.services.tokens.drop_expired_tokens"),
    "drop_rate_windows": (60, "web.rate_windows.drop_ended_windows"),
}
# Housekeeping of several steps: functions of no argument that return Duty objects (worker.housekeeping).
DUTIES: list[str] = [
    "memory.ingestion.replays.replay_duties",
    "memory.retrieval.index.backfill.index_duties",
    "knowledge.duties.document_duties",
    "memory.forgetting.duties.forgetting_duties",
    "memory.retrieval.decayed_vectors.decay_duties",
]
# What /metrics tells beside the queue: functions of no argument that return Prometheus metrics.
METRICS: list[str] = ["relationships.services.spending_metrics.spending_metrics"]
# What `manage.py verify` holds the tables against, in this order: what others rest on comes first, as what is mended
# there may be all that was wrong; snapshots come last, as they are made of the rest.
INVARIANTS: list[str] = [
    "upkeep.verification.invariants.schema.SchemaInvariant",
    "upkeep.verification.invariants.prompts.PromptsInvariant",
    "upkeep.verification.invariants.documents.DocumentsInvariant",
    "upkeep.verification.invariants.owners.OwnersInvariant",
    "upkeep.verification.invariants.pairs.PairsInvariant",
    "upkeep.verification.invariants.numbers.NumbersInvariant",
    "upkeep.verification.invariants.fingerprints.FingerprintsInvariant",
    "upkeep.verification.invariants.histories.HistoriesInvariant",
    "upkeep.verification.invariants.actors.ActorsInvariant",
    "upkeep.verification.invariants.turns.TurnsInvariant",
    "upkeep.verification.invariants.references.ReferencesInvariant",
    "upkeep.verification.invariants.profiles.ProfilesInvariant",
    "upkeep.verification.invariants.index.IndexInvariant",
    "upkeep.verification.invariants.vectors.VectorsInvariant",
    "upkeep.verification.invariants.decayed_vectors.DecayedVectorsInvariant",
    "upkeep.verification.invariants.queue.QueueInvariant",
    "upkeep.verification.invariants.snapshots.SnapshotsInvariant",
]
