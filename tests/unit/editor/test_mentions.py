"""Mentions are found where a person meant one, and pages are read as the prompt needs them."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.core.errors import Malformed, NotFound, OutsideRoot
from jupyter_cabinet.editor.completion import FileIndex
from jupyter_cabinet.editor.mentions import find_mentions, looks_like_path
from jupyter_cabinet.editor.model import Attachment
from jupyter_cabinet.editor.pages import Page, read_page
from jupyter_cabinet.editor.prompt import InstructionSource, build_prompt


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see @a.md and @b/c.md.", ["a.md", "b/c.md"]),
        ("@start of line\n@second, line", ["start", "second"]),
        ("mail ada@example.org", []),
        ('the @"two words.md" file', ["two words.md"]),
        ("(@a.md)", []),
        ("@ alone and @", []),
        ("nothing but an end: @...", []),
        ("@a.md @a.md", ["a.md"]),
        ("what about @notes?", ["notes"]),
    ],
)
def test_a_mention_starts_at_a_line_or_after_white_space(text: str, found: list[str]) -> None:
    assert find_mentions(text) == found


@pytest.mark.parametrize(("name", "is_path"), [("notes.md", True), ("notes/today", True), ("dataclass", False)])
def test_a_name_with_a_dot_or_a_slash_looks_like_a_path(name: str, is_path: bool) -> None:
    assert looks_like_path(name) is is_path


@given(st.text())
def test_any_text_can_be_searched(text: str) -> None:
    assert all(name and "\n" not in name for name in find_mentions(text))


def test_a_page_is_index_md_then_md_then_the_file(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "index.md").write_text("folder")
    (tmp_path / "p.md").write_text("page")
    (tmp_path / "q.md").write_text("---\ntitle: 'The Q: page'\n---\nx")
    (tmp_path / "q").write_text("file")
    assert (read_page(tmp_path, "p").path, read_page(tmp_path, "p").title) == ("p/index.md", "p")
    assert (read_page(tmp_path, "q").path, read_page(tmp_path, "q").title) == ("q.md", "The Q: page")
    with pytest.raises(NotFound):
        read_page(tmp_path, "r")
    with pytest.raises(OutsideRoot):
        read_page(tmp_path, "../p")


@pytest.mark.parametrize(
    "front",
    ["title: [a, b]", "title:", ": :", "a: &x [*x]", "title: no", "- list", r'title: "\U00110000"', "[" * 9_000],
)
def test_strange_front_matter_gives_a_title_and_never_an_error(tmp_path: Path, front: str) -> None:
    (tmp_path / "s.md").write_text(f"---\n{front}\n---\nx")
    assert read_page(tmp_path, "s").title == ("no" if front == "title: no" else "s")


def test_a_notebook_is_its_cells_without_outputs(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# T\n", "x"]},
        {"cell_type": "code", "source": "1+1", "outputs": [{"data": "HUGE"}]},
    ]
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": cells}))
    assert read_page(tmp_path, "n.ipynb").content == "[cell 1, markdown]\n# T\nx\n\n[cell 2, code]\n1+1"
    for text in ("{", '{"cells": [\n<<<<<<< ours', '{"worksheets": []}'):
        (tmp_path / "broken.ipynb").write_text(text)
        assert read_page(tmp_path, "broken.ipynb").content == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"cells": [{"source": 5}]}', r"n\.ipynb is not a notebook: .*`\$\.cells\[0\]\.source`"),
        ('{"cells": 5}', r"n\.ipynb is not a notebook: .*cells"),
        ("[]", r"n\.ipynb is not a notebook"),
        ('{"metadata": ' + "[" * 100_000, r"n\.ipynb is nested too deeply"),
    ],
    ids=["source", "cells", "array", "deep"],
)
def test_a_notebook_that_is_none_is_named_with_what_is_wrong(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "n.ipynb").write_text(text)
    with pytest.raises(Malformed, match=said):
        read_page(tmp_path, "n.ipynb")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["cells", "source", "cell_type"]), inner)
    ),
)


@given(
    st.one_of(
        st.binary(),
        st.builds(lambda cells: json.dumps({"cells": cells}).encode(), JSON),
        st.lists(st.dictionaries(st.sampled_from(["source", "cell_type", "outputs"]), JSON)).map(
            lambda cells: json.dumps({"cells": cells}).encode()
        ),
    )
)
def test_any_bytes_are_a_notebook_or_a_sentence(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.getbasetemp()
    (folder / "any.ipynb").write_bytes(data)
    try:
        page = read_page(folder, "any.ipynb")
    except Malformed as error:
        assert error.message.startswith("any.ipynb is ") and error.message.endswith(".")
    else:
        prompt_of(page).encode()


@given(st.one_of(st.text(), st.from_regex(r'title: "\\(x|u|U)[0-9a-fA-F]{2,8}"', fullmatch=True), st.binary()))
def test_any_front_matter_gives_a_title_that_can_be_sent(
    tmp_path_factory: pytest.TempPathFactory, front: str | bytes
) -> None:
    folder = tmp_path_factory.getbasetemp()
    text = front if isinstance(front, bytes) else front.encode(errors="surrogatepass")
    (folder / "any.md").write_bytes(b"---\n" + text + b"\n---\nx")
    page = read_page(folder, "any.md")
    assert page.title
    prompt_of(page).encode()


def prompt_of(page: Page) -> str:
    return build_prompt(InstructionSource(path="doc.md"), root="/root", instruction="x", attachments=[], pages=[page])


def test_of_a_long_attachment_the_beginning_is_sent() -> None:
    long = Attachment(kind="selection", title="Selection", text="ä" * 60_000)
    prompt = build_prompt(InstructionSource(path="doc.md"), root="/root", instruction="x", attachments=[long], pages=[])
    assert "(cut at 50 kB)" in prompt and "ä" * 20_000 in prompt and len(prompt.encode()) < 60_000


def test_a_huge_file_is_named_without_being_read(tmp_path: Path) -> None:
    with (tmp_path / "huge.txt").open("wb") as file:
        file.write(b"text\n" * 3000)
        file.truncate(200 * 2**20)
    page = read_page(tmp_path, "huge.txt")
    assert page.content is None and page.size == 200 * 2**20 and page.note == "named only, over 200 kB"


def test_the_prompt_has_the_parts_in_order(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("A")
    prompt = build_prompt(
        InstructionSource(path="doc.md"),
        root="/root",
        instruction=" do it ",
        attachments=[Attachment(kind="cell", title="Cell [3]\nx", text="1/0")],
        pages=[read_page(tmp_path, "a")],
    )
    assert prompt == (
        "You are editing doc.md.\n\ndo it\n\n--- Cell [3] x ---\n1/0\n\n--- a (a.md) ---\nA\n\n"
        "Work in /root. Edit files directly. After editing, briefly confirm what you changed."
    )


def test_completion_finds_names_first_and_leaves_hidden_folders_and_links_out(tmp_path: Path) -> None:
    for name in ("notes.md", "sub/my-notes.md", "notes/x.md", ".hidden/notes.md", "node_modules/notes.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "link-notes.md").symlink_to("/etc/passwd")
    found = [mention.path for mention in FileIndex(tmp_path).search("NOTES", 10)]
    assert found == ["notes.md", "sub/my-notes.md", "notes/x.md"]


def test_a_folder_s_page_is_offered_by_its_title_and_found_by_the_folder_s_name(tmp_path: Path) -> None:
    for folder, text in {"q3": "---\ntitle: Quarterly report\n---\nx", "churn": "# x"}.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "index.md").write_text(text)
    index = FileIndex(tmp_path)
    for query, path, title in (
        ("quart", "q3/index.md", "Quarterly report"),
        ("q3", "q3/index.md", "Quarterly report"),
        ("churn", "churn/index.md", "churn"),
    ):
        assert [(mention.path, mention.title) for mention in index.search(query, 10)] == [(path, title)]


def test_the_prompt_from_a_cell_says_which_one_and_where_the_answer_goes() -> None:
    asked = InstructionSource(path="a.ipynb", cell="cell [5] of a.ipynb")
    prompt = build_prompt(asked, root="/root", instruction="x", attachments=[], pages=[], former="b.ipynb")
    assert prompt.startswith("You are asked from cell [5] of a.ipynb.\nThe document was renamed: it was b.ipynb before")
    assert "Your answer is shown below that cell as Markdown." in prompt
