"""Which server a kernel belongs to, by its environment alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from jupyter_cabinet.client.connection import kernel_server
from jupyter_cabinet.client.connection.kernel_server import server_of_kernel
from jupyter_cabinet.client.errors import NoServer

HUB = {
    "JUPYTERHUB_API_TOKEN": "of-the-hub",
    "JUPYTERHUB_SERVICE_URL": "http://0.0.0.0:8001/user/ada/",
    "JUPYTERHUB_SERVICE_PREFIX": "/user/ada/",
}
ME = {"JPY_PARENT_PID": str(os.getpid())}


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    return tmp_path


def listed(folder: Path, *, pid: int | None = None, **about: Any) -> Path:
    """As the server with this process id writes of itself."""
    pid = pid or os.getpid()
    info = {"pid": pid, "url": "http://localhost:8901/x/", "token": "its-own", "root_dir": str(folder), **about}
    place = folder / f"jpserver-{pid}.json"
    place.write_text(json.dumps(info))
    return place


def test_the_server_that_started_it_is_found_by_its_process(runtime: Path) -> None:
    listed(runtime)
    listed(runtime, pid=1, url="http://localhost:1/")
    found = server_of_kernel(ME)
    assert (found.url, found.token, found.root, found.nearby) == (
        "http://localhost:8901/x/",
        "its-own",
        str(runtime),
        True,
    )
    assert "its-own" not in repr(found) and "its-own" not in str(found.__rich_repr__())


def test_its_own_token_counts_before_one_of_the_environment_but_not_before_ours(runtime: Path) -> None:
    listed(runtime)
    assert server_of_kernel({**ME, "JUPYTER_TOKEN": "inherited"}).token == "its-own"
    assert server_of_kernel({**ME, "JUPYTER_CABINET_TOKEN": "given"}).token == "given"
    listed(runtime, token="")
    assert server_of_kernel({**ME, "JUPYTER_TOKEN": "inherited"}).token == "inherited"


def test_an_address_that_is_given_counts_first(runtime: Path) -> None:
    listed(runtime)
    given = {**ME, **HUB, "JUPYTER_CABINET_URL": "https://lab.example/a"}
    assert server_of_kernel({**given, "JUPYTER_TOKEN": "t"}) == kernel_server.ServerAddress(
        url="https://lab.example/a/", token="t"
    )
    assert server_of_kernel(given).token == ""  # neither the server's nor the Hub's goes there
    with pytest.raises(NoServer, match="is not the address"):
        server_of_kernel({"JUPYTER_CABINET_URL": "lab.example"})


def test_a_socket_and_all_interfaces_are_reached_too(runtime: Path) -> None:
    listed(runtime, url="http+unix://%2Fs/x/", sock="/s", base_url="/x/")
    assert (server_of_kernel(ME).url, server_of_kernel(ME).socket) == ("http://localhost/x/", "/s")
    for host, reached in (("0.0.0.0", "127.0.0.1"), ("[::]", "[::1]")):
        listed(runtime, url=f"https://{host}:8901/x/")
        assert server_of_kernel(ME).url == f"https://{reached}:8901/x/"
    listed(runtime, url="http://0.0.0.0:99999/x/")
    assert server_of_kernel(ME).url == "http://0.0.0.0:99999/x/"


def test_a_password_without_a_token_says_what_to_do(runtime: Path) -> None:
    listed(runtime, token="", password=True)
    with pytest.raises(NoServer, match="only accepts a password") as failed:
        server_of_kernel(ME)
    assert "IdentityProvider.token" in failed.value.hint
    assert server_of_kernel({**ME, "JUPYTER_CABINET_TOKEN": "t"}).token == "t"


def test_behind_a_hub_its_token_is_used_at_the_servers_own_address(runtime: Path) -> None:
    found = server_of_kernel(HUB)
    assert (found.url, found.token, found.nearby) == ("http://127.0.0.1:8001/user/ada/", "of-the-hub", True)
    listed(runtime, url="http://127.0.0.1:8001/user/ada/", token="")
    assert server_of_kernel({**HUB, **ME}).root == str(runtime)
    # a server that somebody started by hand within a server of the Hub
    listed(runtime)
    assert server_of_kernel({**HUB, **ME}).token == "its-own"


def test_a_hub_with_an_address_that_is_none_is_told_in_words(runtime: Path) -> None:
    with pytest.raises(NoServer, match="is not the address of a server"):
        server_of_kernel({**HUB, "JUPYTERHUB_SERVICE_URL": "http://["})


def test_where_there_is_none_it_says_what_was_looked_for(runtime: Path) -> None:
    with pytest.raises(NoServer, match="not a kernel of a Jupyter server: neither JUPYTER_CABINET_URL") as failed:
        server_of_kernel({})
    assert "Start the notebook in JupyterLab" in failed.value.hint and "Cabinet(url, token" in failed.value.hint
    with pytest.raises(NoServer, match=f"Process {os.getpid()}, which started this kernel, is not a Jupyter server"):
        server_of_kernel(ME)


@pytest.mark.parametrize("pid", ["", "0", "-5", "1e3", "../../x", "99999999999999999999", "٣"])
def test_what_is_no_process_is_none(pid: str) -> None:
    with pytest.raises(NoServer):
        server_of_kernel({"JPY_PARENT_PID": pid})


def test_a_file_that_is_not_the_servers_does_not_count(runtime: Path) -> None:
    place = listed(runtime)
    for spoil in (
        lambda: place.write_text("{"),
        lambda: place.write_text("[]"),
        lambda: listed(runtime, url="ftp://x/"),
        lambda: place.write_text(json.dumps({"pid": 1, "url": "http://localhost:1/"})),
        lambda: (listed(runtime), place.chmod(0o666)),
        lambda: (place.unlink(), os.mkfifo(place)),
        lambda: (place.unlink(), place.symlink_to("/dev/zero")),
    ):
        spoil()
        with pytest.raises(NoServer):
            server_of_kernel(ME)


def test_a_file_of_a_process_that_has_ended_does_not_count(runtime: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    listed(runtime, pid=ended.pid)
    with pytest.raises(NoServer):
        server_of_kernel({"JPY_PARENT_PID": str(ended.pid)})
