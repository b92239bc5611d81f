"""The file that holds an exported agent: a zip file with a manifest. Pure: written and read in memory.

Layout: `manifest.json`, `agent/` (files of the agent's folder), `plays/<slug>.md`, `skills/<name>/`, and `USER.md`. The
same agent gives the same bytes. Reading accepts exactly this layout, because strangers make such files too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from ..agents.files.agent_reader import MAX_PERSONA_BYTES, MAX_TEXT_BYTES
from ..agents.files.file_versions import USER
from ..agents.files.powers import STEERING_TEXTS
from ..agents.files.safe_files import PERSONA
from ..agents.prompts.gathering import MAX_SHARED_BYTES
from ..core.errors import Invalid
from ..core.slugs import is_slug
from ..core.version import VERSION
from ..plays.play_files import MAX_PLAY_BYTES
from ..skills.skill_folders import DEEPEST, MOST_BYTES, MOST_FILES
from ..skills.skill_text import is_name
from ..skills.skill_versions import SkillFile, SkillVersion, version_of
from ..storage.filesystem.zip_archives import ZipLimits, ZippedFile, read_zip, refused, write_zip

FORMAT = 1
SUFFIX = ".agent.zip"
MANIFEST = "manifest.json"
AGENT, PLAYS, SKILLS = "agent/", "plays/", "skills/"
GUIDE = "GUIDE.md"
MEMORY = "memory/"
STATISTICS = "memory/stats.json"  # counts the heartbeats of one server
IDENTITY = (PERSONA, *STEERING_TEXTS, GUIDE)  # of an agent's folder, always in the bundle if they exist
MOST_PLAYS, MOST_SKILLS = 100, 50
MAX_MANIFEST_BYTES = 2 * 2**20
MAX_BUNDLE_BYTES = 16 * 2**20  # of all files with the manifest, unpacked
LIMITS = ZipLimits(files=2_000, size=MAX_BUNDLE_BYTES, depth=DEEPEST + 2)
TEXT_LIMITS = {
    PERSONA: MAX_PERSONA_BYTES,
    **dict.fromkeys((*STEERING_TEXTS, GUIDE), MAX_TEXT_BYTES),
    USER: MAX_SHARED_BYTES,
}


class BundleFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file of the manifest. `size`: in bytes."""

    path: str
    size: int
    sha256: str


