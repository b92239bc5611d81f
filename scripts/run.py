"""`make run`: JupyterLab on a copy of the sample workspace, with the extension and real-time collaboration on.

Not part of the package. The copy lies in `.run/workspace` and is kept between calls; delete it for a fresh one.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
SAMPLE = HERE / "notebooks"
PLACE = HERE / ".run"
# Pages open as they read. What a person has chosen in the settings counts before this.
DEFAULTS = {"@jupyterlab/docmanager-extension:plugin": {"defaultViewers": {"markdown": "Markdown Preview"}}}


def main() -> None:
    parser = argparse.ArgumentParser(description="Open JupyterLab with Jupyter Cabinet on the sample workspace.")
    parser.add_argument("--port", type=int, default=8888)
    known, rest = parser.parse_known_args()
    workspace = PLACE / "workspace"
    if not workspace.exists():
        shutil.copytree(SAMPLE, workspace, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    arguments = [
        str(Path(sys.executable).with_name("jupyter")),
        "lab",
        f"--port={known.port}",
        f"--ServerApp.root_dir={workspace}",
        f"--SQLiteYStore.db_path={PLACE / 'ystore.db'}",
        # the sample workspace is ours: no need to ask for trust
        "--CabinetApp.trust=always",
        "--LabApp.default_url=/lab/tree/welcome.md",
        *rest,
    ]
    overrides = PLACE / "config" / "labconfig" / "default_setting_overrides.json"
    overrides.parent.mkdir(parents=True, exist_ok=True)
    overrides.write_text(json.dumps(DEFAULTS))
    folders = [str(PLACE / "config"), os.environ.get("JUPYTER_CONFIG_PATH", "")]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, folders))
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        arguments.append("--allow-root")
    os.execv(arguments[0], arguments)  # noqa: S606  # no shell; Ctrl-C must reach JupyterLab itself


if __name__ == "__main__":
    main()
