import re
from uuid import UUID

from web.secrets import new_key, new_token, secret_hash


def test_a_key_begins_with_its_prefix_and_hides_256_bits() -> None:
    prefix, key = new_key()

    assert re.fullmatch(r"rk_[a-z0-9]{8}", prefix)
    assert re.fullmatch(prefix + r"_[A-Za-z0-9_-]{43}", key)


def test_a_token_names_its_relationship() -> None:
    assert re.fullmatch(rf"rt_{'0' * 31}7_[A-Za-z0-9_-]{{43}}", new_token(UUID(int=7)))


def test_no_two_are_alike() -> None:
    assert len({new_key()[1] for _ in range(100)}) == 100


def test_a_hash_is_32_bytes_and_always_the_same() -> None:
    assert len(secret_hash("a")) == 32
    assert secret_hash("a") == secret_hash("a") != secret_hash("b")
