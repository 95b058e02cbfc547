"""Modules without a unit test of their own, and the tests that cover them: what is only itself when put together.

A view is tested through its address, and ingestion through the whole pipeline.
"""

API = "tests/integration/api"
INGESTION = "tests/integration/ingestion"
INDEXING = "tests/unit/memory/indexing"
INVARIANTS = "tests/unit/memory/verification/invariants"
ERASURE = "tests/unit/memory/services/erasure"
KNOWLEDGE = "tests/unit/context/knowledge"

COVERED_ELSEWHERE: dict[str, str] = {
    # context
    "context/api/views.py": f"{API}/test_context.py",
    "context/api/documents.py": f"{API}/test_documents.py",
    "context/api/document_presenters.py": f"{API}/test_documents.py",
    "context/api/document_schemas.py": f"{API}/test_documents.py",
    "context/knowledge/chunk_rows.py": f"{KNOWLEDGE}/test_pipeline.py {KNOWLEDGE}/test_search.py",
    "context/knowledge/columns.py": f"{KNOWLEDGE}/test_search.py",
    "context/knowledge/errors.py": f"{KNOWLEDGE}/test_sandbox.py",
    # the demo's errors, where they are raised
    "memory/demo/errors.py": "tests/unit/memory/demo/test_reading.py tests/unit/memory/demo/test_rest.py",
    # the queue's rows
    "relationships/models/queued.py": "tests/integration/test_queued_rows.py",
    "memory/queue/reminders.py": "tests/unit/memory/queue/test_sweep.py tests/unit/memory/queue/test_vector_sweep.py",
    "memory/queue/supervisor.py": "tests/acceptance/test_worker.py",
    # memory: the views, and what only they use
    "memory/api/budget.py": f"{INGESTION}/test_budgets.py",
    "memory/services/model_budgets.py": f"{INGESTION}/test_budgets.py",
    "memory/api/entries.py": f"{API}/test_entries.py {API}/test_entry_changes.py {API}/test_entry_lists.py",
    "memory/api/held.py": f"{API}/test_held_deletions.py",
    "memory/api/history.py": f"{API}/test_history.py",
    "memory/api/presenters.py": f"{API}/test_turn_traces.py {API}/test_entries.py {API}/test_history.py",
    "memory/api/prompts.py": f"{API}/test_prompts.py",
    "memory/api/search.py": f"{API}/test_search.py",
    "memory/api/search_schemas.py": f"{API}/test_search.py",
    "memory/api/schemas.py": f"{API}/test_turns.py {API}/test_entries.py",
    "memory/api/turns.py": f"{API}/test_turns.py {API}/test_wait.py {API}/test_turn_traces.py",
    "memory/services/turns.py": f"{API}/test_turns.py {API}/test_turn_idempotency.py",
    "memory/services/held.py": f"{INGESTION}/test_held_deletions.py",
    "memory/services/preview.py": f"{API}/test_prompts.py",
    "memory/services/prompts.py": f"{API}/test_prompts.py",
    "memory/services/history.py": f"{INGESTION}/test_operations.py {API}/test_history.py",
    # memory: what its providers share, tested through them
    "memory/providers/aliases.py": "tests/unit/memory/providers/test_registry.py",
    "memory/providers/endpoint.py": "tests/unit/memory/providers/test_hosted.py",
    "memory/providers/gemini_sdk.py": "tests/unit/memory/providers/test_gemini_failures.py",
    "memory/providers/openai_sdk.py": "tests/unit/memory/providers/test_openai_failures.py",
    # memory: what embedding is made of
    "memory/indexing/due.py": f"{INDEXING}/test_pipeline.py {INDEXING}/test_pipeline_failures.py",
    "memory/indexing/owners.py": f"{INDEXING}/test_pipeline.py",
    "memory/indexing/vectors.py": f"{INDEXING}/test_pipeline.py {INDEXING}/test_reembed.py",
    # memory: what invariants share, tested through them
    "memory/verification/base.py": "tests/unit/memory/verification/test_pipeline.py",
    "memory/verification/statements.py": "tests/unit/memory/verification/test_pipeline.py",
    "memory/verification/words.py": f"{INVARIANTS}/test_index.py",
    "memory/verification/imports.py": f"{INVARIANTS}/test_actors.py {INVARIANTS}/test_references.py",
    # memory: what erasing an entry and erasing messages share, and what a page counts before an erasure
    "memory/services/erasure/copies.py": f"{ERASURE}/test_entries.py {ERASURE}/test_messages.py",
    "memory/services/erasure/counting.py": "tests/unit/admin_ui/views/test_data.py",
    # memory: what rankers and gates share, tested through them
    "memory/retrieval/rankers/base.py": "tests/unit/memory/retrieval/test_candidates.py",
    "memory/retrieval/gates/base.py": "tests/unit/memory/retrieval/gates/test_decide.py",
    # memory: the pipeline of ingestion, whole
    "memory/ingestion/apply.py": f"{INGESTION}/test_operations.py {INGESTION}/test_overtaken_answers.py",
    "memory/ingestion/pipeline.py": f"{INGESTION}/test_failures.py",
    "memory/ingestion/reading.py": f"{INGESTION}/test_what_is_read.py",
    "memory/ingestion/candidates.py": f"{INGESTION}/test_two_call.py {INGESTION}/test_side_by_side.py",
    "memory/ingestion/rows.py": f"{INGESTION}/test_operations.py {INGESTION}/test_keyed_facts.py",
    "memory/ingestion/vectors.py": f"{INGESTION}/test_two_call.py {INGESTION}/test_classifier.py",
    "memory/ingestion/strategies/classifier.py": f"{INGESTION}/test_classifier.py",
    "memory/ingestion/strategies/keyed_facts.py": f"{INGESTION}/test_keyed_facts.py",
    "memory/ingestion/strategies/record_schema.py": f"{INGESTION}/test_keyed_facts.py",
    "memory/ingestion/strategies/two_call.py": f"{INGESTION}/test_two_call.py",
    "memory/ingestion/strategies/base.py": f"{INGESTION}/test_operations.py",
    "memory/ingestion/strategies/operations.py": f"{INGESTION}/test_failures.py",
    "memory/ingestion/verbs.py": f"{INGESTION}/test_operations.py",
    "memory/ingestion/workbench.py": f"{INGESTION}/test_operations.py",
    # relationships: the views, and the services that are one statement and its history
    "relationships/api/api_keys.py": f"{API}/test_authentication.py",
    "relationships/api/companions.py": f"{API}/test_companions.py",
    "relationships/api/messages.py": f"{API}/test_isolation.py {API}/test_entry_changes.py",
    "relationships/api/middleware.py": f"{API}/test_bad_input.py",
    "relationships/api/operations.py": "tests/unit/relationships/api/test_openapi.py",
    "relationships/api/paths.py": f"{API}/test_sessions.py",
    "relationships/api/profiles.py": f"{API}/test_profile.py",
    "relationships/api/projects.py": f"{API}/test_isolation.py",
    "relationships/api/relationships.py": f"{API}/test_relationships.py",
    "relationships/api/sessions.py": f"{API}/test_sessions.py",
    "relationships/api/throttling.py": f"{API}/test_rate_limits.py",
    "relationships/api/tokens.py": f"{API}/test_tokens.py",
    "relationships/api/users.py": f"{API}/test_users.py",
    "relationships/configuration/strategies.py": "tests/unit/memory/ingestion/strategies/test_vocabulary.py",
    "relationships/configuration/schema.py": "tests/unit/relationships/configuration/test_cascade.py",
    "relationships/services/api_keys.py": f"{API}/test_authentication.py {API}/test_rate_limits.py",
    "relationships/services/audit.py": f"{API}/test_companions.py {API}/test_profile.py",
    "relationships/services/companions.py": f"{API}/test_companions.py",
    "relationships/services/projects.py": f"{API}/test_companions.py {API}/test_authentication.py",
    "relationships/services/tokens.py": f"{API}/test_tokens.py",
    "relationships/services/users.py": f"{API}/test_users.py",
    "relationships/services/turns.py": f"{API}/test_turns.py",
    "relationships/services/sequence.py": f"{API}/test_turns.py",
    "relationships/services/versions.py": f"{API}/test_entry_changes.py {API}/test_profile.py",
}
