"""A run from a cell, as the tests of its output need it."""

from __future__ import annotations

import datetime as dt

from jupyter_cabinet.client.model import RunResult
from jupyter_cabinet.runs.model import Run, Trigger
from jupyter_cabinet.runtimes.model import ToolCall

NOW = dt.datetime(2026, 11, 22, 9, 30, tzinfo=dt.UTC)
ANSWER = """No day is missing. Two accounts appear **twice**:

| Account | Rows |
|---------|------|
| A-1042  | 2    |

```python
df[df.duplicated()]
```

See [the notes](notes.md), <b>really</b> ![x](https://evil.example/p.png).
"""
CALLS = (
    ToolCall(call_id="1", tool="Read", summary="df (7,990 rows)"),
    ToolCall(call_id="2", tool="Bash", summary="python -c 'print(1)' | *wc*"),
)
RUN = Run(
    id="01m8run",
    kind="cell",
    state="running",
    instruction="Check df.",
    path="analysis.ipynb",
    runtime="claude",
    runtime_title="Claude Code",
    permission_mode="edit",
    mode="headless",
    session_id="s",
    agent="data-steward",
    trigger=Trigger(kind="program", username="owner", display_name="Owner"),
    owner="owner",
    visibility="server",
    queued_at=NOW,
)
RESULT = RunResult(run_id="01m8run", state="succeeded", text=ANSWER, tool_calls=CALLS, changed_files=("src/a_b.py",))
