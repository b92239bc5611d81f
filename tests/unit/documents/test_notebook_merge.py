"""Both changes of an open notebook in one."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.documents.notebook_merge import MOST_STATES, KnownNotebook

Cell = dict[str, Any]


def code(id: str, source: str = "x", *outputs: str, count: int | None = None, **metadata: Any) -> Cell:
    printed = [{"output_type": "stream", "name": "stdout", "text": text} for text in outputs]
    return {
        "id": id,
        "cell_type": "code",
        "source": source,
        "outputs": printed,
        "execution_count": count,
        "metadata": metadata,
    }


def words(id: str, source: str) -> Cell:
    return {"id": id, "cell_type": "markdown", "source": source, "metadata": {}}


def notebook(*cells: Cell) -> dict[str, Any]:
    return {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


def known(*states: dict[str, Any]) -> KnownNotebook:
    found = KnownNotebook()
    for state in states:
        found.note(state)
    return found


BEFORE = notebook(code("a"), words("t", "old"), code("b", "y", "was"))


def test_what_the_kernel_wrote_stays_beside_what_the_agent_changed() -> None:
    ours = notebook(code("a", "x", "1", count=3, trusted=True), words("t", "old"), code("b", "y", "was"))
    theirs = notebook(code("a", trusted=False), words("t", "new"), words("n", "# New"), code("b", "z", "was"))
    merged = known(BEFORE).merged(ours, theirs)
    assert merged == notebook(
        code("a", "x", "1", count=3, trusted=True), words("t", "new"), words("n", "# New"), code("b", "z", "was")
    )


def test_an_agent_may_have_read_any_save_since_it_began() -> None:
    saved = notebook(code("a", "x", "1", count=3), words("t", "old"), code("b", "y", "was"))
    ours = notebook(code("a", "x", "1", "2", count=3), words("t", "old"), code("b", "y", "was"))
    for theirs in (BEFORE, saved):
        assert known(BEFORE, saved).merged(ours, theirs) == ours


def test_what_somebody_types_or_adds_stays_and_what_somebody_deletes_stays_away() -> None:
    ours = notebook(words("first", "# Mine"), code("a", "x + 1"), words("mine", "hello"), code("b", "y", "was"))
    theirs = notebook(code("a"), words("t", "old"), code("b", "y", "was"), words("n", "# Theirs"))
    merged = known(BEFORE).merged(ours, theirs)
    assert [(cell["id"], cell["source"]) for cell in merged["cells"]] == [
        ("first", "# Mine"),
        ("a", "x + 1"),
        ("mine", "hello"),
        ("b", "y"),
        ("n", "# Theirs"),
    ]


def test_what_the_agent_deletes_goes_unless_somebody_has_changed_it() -> None:
    theirs = notebook(code("b", "y", "was"))
    assert known(BEFORE).merged(BEFORE, theirs) == theirs
    ours = notebook(code("a", "changed"), words("t", "old"), code("b", "y", "was"))
    assert [cell["id"] for cell in known(BEFORE).merged(ours, theirs)["cells"]] == ["a", "b"]


def test_the_agents_word_counts_where_both_have_changed_the_same() -> None:
    ours = notebook(code("a", "mine", "my output"), words("t", "old"), code("b", "y", "was"))
    theirs = notebook(code("a", "theirs", "their output"), words("t", "old"), code("b", "y", "was"))
    assert known(BEFORE).merged(ours, theirs) == theirs


def test_tags_that_the_agent_has_set_come_with_the_output_that_stays() -> None:
    ours = notebook(code("a", "x", "1", count=3, trusted=True), words("t", "old"), code("b", "y", "was"))
    theirs = notebook(code("a", tags=["slow"]), words("t", "old"), code("b", "y", "was"))
    merged = known(BEFORE).merged(ours, theirs)
    assert merged["cells"][0] == code("a", "x", "1", count=3, tags=["slow"])


def test_nothing_is_merged_without_ids_or_where_nothing_is_known() -> None:
    without = notebook({key: value for key, value in code("a").items() if key != "id"})
    assert known(without).merged(without, without) is without
    assert known().merged(BEFORE, without) is without


def test_a_cell_that_has_become_another_kind_is_theirs() -> None:
    theirs = notebook(words("a", "x"))
    assert known(notebook(code("a"))).merged(notebook(code("a", "x", "1")), theirs) == theirs


def test_only_the_latest_states_are_kept() -> None:
    states = [notebook(code("a", f"x{number}")) for number in range(MOST_STATES + 1)]
    ours = notebook(code("a", "mine"))
    assert known(*states).merged(ours, states[0]) == states[0]
    assert known(*states).merged(ours, states[1]) == ours


cells = st.lists(
    st.builds(code, st.sampled_from("abcde"), st.sampled_from("xyz"), st.sampled_from("12")),
    max_size=5,
    unique_by=lambda cell: cell["id"],
)


@given(cells, cells)
def test_who_changed_nothing_takes_all_of_the_other(before: list[Cell], after: list[Cell]) -> None:
    one, other = notebook(*before), notebook(*after)
    if before:
        assert known(one).merged(one, other) == other
        ids = [cell["id"] for cell in known(one).merged(other, one)["cells"]]
        assert sorted(ids) == sorted(cell["id"] for cell in after)


def test_what_is_taken_back_counts_though_the_file_has_had_it_before() -> None:
    agents = notebook(code("a"), words("t", "new"), code("n", "print(1)"))  # it has deleted b, and added n
    typed = notebook(code("a", "mine"), words("t", "new"), code("n", "print(1)"))
    seen = known(BEFORE)
    assert seen.merged(typed, BEFORE)["cells"][0]["source"] == "mine"
    seen.about_to_become(agents, BEFORE)
    assert seen.merged(typed, BEFORE) == notebook(code("a", "mine"), words("t", "old"), code("b", "y", "was"))


def test_what_was_taken_back_can_be_put_again() -> None:
    agents = notebook(code("a"), words("t", "new"))
    seen = known(BEFORE)
    seen.about_to_become(agents, BEFORE)
    seen.about_to_become(BEFORE, agents)
    ours = notebook(code("a", "x", "1", count=1), words("t", "old"), code("b", "y", "was"))
    assert seen.merged(ours, agents) == notebook(code("a", "x", "1", count=1), words("t", "new"))


def test_a_cell_that_nobody_has_seen_yet_is_taken_with_the_rest() -> None:
    seen = known(BEFORE)
    seen.about_to_become(BEFORE, notebook(code("z")))
    assert seen.merged(BEFORE, notebook(code("z"))) == notebook(code("z"))


def test_what_somebody_adds_while_an_agent_holds_an_older_version_stays() -> None:
    added = notebook(*BEFORE["cells"], words("p", "By a person"))
    theirs = notebook(*BEFORE["cells"], words("n", "# New"))
    ids = [cell["id"] for cell in known(BEFORE, added).merged(added, theirs)["cells"]]
    assert sorted(ids) == ["a", "b", "n", "p", "t"]


def test_an_agent_may_delete_what_somebody_has_just_added() -> None:
    added = notebook(*BEFORE["cells"], words("p", "By a person"))
    assert known(BEFORE, added).merged(added, BEFORE) == BEFORE
    printed = notebook(code("a", "x", "1", count=1), *added["cells"][1:])
    theirs = notebook(*printed["cells"][:3], words("n", "# New"))  # it has read the output that came after the cell
    assert known(BEFORE, added, printed).merged(printed, theirs) == theirs


def test_an_agent_may_delete_its_own_cell_and_add_another() -> None:
    first = notebook(*BEFORE["cells"], words("n", "# New"))
    seen = known(BEFORE)
    seen.note(first, by_agent=True)
    theirs = notebook(*BEFORE["cells"], words("m", "# Newer"))
    assert seen.merged(first, theirs) == theirs
