"""Every error has a kind, a sentence for a person, and a status."""

import inspect

from jupyter_cabinet.core import errors
from jupyter_cabinet.web.errors import reply_to, status_of

ALL = [each for _, each in inspect.getmembers(errors, inspect.isclass) if issubclass(each, errors.CabinetError)]


def test_every_error_says_what_happened_in_a_sentence() -> None:
    for kind in ALL:
        assert kind().message.endswith("."), kind
        assert reply_to(kind(field="x")).error.detail == {"field": "x"}
        assert 400 <= status_of(kind()) < 600


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    drawn = [line.strip("│├└─ ") for line in (errors.__doc__ or "").splitlines() if "─" in line]
    assert sorted(drawn) == sorted(kind.__name__ for kind in ALL if kind is not errors.CabinetError)
