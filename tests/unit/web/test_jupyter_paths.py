"""Where this server's Jupyter keeps its own files, as its configuration and the environment say."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from traitlets.config import Config

from jupyter_cabinet.storage.database import sqlite_file, sqlite_url
from jupyter_cabinet.web.jupyter.jupyter_paths import jupyter_paths


def test_they_are_absolute_and_databases_stand_for_what_is_beside_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", "/x/config")
    monkeypatch.setenv("JUPYTERLAB_WORKSPACES_DIR", "/x/workspaces")
    config = Config(
        SQLiteYStore={"db_path": "ystore.db"},
        BaseFileIdManager={"db_path": ":memory:"},
        YDocExtension={"session_store_path": None},
        LabApp={"user_settings_dir": "~/settings"},
    )
    server = SimpleNamespace(
        config=config, config_dir="/x/c", data_dir="/x/d", runtime_dir="/x/r", cookie_secret_file="/x/r/secret"
    )
    found = jupyter_paths(server)
    expected = {"/x/config", "/x/c", "/x/d", "/x/r", "/x/r/secret*", "/x/workspaces", str(Path.home() / "settings")}
    assert expected | {f"{tmp_path}/ystore.db*"} <= set(found)
    assert all(path.startswith("/") for path in found) and not any("memory" in path for path in found)


def test_a_database_has_a_file_where_it_is_sqlite(tmp_path: Path) -> None:
    assert sqlite_file(sqlite_url(tmp_path / "a.db")) == tmp_path / "a.db"
    for url in (
        "sqlite://",
        "sqlite:///:memory:",
        "postgresql+psycopg://ada@host/base",
        "no url",
        "postgresql://h:x/b",
    ):
        assert sqlite_file(url) is None
