"""What people have decided about channels: which there are, who is paired, and the secrets of bots.

It is stored outside the root, in `<jupyter data>/cabinet/channels/`: whoever can write it can let strangers talk with
agents and answer approval requests. Neither a sandboxed agent nor a clone of the folder contains it. All methods of
`ConfigurationFile` block, so call them off the event loop.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from ...core.errors import Malformed, Refused
from ...storage.filesystem import files, untrusted_files
from ...storage.filesystem.private_folders import private_folder
from ..model import Channel, Pairing
from ..platforms import TOKEN

MAX_FILE_BYTES = 4 << 20
MAX_SECRET_BYTES = 1000


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    """All channels and pairings of one root."""

    channels: tuple[Channel, ...] = ()
    pairings: tuple[Pairing, ...] = ()

    def channel(self, channel_id: str) -> Channel | None:
        """Return the channel with this id; None if there is none."""
        return next((each for each in self.channels if each.id == channel_id), None)

    def pairing_of(self, channel_id: str, sender_id: str, *, shared_login: bool) -> Pairing | None:
        """Return the pairing of an account; None if it has none that counts.

        A pairing that was made while everybody here was the owner does not count on a server with named people, nor the
        other way round.
        """
        for each in self.pairings:
            if (each.channel_id, each.sender_id, each.shared_login) == (channel_id, sender_id, shared_login):
                return each
        return None


class ConfigurationFile:
    """The file of one root, and the secrets beside it."""

    def __init__(self, data: Path, root: Path) -> None:
        """Use a subfolder of `data`, a folder outside the root."""
        self._folder = data / "channels" / hashlib.sha256(str(root.resolve()).encode()).hexdigest()[:32]
        self._lock: int | None = None

    def load(self) -> Configuration:
        """Read it; empty if there is none.

        Raises `Malformed` for a file that is damaged, cannot be read or is larger than 4 MiB, which is not overwritten.
        """
        path = self._folder / "channels.json"
        try:
            content = untrusted_files.read(path, limit=MAX_FILE_BYTES, beneath=self._folder)
        except FileNotFoundError:
            return Configuration()
        except OSError as error:
            raise Malformed(f"{path} cannot be read: {error.strerror}. Check its permissions.") from None
        try:
            return msgspec.json.decode(content, type=Configuration)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            raise Malformed(f"{path} is damaged. Repair it, or move it away to begin without channels.") from None

    def version(self) -> tuple[int, int] | None:
        """Return what changes with each version of the file; None if there is none. Fast."""
        try:
            found = (self._folder / "channels.json").stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns

    def save(self, configuration: Configuration) -> None:
        """Replace the file, or create it with its folder. Secrets are not changed.

        Raises `Refused` if it would be larger than 4 MiB, `Unavailable` if its folder cannot be used, and `OSError`.
        """
        content = msgspec.json.encode(configuration)
        if len(content) > MAX_FILE_BYTES:
            raise Refused("There are too many channels, accounts and rules. Delete some first.")
        files.replace(self._made() / "channels.json", content)

    def secrets(self, channel_id: str, names: Iterable[str]) -> dict[str, str]:
        """Return the secrets of a channel's bot with these names; empty texts for those that are not there."""
        return {name: self._secret(self._path(channel_id, name)) for name in names}

    def put_secrets(self, channel_id: str, secrets: Mapping[str, str]) -> None:
        """Store secrets of a channel's bot, by name, readable only by the server's user.

        Others stay. Raises `OSError`.
        """
        self._made()
        private_folder(self._secrets)
        for name, secret in secrets.items():
            files.replace(self._path(channel_id, name), secret.encode())

    def forget_secrets(self, channel_id: str) -> None:
        """Delete all secrets of a channel's bot."""
        for path in (self._path(channel_id, TOKEN), *self._secrets.glob(f"{channel_id}.*")):
            path.unlink(missing_ok=True)

    def _secret(self, path: Path) -> str:
        try:
            content = untrusted_files.read(path, limit=MAX_SECRET_BYTES, beneath=self._folder)
        except OSError:
            return ""
        return content.decode(errors="replace").strip()

    def take_connections(self) -> bool:
        """Return whether this server may connect: of several servers with this root, only one does.

        The lock ends with the process.
        """
        if self._lock is not None:
            return True
        descriptor = os.open(
            self._made() / "connections.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
        )
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            return False
        self._lock = descriptor
        return True

    def release_connections(self) -> None:
        """Let another server connect."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    @property
    def _secrets(self) -> Path:
        return self._folder / "tokens"

    def _path(self, channel_id: str, name: str) -> Path:
        return self._secrets / (channel_id if name == TOKEN else f"{channel_id}.{name}")

    def _made(self) -> Path:
        private_folder(self._folder.parent)
        return private_folder(self._folder)
