"""A server extension of the tests: what the server's process holds, counted from inside."""

from __future__ import annotations

import asyncio
import gc
import json
from collections import Counter
from pathlib import Path
from typing import Any

from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.utils import url_path_join
from tornado.web import authenticated


class Insides(JupyterHandler):
    """`harness/insides`"""

    @authenticated
    def get(self) -> None:
        gc.collect()
        tasks = Counter(task.get_name().rstrip("-0123456789") for task in asyncio.all_tasks())
        descriptors = len(list(Path("/proc/self/fd").iterdir()))
        self.finish(json.dumps({"tasks": dict(tasks), "descriptors": descriptors}))


def _load_jupyter_server_extension(app: Any) -> None:
    app.web_app.add_handlers(".*$", [(url_path_join(app.base_url, "harness/insides"), Insides)])


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "harness.insides"}]
