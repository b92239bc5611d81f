"""What an operator can set about the changes of runs."""

from __future__ import annotations

import msgspec


class ChangeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """See `docs/reference/settings.md`."""

    changes_folder_files: int = 50_000  # of a larger folder only some files are looked at
    changes_folder_megabytes: float = 2000.0  # the same, of its files together
    changes_excluded: tuple[str, ...] = ()  # patterns as in a `.gitignore`, of paths that are never compared
    changes_days: float = 30.0
    changes_megabytes: float = 2000.0  # of all contents together: the oldest runs lose theirs
