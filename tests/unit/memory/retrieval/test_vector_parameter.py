import numpy as np
import pytest
from django.db import connection

from memory.retrieval.vector_parameter import HalfBytes, HalfBytesDumper, half_bytes
from relationships.database import prepared_cursor


@pytest.mark.django_db
def test_the_bytes_are_what_pgvector_writes_itself() -> None:
    vector = np.array([0.5, -0.25, 1.0], dtype=np.float32)

    with connection.cursor() as cursor:
        cursor.execute("SELECT halfvec_send('[0.5,-0.25,1]'::halfvec)")
        written = bytes(cursor.fetchone()[0])
    assert half_bytes(vector) == written


@pytest.mark.django_db
def test_a_statement_takes_them_as_a_vector() -> None:
    with prepared_cursor() as cursor:
        cursor.adapters.register_dumper(HalfBytes, HalfBytesDumper)
        cursor.execute(
            "SELECT '[1,0]'::halfvec <=> %s::halfvec", [half_bytes(np.array([0.0, 1.0], np.float32))]
        )
        assert cursor.fetchone()[0] == 1.0
