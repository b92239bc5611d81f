"""Reads the demo agent's screen: its input box has Claude Code's form, and is hidden while it works."""

from __future__ import annotations

import msgspec

from ..claude import screen as claude
from ..shared.screens.screen_table import FramedBox

SCREEN = msgspec.structs.replace(claude.SCREEN, box=FramedBox(sign=">"), dialogs=())
