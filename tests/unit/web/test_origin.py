"""What Jupyter's own check of the origin leaves open."""

import pytest

from jupyter_cabinet.web.origin import is_answerable

OTHER = "http://other.example"


@pytest.mark.parametrize(
    ("origin", "headers", "changes", "answerable"),
    [
        (None, {}, False, True),
        (None, {}, True, False),
        (None, {"Authorization": "token x"}, True, True),
        (None, {"Authorization": "Bearer x"}, True, True),
        (None, {"Authorization": "Basic x"}, True, False),
        ("null", {}, False, False),
        ("null", {"Authorization": "token x"}, False, False),
        (OTHER, {}, True, True),  # Jupyter decides about it
    ],
)
def test_a_nameless_request_only_reads_and_null_gets_nothing(
    origin: str | None, headers: dict[str, str], changes: bool, answerable: bool
) -> None:
    assert is_answerable(origin, headers, changes_state=changes) is answerable
