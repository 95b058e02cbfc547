"""The registries of plugins: a slug is one line here; others' plugins are dotted paths in the configuration."""

INGESTION_STRATEGIES = {
    "operations": "memory.ingestion.strategies.operations.OperationsStrategy",
    "importance": "memory.ingestion.strategies.importance.ImportanceStrategy",
    "two_call": "memory.ingestion.strategies.two_call.TwoCallStrategy",
    "classifier": "memory.ingestion.strategies.classifier.ClassifierStrategy",
    "keyed_facts": "memory.ingestion.strategies.keyed_facts.KeyedFactsStrategy",
}
RECIPES = {
    "scratchpad": "memory.recipes.SCRATCHPAD",
    "importance": "memory.recipes.IMPORTANCE",
    "two_call": "memory.recipes.TWO_CALL",
    "classifier": "memory.recipes.CLASSIFIER",
    "keyed_facts": "memory.recipes.KEYED_FACTS",
    "decay": "memory.recipes.DECAY",
}
CONTEXT_LAYERS = {
    "core": "context.layers.plain.CoreLayer",
    "priorities": "behaviours.layer.BehavioursLayer",
    "hot_context": "context.layers.hot_context.HotContextLayer",
    "memory": "context.layers.memory.MemoryLayer",
    "knowledge": "context.layers.knowledge.KnowledgeLayer",
    "profile": "context.layers.plain.ProfileLayer",
    "session": "context.layers.plain.SessionLayer",
    "episodes": "context.layers.episodes.EpisodesLayer",
    "summary": "summaries.layer.SummaryLayer",
    "messages": "context.layers.messages.MessagesLayer",
    "current": "context.layers.plain.CurrentLayer",
}
CONTEXT_FORMATS = {
    "openai": "context.formats.to_openai",
    "anthropic": "context.formats.to_anthropic",
    "gemini": "context.formats.to_gemini",
    "text": "context.formats.to_text",
}
RANKERS = {
    "best": "memory.retrieval.rankers.best.BestRanker",
    "hybrid": "memory.retrieval.rankers.formulas.HybridRanker",
    "cosine": "memory.retrieval.rankers.formulas.CosineRanker",
    "importance": "memory.retrieval.rankers.formulas.ImportanceRanker",
    "decay": "memory.retrieval.rankers.formulas.DecayRanker",
}
RERANKERS = {
    "model": "memory.retrieval.rerankers.model.ModelReranker",
    "cross_encoder": "memory.retrieval.rerankers.cross_encoder.CrossEncoderReranker",
}
GATES = {
    "always": "memory.retrieval.gates.AlwaysGate",
    "content": "memory.retrieval.gates.ContentGate",
    "keywords": "memory.retrieval.gates.KeywordsGate",
    "cadence": "memory.retrieval.gates.CadenceGate",
    "gap": "memory.retrieval.gates.GapGate",
    "never": "memory.retrieval.gates.NeverGate",
}
FORGETTING_POLICIES = {
    "none": "memory.forgetting.policies.KeepEverything",
    "activation": "memory.forgetting.policies.ActivationFloor",
    "retention": "memory.forgetting.policies.RetentionDays",
}
# What a request to forget or correct may concern besides entries and messages: classes of memory.mending.candidates.
FORGETTABLE: dict[str, str] = {
    "summary": "summaries.forgettable.ForgettableSummaries",
    "document": "knowledge.forgettable.ForgettableDocuments",
    "file": "workspace.forgettable.ForgettableFiles",
}
# Periodic tasks, each with its interval in seconds: a function of `now` that returns how many rows it handled, or a
# class with such a method `step`, which remembers how far it got.
HOUSEKEEPING: dict[str, tuple[float, str]] = {
    "expire_entries": (30, "memory.forgetting.expiry.expire_entries"),
    "end_idle_sessions": (30, "relationships.services.sessions.end_idle_sessions"),
    "read_ended_sessions": (60, "memory.ingestion.triggers.read_ended_sessions"),
    "drop_idempotency_keys": (30, "relationships.services.idempotency.drop_old_keys"),
    "drop_old_plans": (60, "memory.mending.plans.drop_old_plans"),
    "drop_tokens": (30, "relationships.services.tokens.drop_expired_tokens"),
    "drop_rate_windows": (60, "web.rate_windows.drop_ended_windows"),
    "enqueue_replays": (10, "memory.ingestion.replays.enqueue_owed_replays"),
    "drop_replays": (600, "memory.ingestion.replays.drop_old_replays"),
    "complete_index": (10, "memory.retrieval.index.backfill.Backfill"),
    "renew_words": (2, "memory.retrieval.index.wording.WordsWalk"),
    "documents": (2, "knowledge.claim.process_owed_documents"),
    "summaries": (5, "summaries.tasks.make_owed_summaries"),
    "behaviours": (2, "behaviours.tasks.run_owed"),
    "schedules": (10, "behaviours.inactive_people.ScheduleWalk"),
    "behaviours_of_turns_read": (2, "behaviours.tasks.look_at_turns_read"),
    "drop_runs_of_contexts": (3600, "behaviours.tasks.drop_runs_of_contexts"),
    "events": (2, "connect.events.delivering.deliver_owed"),
    "agent_sessions": (2, "workspace.sessions.claim.take_up_sessions"),
    "abandoned_sessions": (60, "workspace.sessions.claim.AbandonWalk"),
    "forget_entries": (30, "memory.forgetting.periodic.Walk"),
    "settle_decayed_vectors": (5, "memory.retrieval.decayed_vectors.DecayWalk"),
    "renew_decayed_vectors": (5, "memory.retrieval.decayed_vectors.renew_stale"),
}
# What finds due work whose task was lost: a class with `run`, `seconds_to_rest` and `release_dead`, each a function of
# `now` (worker.maintenance).
SWEEP = "memory.ingestion.sweep.Sweep"
# What /metrics has besides the queue: functions without arguments that return Prometheus metrics.
METRICS: list[str] = [
    "relationships.services.spending_metrics.spending_metrics",
    "worker.api.metrics.other_work_metrics",
    "memory.retrieval.index.metrics.index_metrics",
    "web.meters.process_metrics",
    "web.consistency.replica_metrics",
]
# What `manage.py verify` checks, in this order. Those that others depend on come first, as mending them may solve the
# rest; snapshots come last, as they are made from everything else.
INVARIANTS: list[str] = [
    "upkeep.verification.invariants.schema.SchemaInvariant",
    "upkeep.verification.invariants.references.PromptsInvariant",
    "upkeep.verification.invariants.documents.DocumentsInvariant",
    "upkeep.verification.invariants.schema.OwnersInvariant",
    "upkeep.verification.invariants.conversations.PairsInvariant",
    "upkeep.verification.invariants.conversations.NumbersInvariant",
    "upkeep.verification.invariants.histories.FingerprintsInvariant",
    "upkeep.verification.invariants.histories.HistoriesInvariant",
    "upkeep.verification.invariants.references.ActorsInvariant",
    "upkeep.verification.invariants.conversations.TurnsInvariant",
    "upkeep.verification.invariants.references.ReferencesInvariant",
    "upkeep.verification.invariants.references.ProfilesInvariant",
    "upkeep.verification.invariants.index.IndexInvariant",
    "upkeep.verification.invariants.index.SegmentsInvariant",
    "upkeep.verification.invariants.vectors.VectorsInvariant",
    "upkeep.verification.invariants.references.DecayedVectorsInvariant",
    "upkeep.verification.invariants.queue.QueueInvariant",
    "upkeep.verification.invariants.workspaces.WorkspacesInvariant",
    "upkeep.verification.invariants.snapshots.SnapshotsInvariant",
]
