"""The whole product with real CLIs: a server whose home and environment are those of a person who has set them up."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness.server import Server

from .homes import seed, variables


def make_server(names: Iterable[str], url: str, *, kind: type[Server] = Server, **more: Any) -> Server:
    """Not started yet. `url`: the model server's; `more`: see `Server` (`environment` is added to that of the CLIs)."""
    # not below the temporary folder of the tests: some CLIs behave otherwise there
    place = Path(tempfile.mkdtemp(prefix="cabinet-product-", dir="/var/tmp"))
    environment = {**variables(names, url), **more.pop("environment", {})}
    server = kind(place, environment=environment, **more)
    for name in names:
        seed(name, server.home, server.root, url)
    return server


@contextmanager
def running_server(names: Iterable[str], url: str, **more: Any) -> Iterator[Server]:
    """See `make_server`; in the end it stops well and its folder is removed."""
    server = make_server(names, url, **more)
    try:
        server.start()
        yield server
        assert server.stop() == 0
    finally:
        shutil.rmtree(server.place, ignore_errors=True)