class BundledSkill(msgspec.Struct, frozen=True, kw_only=True):
    """One skill of the manifest. `hash`: of all its files, as a person approves it."""

    name: str
    hash: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a bundle contains.

    `slug`: of the agent where it was exported. `cabinet`: the version of Jupyter Cabinet that has written it.
    """

    format: int
    slug: str
    cabinet: str
    skills: tuple[BundledSkill, ...] = ()
    files: tuple[BundleFile, ...] = ()


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """An exported agent.

    `agent`: files by path in its folder. `plays`: texts by slug. `skills`: by name. `user`: the file about people that
    all agents share; None if it is not included. `cabinet`: the version that has written it.
    """

    slug: str
    agent: Mapping[str, bytes]
    plays: Mapping[str, bytes] = {}
    skills: Mapping[str, SkillVersion] = {}
    user: bytes | None = None
    cabinet: str = VERSION


class _Format(msgspec.Struct, frozen=True):
    format: int


def packed(bundle: Bundle) -> bytes:
    """Return the bundle as a zip file.

    Raises `Invalid` if it is too large: over 2000 files or 16 MiB with the manifest. Nothing else of the bundle is
    checked; `unpacked` does that.
    """
    files = sorted(_files(bundle), key=lambda file: file.path)
    manifest = Manifest(
        format=FORMAT,
        slug=bundle.slug,
        cabinet=bundle.cabinet,
        skills=tuple(BundledSkill(name=name, hash=bundle.skills[name].hash) for name in sorted(bundle.skills)),
        files=tuple(_listed(file) for file in files),
    )
    first = ZippedFile(path=MANIFEST, content=msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
    everything = [first, *files]
    if len(everything) > LIMITS.files or sum(len(file.content) for file in everything) > MAX_BUNDLE_BYTES:
        raise too_large()
    return write_zip(everything)


def too_large() -> Invalid:
    """Return the error for an agent that no bundle can hold."""
    return Invalid(
        f"This agent is too large to export: at most {LIMITS.files:,} files and {MAX_BUNDLE_BYTES // 2**20} MiB are "
        "exported. Export it without its memory, or copy its folder instead."
    )


def unpacked(content: bytes) -> Bundle:
    """Read what `packed` returned. Raises `Invalid` (field `archive`) with the reason for anything else."""
    return bundle_of(read_zip(content, LIMITS))


def bundle_of(found: Mapping[str, ZippedFile]) -> Bundle:
    """Return the bundle that consists of the files of an archive. Raises as `unpacked`."""
    files = dict(found)
    manifest = _manifest(files.pop(MANIFEST, None))
    if _by_path(manifest.files) != _by_path(map(_listed, files.values())):
        raise refused(_first_difference(manifest, files))
    if not is_slug(manifest.slug):
        raise refused("its agent has no valid name")
    bundle = Bundle(
        slug=manifest.slug,
        agent={path: file.content for path, file in _below(AGENT, files)},
        plays={_play_of(path): file.content for path, file in _below(PLAYS, files)},
        skills=_skills(files),
        user=files[USER].content if USER in files else None,
        cabinet=manifest.cabinet[:40],
    )
    _check_rest(bundle, manifest, files)
    return bundle


def _files(bundle: Bundle) -> Iterator[ZippedFile]:
    for path, content in bundle.agent.items():
        yield ZippedFile(path=f"{AGENT}{path}", content=content)
    for slug, content in bundle.plays.items():
        yield ZippedFile(path=f"{PLAYS}{slug}.md", content=content)
    for name, version in bundle.skills.items():
        for file in version.files:
            path = f"{SKILLS}{name}/{file.path}"
            yield ZippedFile(path=path, content=file.content, executable=file.executable)
    if bundle.user is not None:
        yield ZippedFile(path=USER, content=bundle.user)


def _listed(file: ZippedFile) -> BundleFile:
    return BundleFile(path=file.path, size=len(file.content), sha256=hashlib.sha256(file.content).hexdigest())


def _manifest(file: ZippedFile | None) -> Manifest:
    if file is None:
        raise refused(f"there is no {MANIFEST} in it, so it is not an exported agent")
    if len(file.content) > MAX_MANIFEST_BYTES:
        raise refused(f"its {MANIFEST} is too large")
    try:
        found = msgspec.json.decode(file.content, type=_Format)
        if found.format != FORMAT:
            raise refused(
                f"its format has the number {found.format}, which this version of Jupyter Cabinet cannot read"
            )
        return msgspec.json.decode(file.content, type=Manifest)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise refused(f"its {MANIFEST} cannot be read") from error


def _by_path(files: Iterable[BundleFile]) -> dict[str, BundleFile]:
    return {file.path: file for file in files}


def _first_difference(manifest: Manifest, files: Mapping[str, ZippedFile]) -> str:
    listed = _by_path(manifest.files)
    if missing := sorted(listed.keys() - files.keys()):
        return f"its {MANIFEST} lists {missing[0][:200]}, which is not in it"
    if more := sorted(files.keys() - listed.keys()):
        return f"its {MANIFEST} does not list {more[0]}, which is in it"
    changed = next(path for path in sorted(files) if _listed(files[path]) != listed[path])
    return f"{changed} is not the file that was exported: its checksum differs"


def _below(folder: str, files: Mapping[str, ZippedFile]) -> Iterator[tuple[str, ZippedFile]]:
    return ((path.removeprefix(folder), file) for path, file in files.items() if path.startswith(folder))


def _play_of(path: str) -> str:
    slug = path.removesuffix(".md")
    if f"{slug}.md" != path or not is_slug(slug):
        raise refused(f"{PLAYS}{path} is not the file of a play")
    return slug


def _skills(files: Mapping[str, ZippedFile]) -> dict[str, SkillVersion]:
    found: dict[str, dict[str, SkillFile]] = {}
    for path, file in _below(SKILLS, files):
        name, _, inner = path.partition("/")
        if not is_name(name) or not inner:
            raise refused(f"{SKILLS}{path} is not the file of a skill")
        found.setdefault(name, {})[inner] = SkillFile(inner, file.executable, file.content)
    versions = {name: version_of(each) for name, each in found.items()}
    for name, version in versions.items():
        if len(version.files) > MOST_FILES or version.size > MOST_BYTES:
            raise refused(f"the skill {name} is too large")
    return versions


def _check_rest(bundle: Bundle, manifest: Manifest, files: Mapping[str, ZippedFile]) -> None:
    """Raise `Invalid` for files that no bundle has, for too much of something, and for a changed skill."""
    if PERSONA not in bundle.agent:
        raise refused(f"there is no {AGENT}{PERSONA} in it")
    for path in files:
        if path != USER and not path.startswith((AGENT, PLAYS, SKILLS)):
            raise refused(f"{path} does not belong into an exported agent")
        if path.startswith(AGENT) and not belongs(path.removeprefix(AGENT)):
            raise refused(f"{path} does not belong into an exported agent")
        if len(files[path].content) > _limit_of(path):
            raise refused(f"{path} is too large")
    if len(bundle.plays) > MOST_PLAYS or len(bundle.skills) > MOST_SKILLS:
        raise refused(f"it has more than {MOST_PLAYS} plays or {MOST_SKILLS} skills")
    if {each.name: each.hash for each in manifest.skills} != {n: each.hash for n, each in bundle.skills.items()}:
        raise refused("a skill in it is not the one that was exported: its checksum differs")


def _limit_of(path: str) -> int:
    if path.startswith(PLAYS):
        return MAX_PLAY_BYTES
    return TEXT_LIMITS.get(path.removeprefix(AGENT), MAX_BUNDLE_BYTES)


def belongs(path: str) -> bool:
    """Return whether a file of an agent's folder may be in a bundle: its texts, and its memory without hidden files.

    Tasks, output and other files of an agent may steer CLIs that work there, and hidden files even configure them.
    """
    if path == STATISTICS:
        return False
    return path in IDENTITY or (path.startswith(MEMORY) and not any(part.startswith(".") for part in path.split("/")))
