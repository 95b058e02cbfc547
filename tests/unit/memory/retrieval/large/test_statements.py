from uuid import UUID

import pytest

from memory.models import IndexPurpose
from memory.retrieval.large.statements import PREFIX, IndexKey, create, drop, index_name

ID = UUID("0190a000-0000-7000-8000-000000000001")


@pytest.mark.parametrize(
    ("purpose", "made"),
    [
        (
            IndexPurpose.NEAREST,
            'ON "part" USING hnsw ((vector::halfvec(8)) halfvec_cosine_ops) WHERE "relationship_id" = '
            "'0190a000000070008000000000000001' AND \"kind\" = 'entry' AND \"model\" = 'm' AND \"dimensions\" = 8",
        ),
        (
            IndexPurpose.DECAY,
            'ON "part" USING hnsw ((vector::vector(8)) vector_ip_ops) WHERE "relationship_id" = '
            '\'0190a000000070008000000000000001\' AND "model" = \'m\' AND "dimensions" = 8 AND NOT "stale"',
        ),
        (
            IndexPurpose.TEXT,
            'ON "part" USING gin (lexemes) WHERE "relationship_id" = '
            "'0190a000000070008000000000000001' AND \"kind\" = 'entry'",
        ),
    ],
)
def test_an_index_covers_one_relationship_and_nothing_else(purpose: str, made: str) -> None:
    key = IndexKey(ID, "entry", purpose, "m", 8)
    name = index_name(purpose, ID)

    statement = create(key, name=name, table="part").as_string(None).replace("::uuid", "")

    assert statement == f'CREATE INDEX CONCURRENTLY "{name}" {made}'


@pytest.mark.parametrize("purpose", IndexPurpose.values)
def test_an_index_s_name_is_told_from_all_others_and_fits_postgresql(purpose: str) -> None:
    name = index_name(purpose, ID)
    assert name.startswith(PREFIX) and len(name) <= 63
    assert name in drop(name).as_string(None)
