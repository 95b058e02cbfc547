"""What an agent wrote as YAML is read, or is none."""

import pytest

from workspace.yaml_files import read_yaml


@pytest.mark.parametrize(
    "value", [f"{'1:' * 300}1.5", "9" * 5000, "[" * 5000], ids=["base 60", "digits", "depth"]
)
def test_a_value_that_nothing_can_hold_is_no_yaml(value: str) -> None:
    assert read_yaml(f"a: {value}".encode()) is None
    assert read_yaml(b"a: 1") == {"a": 1}
