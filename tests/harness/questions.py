"""Questions of the real CLIs, as their hooks got them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "fixtures" / "cli" / "questions"
HERE = "workspace"  # below the root; stands for the folder that the CLI worked in


def questions() -> dict[str, dict[str, Any]]:
    """What each hook got, by CLI and case: `claude-command`."""
    return {path.stem.rpartition("-")[0]: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}
