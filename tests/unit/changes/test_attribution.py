"""Which of several runs in one folder has changed a file: each change is listed by at least one of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.changes.comparison.attribution import UNKNOWN, Reported, attributed
from jupyter_cabinet.changes.model import ChangedFile

NAMES = ("a", "b", "c")
FILES = [ChangedFile(path=name, kind="changed") for name in NAMES]
REPORTS = st.builds(Reported, edited=st.frozensets(st.sampled_from(NAMES)), anything=st.booleans())


def edited(*paths: str) -> Reported:
    return Reported(edited=frozenset(paths))


def shown(own: Reported, *others: Reported) -> dict[str, bool]:
    """The paths that are listed, and whether each is uncertain."""
    return {file.path: file.uncertain for file in attributed(FILES, own, others)}


def test_what_one_cli_has_reported_is_its_own() -> None:
    assert shown(edited("a"), edited("b")) == {"a": False, "c": True}
    assert shown(edited("a"), edited("b", "c")) == {"a": False}


def test_what_several_may_have_changed_is_uncertain_with_each_of_them() -> None:
    assert shown(edited("a"), edited("a", "b", "c")) == {"a": True}
    assert shown(UNKNOWN, UNKNOWN) == dict.fromkeys(NAMES, True)
    assert shown(edited("a"), UNKNOWN) == {"a": True}  # a command may have changed it afterwards
    assert shown(UNKNOWN, edited("a")) == {"a": True, "b": False, "c": False}


def test_who_has_changed_nothing_lists_nothing_that_another_may_have_changed() -> None:
    assert shown(Reported(), UNKNOWN) == {}
    assert shown(Reported(), edited("a")) == {"b": True, "c": True}


def test_a_renamed_file_is_known_by_either_name() -> None:
    moved = ChangedFile(path="new", old_path="a", kind="renamed")
    assert attributed([moved], edited("a"), [edited("b")]) == (moved,)
    assert attributed([moved], edited("b"), [edited("a")]) == ()


def test_what_nobody_has_reported_is_listed_by_all_and_undone_with_none() -> None:
    assert shown(Reported(), Reported()) == dict.fromkeys(NAMES, True)


@given(st.lists(REPORTS, min_size=2, max_size=4))
def test_each_change_is_listed_by_one_run_at_least_and_undone_with_one_at_most(reports: list[Reported]) -> None:
    lists = [shown(own, *(each for each in reports if each is not own)) for own in reports]
    for name in NAMES:
        assert any(name in each for each in lists)
        assert sum(each.get(name) is False for each in lists) <= 1
