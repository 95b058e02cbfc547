"""`make bench-recall`: evidence recall on LoCoMo and update candidates on HaluMem.

The embedder is `local`. RAPPORT_DATA names the folder with the sets: `locomo/*.json` and `halumem/*.jsonl`.
"""

import argparse
import sys

from benchmarks import runner
from benchmarks.recall import data_folder


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.recall", description=__doc__)
    parser.add_argument("--no-model", action="store_true", help="measure text alone, and write nothing")
    options = parser.parse_args()
    data = data_folder()
    if not any(data.glob("locomo/*.json")) and not any(data.glob("halumem/*.jsonl")):
        print(f"There is no data in {data}, so nothing was measured. RAPPORT_DATA names its folder.")
        return
    with runner.own_settings():
        from benchmarks.recall.run import measures_of

        embedder = None if options.no_model else _local_embedder()
        with runner.fresh_database():
            measures = measures_of(data, embedder=embedder)
            runner.measure("recall", measures, keep=embedder is not None)


def _local_embedder() -> str | None:
    """The embedder's alias; None if its model is missing and can't be downloaded."""
    from providers.embeddings.registry import get_embedder
    from providers.errors import ProviderError

    try:
        get_embedder("local").embed(["Is it there?"], purpose="query")
    except ProviderError as problem:
        print(f"There is no model, so text alone is measured: {problem}", file=sys.stderr)
        return None
    return "local"


if __name__ == "__main__":
    main()
