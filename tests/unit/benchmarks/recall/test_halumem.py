import json
from pathlib import Path

from benchmarks.recall.halumem import Fact, read_people

PERSON = {
    "persona_info": "[Recorded on Oct 04, 2025] Name: Martin Mark; Gender: Male",
    "sessions": [
        {
            "memory_points": [
                {"memory_content": "[Event Memory] Moved", "is_update": "False", "original_memories": ["x"]},
                {
                    "memory_content": "Moved again",
                    "is_update": "True",
                    "original_memories": ["Moved", "Moved"],
                },
            ]
        }
    ],
}


def test_only_updates_replace_something_and_labels_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "user0.jsonl").write_text(json.dumps(PERSON) + "\n")

    [person] = read_people(tmp_path)

    assert (person.name, person.display_name) == ("user0", "Martin Mark")
    assert person.sessions == ((Fact("Moved", ()), Fact("Moved again", ("Moved",))),)
