"""Who may know whom, beside the contract of pyproject.toml: vendors' SDKs in their own files, history in one module."""

import ast

from tests.guards.sources import APPS, CODE, calls, imported, named, python_files, tree_of

# A package of somebody else's, and the only places that know it.
KNOWN_BY = {
    "google": (
        "providers/llm/gemini.py",
        "providers/llm/gemini_chat.py",
        "providers/gemini_sdk.py",
        "providers/embeddings/gemini.py",
    ),
    "openai": ("providers/llm/openai.py", "providers/openai_sdk.py", "providers/embeddings/openai.py"),
    "onnxruntime": ("providers/embeddings/local.py",),
    "tokenizers": ("providers/embeddings/local.py",),
    "huggingface_hub": ("providers/embeddings/model_files.py",),
    "django_q": ("worker/", "memory/tasks.py", "knowledge/pipeline.py"),
    "jinja2": ("memory/ingestion/templates.py", "memory/ingestion/template_sandbox.py"),
}
# Rows that one module alone writes, so that no change goes by without its history.
WRITERS = {
    "EntryRevision": "memory/entries/history.py",
    "AuditEvent": "relationships/services/audit.py",
    "ModelCall": "memory/model_calls.py",
    "Message": "relationships/services/turns.py",
}


def test_a_foreign_package_is_known_to_its_own_files_alone() -> None:
    strangers = [
        f"{named(path)}: {module}"
        for path in python_files(*APPS)
        if "migrations" not in path.parts
        for module, _ in imported(tree_of(path))
        if (package := module.split(".")[0]) in KNOWN_BY and not named(path).startswith(KNOWN_BY[package])
    ]
    assert not strangers, f"Ask through the interface that stands before it: {strangers}"


def test_history_is_written_in_one_module() -> None:
    written = [
        f"{named(path)}:{call.lineno}: {name}"
        for path in python_files(*CODE)
        for name, call in calls(tree_of(path))
        for model, home in WRITERS.items()
        if named(path) != home
        and (
            name in (f"{model}.objects.create", f"{model}.objects.bulk_create")
            or (name == "insert_of" and ast.unparse(call.args[0]) == model)
        )
    ]
    assert not written, f"These rows have one writer each (see WRITERS): {written}"
