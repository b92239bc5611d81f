"""The number of the cell that runs, in a real shell of IPython."""

from __future__ import annotations

from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from jupyter_cabinet.notebook.magics import cell_number


@pytest.mark.parametrize("counts_before", [True, False])
def test_a_cell_knows_its_own_number(tmp_path: Path, counts_before: bool) -> None:
    shell = InteractiveShell(ipython_dir=str(tmp_path), config=Config({"HistoryManager": {"enabled": False}}))
    found: list[int] = []

    def ask(line: str, cell: str) -> None:
        shell.execution_count = len(found) + (2 if counts_before else 1)  # as newer and as older versions have it
        found.append(cell_number(shell))

    shell.register_magic_function(ask, "cell", "ask")
    for number in (1, 2, 3):
        shell.execution_count = number
        shell.run_cell("%%ask\nx", store_history=True)
    assert found == [1, 2, 3]
