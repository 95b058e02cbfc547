"""`make bench-recall`: evidence recall on LoCoMo and update candidates on HaluMem, with every step of the gain.

The sets are not part of Rapport. RAPPORT_DATA names the folder that holds `locomo/*.json` and `halumem/*.jsonl`.
"""

import os
import subprocess
import sys
from pathlib import Path

from benchmarks import runner

DEFAULT_DATA = "../shared/data"


def main() -> None:
    parser = runner.parser("benchmarks.recall", __doc__, only=False)
    parser.add_argument("--no-model", action="store_true", help="measure text alone, and write nothing")
    options = parser.parse_args()
    data = Path(os.environ.get("RAPPORT_DATA") or DEFAULT_DATA)
    if not any(data.glob("locomo/*.json")) and not any(data.glob("halumem/*.jsonl")):
        print(f"There is no data in {data}, so nothing was measured. RAPPORT_DATA names its folder.")
        return
    model = "" if options.no_model else _local_model()
    if model:
        os.environ["RAPPORT_LOCAL_EMBEDDING_MODEL"] = model
    with runner.own_settings():
        from benchmarks.recall.run import measures_of
        from benchmarks.timing import machine

        console = runner.console()
        with runner.fresh_database(), runner.progress(console) as say:
            measures = measures_of(data, embedder="local" if model else None, say=say)
            sections = runner.measure(measures, say, console)
        runner.conclude("recall", sections, machine(), keep=bool(model) and not options.no_save)


def _local_model() -> str:
    """The folder of MiniLM; "" where its weights are not installed.

    In a process of its own, since the settings that are to name the folder must not be read before.
    """
    command = [sys.executable, "-m", "benchmarks.minilm"]
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode:
        print(f"MiniLM is not there, so text alone is measured. {made.stderr.strip()}", file=sys.stderr)
        return ""
    return made.stdout.strip().splitlines()[-1]


if __name__ == "__main__":
    main()
