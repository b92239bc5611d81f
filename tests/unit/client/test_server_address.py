"""Which server a command or a kernel talks to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from jupyter_cabinet.client.connection.server_address import ServerAddress, choose, find_server, running_servers
from jupyter_cabinet.client.errors import NoServer


def at(port: int, root: Path) -> ServerAddress:
    return ServerAddress(url=f"http://127.0.0.1:{port}/", token="t", root=str(root), nearby=True)


def test_the_nearest_root_that_holds_the_current_directory_wins(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    servers = [at(1, tmp_path), at(2, tmp_path / "a"), at(3, tmp_path / "else")]
    assert choose(servers, inner).url == "http://127.0.0.1:2/"
    assert choose(servers, tmp_path).url == "http://127.0.0.1:1/"


def test_a_folder_whose_name_only_begins_alike_is_another_one(tmp_path: Path) -> None:
    with pytest.raises(NoServer, match="Several servers"):
        choose([at(1, tmp_path / "a"), at(2, tmp_path / "b")], tmp_path / "ab")


def test_the_only_server_is_taken_from_anywhere_and_none_is_an_error(tmp_path: Path) -> None:
    assert choose([at(1, tmp_path / "a")], tmp_path).url == "http://127.0.0.1:1/"
    with pytest.raises(NoServer, match="No running Jupyter server") as failed:
        choose([], tmp_path)
    assert "jupyter lab" in failed.value.hint


def listed(folder: Path, monkeypatch: pytest.MonkeyPatch, **about: object) -> None:
    """As Jupyter lists a server that is running: this process."""
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(folder))
    info = {"pid": os.getpid(), "url": "http://localhost:8901/x/", "token": "its-own", "root_dir": str(folder), **about}
    (folder / f"jpserver-{os.getpid()}.json").write_text(json.dumps(info))


def test_a_servers_own_token_goes_to_no_other_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed(tmp_path, monkeypatch)
    monkeypatch.delenv("JUPYTER_TOKEN", raising=False)
    assert find_server("http://localhost:8901/x", None).token == "its-own"
    assert find_server("http://elsewhere.example/", None).token == ""
    assert find_server("http://elsewhere.example/", "given").token == "given"
    monkeypatch.setenv("JUPYTER_TOKEN", "from-outside")
    assert find_server(None, None).token == "from-outside"


def test_a_server_behind_a_unix_socket_is_reached_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed(tmp_path, monkeypatch, url="http+unix://%2Fs/x/", sock="/s", base_url="/x/")
    found = find_server(None, "t")
    assert (found.url, found.socket) == ("http://localhost/x/", "/s")


def test_a_server_that_crashed_and_a_file_that_is_half_written_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed(tmp_path, monkeypatch)
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    for name, pid in (("dead", process.pid), ("odd", "7"), ("huge", 2**70), ("negative", -1)):
        (tmp_path / f"jpserver-{name}.json").write_text(json.dumps({"pid": pid, "url": "http://localhost:8902/"}))
    (tmp_path / "jpserver-half.json").write_text('{"pid": 1, "url": "http://loc')
    (tmp_path / "jpserver-list.json").write_text("[]")
    assert [each.url for each in running_servers()] == ["http://localhost:8901/x/"]


@pytest.mark.parametrize("url", ["localhost:8888", "file:///etc/passwd", "http://h/?token=secret"])
def test_what_is_no_address_is_refused(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    with pytest.raises(NoServer):
        find_server(url, None)
