"""Removes known secrets from text that goes to a log, an event or a record.

Also works on a stream: `Redactor.feed` holds back the few bytes that may be the start of a secret whose rest comes with
the next chunk.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

SHORTEST_SECRET = 8  # characters; a shorter one would remove ordinary words
MARK = b"[redacted]"


class Redactor:
    """Replaces secrets by `[redacted]`; those of fewer than `SHORTEST_SECRET` characters are ignored.

    Case counts. Use one instance per stream; only `redact` may be shared.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = tuple(s for s in secrets if len(s) >= SHORTEST_SECRET)
        # records and events are JSON, where a quote or a backslash of a secret looks different
        spelled = {text for s in self._secrets for text in (s, json.dumps(s, ensure_ascii=False)[1:-1])}
        known = sorted((text.encode() for text in spelled), key=len, reverse=True)
        self._known = known
        self._pattern = re.compile(b"|".join(map(re.escape, known))) if known else None
        self._kept = b""

    def fresh(self) -> Redactor:
        """Return a redactor of the same secrets for another stream, without the bytes that this one holds back."""
        return Redactor(self._secrets)

    def redact(self, text: str) -> str:
        """Return a complete text without its secrets. Holds nothing back, and does not affect the stream of `feed`."""
        return self._replace(text.encode(errors="surrogateescape")).decode(errors="surrogateescape")

    def feed(self, chunk: bytes) -> bytes:
        """Return the next bytes of the stream that may be passed on now, without secrets; possibly none.

        The end of the chunk is held back if it may be the beginning of a secret.
        """
        data = self._replace(self._kept + chunk)
        cut = len(data) - self._open_end(data)
        self._kept = data[cut:]
        return data[:cut]

    def flush(self) -> bytes:
        """Return the bytes that were held back; the stream has ended."""
        rest, self._kept = self._kept, b""
        return rest

    def _replace(self, data: bytes) -> bytes:
        return self._pattern.sub(MARK, data) if self._pattern else data

    def _open_end(self, data: bytes) -> int:
        """Return how many of the last bytes are the beginning of a secret."""
        return max((self._overlap(data, secret) for secret in self._known), default=0)

    @staticmethod
    def _overlap(data: bytes, secret: bytes) -> int:
        for length in range(min(len(secret) - 1, len(data)), 0, -1):
            if data.endswith(secret[:length]):
                return length
        return 0
