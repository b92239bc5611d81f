"""Path rules against a real folder with real links."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.core.errors import CabinetError, NotFound, OutsideRoot
from jupyter_cabinet.core.paths import check, open_below, resolve_below


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "a.txt").write_text("inside")
    (tmp_path / "secret.txt").write_text("outside")
    (root / "out.txt").symlink_to(tmp_path / "secret.txt")
    (root / "out").symlink_to(tmp_path)
    (root / "in.txt").symlink_to(root / "sub" / "a.txt")
    (root / ".cabinet").mkdir()
    (root / ".cabinet" / "cabinet.db").write_text("records")
    (root / "records").symlink_to(root / ".cabinet")
    return root


@pytest.mark.parametrize(
    "path",
    ["../secret.txt", "/etc/passwd", "sub/../../secret.txt", "out.txt", "out/secret.txt", ".cabinet/cabinet.db",
     "records/cabinet.db", "./.cabinet", ".", "sub/.."],
)  # fmt: skip
def test_what_leads_out_is_refused(root: Path, path: str) -> None:
    with pytest.raises(OutsideRoot):
        open_below(root, path)


@pytest.mark.parametrize("path", ["sub/a.txt", "in.txt", "./sub//a.txt"])
def test_what_stays_inside_is_opened(root: Path, path: str) -> None:
    with os.fdopen(open_below(root, path)) as file:
        assert file.read() == "inside"


def test_folders_pipes_and_missing_files_are_not_files(root: Path) -> None:
    os.mkfifo(root / "pipe")
    for path in ("sub", "pipe", "nothing", "nothing/at/all"):
        with pytest.raises(NotFound):
            open_below(root, path)


def test_a_folder_swapped_for_a_link_after_the_check_is_not_followed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = resolve_below(root, "sub/a.txt")

    def swap(*_: object) -> Path:
        (root / "sub").rename(root / "was")
        (root / "sub").symlink_to(root.parent)
        (root.parent / "a.txt").write_text("outside")
        return checked

    monkeypatch.setattr("jupyter_cabinet.core.paths.resolve_below", swap)
    with pytest.raises(NotFound):
        open_below(root, "sub/a.txt")


@given(st.text(max_size=60))
def test_no_text_passes_with_a_part_that_leads_up(text: str) -> None:
    try:
        parts = check(text)
    except CabinetError:
        return
    assert parts and ".." not in parts and parts[0] != ".cabinet" and not any("/" in part for part in parts)
