"""The demo agent's questions: its tools have Claude Code's names, and their own arguments. Pure."""

from __future__ import annotations

from ..claude import questions as claude
from ..shared.tool_table import EditTool, ToolTable

TOOLS: ToolTable = {
    **claude.TOOLS,
    "NotebookEdit": EditTool(
        path="file_path", new="new_source", cell="cell_id", cell_mode="edit_mode", cell_type="cell_type"
    ),
}
