"""A ranked search takes an identifier whole, however it is spelt: one that only looks like it comes far behind it."""

import pytest

from tests.unit.memory.retrieval.searched import Memory, contents

TEXTS = [
    "Waits for ORD-17",
    "Waits for ORD-170",
    "Waits for ORD-1",
    "Mail goes to eva@firm.org",
    "Mail goes to eva@firm.org.br",
    "Reads example.com/a/b",
    "Reads example.com/a/bc",
    "Pays 17.50 a month",
    "Pays 17.55 a month",
    "Uses SKU12345",
    "Uses SKU123456",
]
ASKED = {
    "ORD-17": "Waits for ORD-17",
    "ORD-170": "Waits for ORD-170",
    "ORD 17": "Waits for ORD-17",
    "ord 17": "Waits for ORD-17",
    "ord17": "Waits for ORD-17",
    "Where is order ORD17 now?": "Waits for ORD-17",
    "SKU-12345": "Uses SKU12345",
    "eva@firm.org": "Mail goes to eva@firm.org",
    "eva@firm.org.br": "Mail goes to eva@firm.org.br",
    "https://example.com/a/b": "Reads example.com/a/b",
    "17.50": "Pays 17.50 a month",
}


@pytest.mark.parametrize(("asked", "meant"), ASKED.items(), ids=ASKED)
@pytest.mark.parametrize("kind", ["entries", "messages"])
def test_an_identifier_is_found_whole(memory: Memory, kind: str, asked: str, meant: str) -> None:
    for number, text in enumerate(
        TEXTS
    ):  # of messages neighbours count, so that each has a session of its own
        memory.remember(text) if kind == "entries" else memory.say(text, session=f"{number}")

    found = getattr(memory, kind)(asked)

    assert contents(found)[0] == meant
    assert all(hit.score < 0.5 * found.hits[0].score for hit in found.hits[1:])


@pytest.mark.parametrize("asked", ["8137", "٨١٣٧", "८१३७", "８１３７"])
@pytest.mark.parametrize("said", ["vuelo 8137", "رحلة ٨١٣٧", "उड़ान ८१३७"])
def test_a_number_is_found_in_the_digits_of_any_script(memory: Memory, said: str, asked: str) -> None:
    memory.remember(said)
    memory.remember("No number in it")

    assert contents(memory.entries(asked)) == [said]


IN_PARTS = {
    "refresh.ts": "The fix is in apps/web/src/lib/refresh.ts",
    "lib/refresh.ts": "The fix is in apps/web/src/lib/refresh.ts",
    "2.3.1": "Published v2.3.1 of the package",
    "auth store": "Its hook is useAuthStore",
    "rollup": "Lacks @rollup/rollup-linux-x64-gnu",
    "order 20417": "Waits for BR-20417",
}


@pytest.mark.parametrize(("asked", "meant"), IN_PARTS.items(), ids=IN_PARTS)
@pytest.mark.parametrize("kind", ["entries", "messages"])
def test_a_name_is_found_by_a_part_of_it(memory: Memory, kind: str, asked: str, meant: str) -> None:
    for number, text in enumerate(
        [*dict.fromkeys(IN_PARTS.values()), "Order some more of the linked books, in a store or by mail"]
    ):
        memory.remember(text) if kind == "entries" else memory.say(text, session=f"{number}")

    assert contents(getattr(memory, kind)(asked))[0] == meant
