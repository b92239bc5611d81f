"""Hooks of MkDocs: the pages at the repository's top become pages of the site, and links keep leading where they led.

Links are written for who reads the files on GitHub: from folder to folder of the repository.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
TOP = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md",
}
LINK = re.compile(r"\]\(([^)\s#:]+)((?:#[^)\s]*)?)\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for source, page in TOP.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text(encoding="utf-8")))
    files.append(File.generated(config, "site.css", content=(ROOT / ".site" / "site.css").read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    here = page.file.src_uri
    source = next((top for top, placed in TOP.items() if placed == here), f"docs/{here}")

    def rewritten(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), match[1]))
        return f"]({_address(target, here, str(config.repo_url))}{match[2]})"

    return LINK.sub(rewritten, markdown)


def _address(target: str, here: str, repository: str) -> str:
    """Where a file of the repository is, seen from a page of the site."""
    placed = TOP.get(target) or target.removeprefix("docs/")
    if target in TOP or target.startswith("docs/"):
        return posixpath.relpath(placed, posixpath.dirname(here) or ".")
    return f"{repository}/blob/main/{target}"
