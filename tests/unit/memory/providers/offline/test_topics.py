import pytest

from memory.providers.offline.notebook import Line
from memory.providers.offline.stems import stem
from memory.providers.offline.topics import lines_on_topic


def line(content: str, type: str = "other", subject: str = "user") -> Line:
    return Line(1, type, subject, content, None)


LINES = [
    line("Works at Google", "identity"),
    line("Lives in Porto", "identity"),
    line("Is allergic to nuts"),
    line("Earns 50,000 euros a year"),
    line("Has a husband named Rui", "relationship"),
    line("Wants to run a marathon", "goal"),
    line("Ana works at a school", "identity", "Ana"),
]


@pytest.mark.parametrize(
    ("topic", "contents"),
    [
        ("job", ["Works at Google"]),
        ("address", ["Lives in Porto"]),
        ("health", ["Is allergic to nuts"]),
        ("salary", ["Earns 50,000 euros a year"]),
        ("family", ["Has a husband named Rui"]),
        ("goals", ["Wants to run a marathon"]),
        ("weather", []),
    ],
)
def test_a_topic_holds_the_person_s_own_lines_of_its_kind(topic: str, contents: list[str]) -> None:
    assert [found.content for found in lines_on_topic(LINES, frozenset({stem(topic)}))] == contents
