"""The operator's settings for the changes of runs."""

from __future__ import annotations

import msgspec


class ChangeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """See `docs/reference/settings.md`."""

    changes_folder_files: int = 50_000  # in a larger folder only some files are compared
    changes_folder_megabytes: float = 2000.0  # the same, for the total size of its files
    changes_excluded: tuple[str, ...] = ()  # patterns as in a `.gitignore`, of paths that are never compared
    changes_days: float = 30.0
    changes_megabytes: float = 2000.0  # of all contents together: the oldest runs lose theirs
