import json
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.recall.sets import Fact, read_people, read_talks

TALK = {
    "conversation": {
        "speaker_a": "Ann",
        "speaker_b": "Bo",
        "session_10_date_time": "12:05 am on 1 June, 2023",
        "session_10": [{"speaker": "Bo", "dia_id": "D10:1", "text": "Later"}],
        "session_2_date_time": "1:56 pm on 8 May, 2023",
        "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "Look!", "blip_caption": "a dog"}],
    },
    "qa": [
        {"question": "What?", "category": 1, "evidence": ["D2:1; D10:1", "D:2:1", "D99:1"]},
        {"question": "Nothing to find", "category": 4, "evidence": []},
        {"question": "No answer", "category": 5, "evidence": ["D2:1"]},
    ],
}
MOVED = {"memory_content": "[Event Memory] Moved", "is_update": "False", "original_memories": ["x"]}
AGAIN = {"memory_content": "Moved again", "is_update": "True", "original_memories": ["Moved", "Moved"]}
LINE = {"role": "user", "content": "I moved to Porto.", "timestamp": "Sep 04, 2025, 09:05:32"}
ASKED = {"question": "Where did Martin move to?", "evidence": [{"memory_content": "[Event Memory] Moved"}]}
PERSON = {
    "persona_info": "[Recorded on Oct 04, 2025] Name: Martin Mark; Gender: Male",
    "sessions": [{"memory_points": [MOVED, AGAIN], "dialogue": [LINE], "questions": [ASKED]}],
}


def test_sessions_come_by_number_pictures_in_words_and_evidence_as_it_was_meant(tmp_path: Path) -> None:
    (tmp_path / "conv-1.json").write_text(json.dumps(TALK))

    [talk] = read_talks(tmp_path)

    assert [turn.id for turn in talk.turns] == ["D2:1", "D10:1"]
    assert talk.turns[0].content == "Look! [shares a picture: a dog]"
    assert talk.turns[1].said_at == datetime(2023, 6, 1, 0, 5, tzinfo=UTC)
    [question] = talk.questions
    assert question.evidence == {"D2:1", "D10:1"}


def test_only_updates_replace_something_and_labels_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "user0.jsonl").write_text(json.dumps(PERSON) + "\n")

    [person] = read_people(tmp_path)

    assert (person.name, person.display_name) == ("user0", "Martin Mark")
    assert person.sessions == ((Fact("Moved", ()), Fact("Moved again", ("Moved",))),)
