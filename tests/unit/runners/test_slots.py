"""Which worker of a cluster has a free slot."""

from __future__ import annotations

import pytest

from jupyter_cabinet.runners.slots import free_worker


@pytest.mark.parametrize(
    ("slots", "processing", "given", "expected"),
    [
        ({}, {}, {}, None),
        ({"a": 0}, {}, {}, None),
        ({"a": 1, "b": 2}, {}, {}, "b"),
        ({"a": 1, "b": 2}, {"b": ["cabinet-run-1", "cabinet-run-2"]}, {}, "a"),
        ({"a": 1, "b": 1}, {"a": ["cabinet-run-1"]}, {"cabinet-run-2": "b"}, None),
        ({"a": 1}, {"a": ["other-work"]}, {}, "a"),
        ({"a": 2}, {"a": ["cabinet-run-1"]}, {"cabinet-run-1": "a"}, "a"),  # the same run, known twice
        ({"a": 2}, {"a": ["cabinet-run-mine"]}, {}, None),  # it is given one there already
        ({"a": 1}, {}, {"cabinet-run-mine": "a"}, "a"),
    ],
)
def test_the_worker_with_the_most_free_slots(
    slots: dict[str, float], processing: dict[str, list[str]], given: dict[str, str], expected: str | None
) -> None:
    assert free_worker(slots, processing, given, "cabinet-run-mine") == expected
