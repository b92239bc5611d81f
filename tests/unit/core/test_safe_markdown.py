"""Markdown of strangers, as the renderer of nbconvert shows it: nothing in it is more than text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbconvert.filters.markdown_mistune import markdown2html_mistune

from jupyter_cabinet.core.safe_markdown import safe_markdown

WORDS = """p em strong ul ol li code pre a h1 h2 h3 h4 h5 h6 hr br blockquote table thead tbody tr th td span div del
input section sup mark"""
TAGS = frozenset(WORDS.split())


class Found(HTMLParser):
    """The elements and attributes of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))


def rendered(text: str) -> str:
    return str(markdown2html_mistune(safe_markdown(text)))


def check(text: str) -> None:
    found = Found()
    found.feed(rendered(text))
    for tag, attributes in found.elements:
        assert tag in TAGS, (tag, text)
        assert not any(name.startswith("on") or name in ("src", "style") for name in attributes), (attributes, text)
        target = (attributes.get("href") or "").strip()
        assert target.startswith(("http://", "https://")) or not re.match(r"[^/?#]*:", target), (target, text)


ATTACKS = [
    "<script>alert(1)</script>",
    "a <img src=x onerror=alert(1)> b",
    "`<b>` and <img src=x onerror=alert(1)>",
    "`\n` <img src=x onerror=alert(1)> `",
    "``\n` <img src=x onerror=alert(1)> ``",
    "a \\` <img src=x onerror=alert(1)> `",
    "| a | b |\n|---|---|\n| `x | <img src=x onerror=alert(1)> ` |",
    "a | b\n--|--\n`x | <img src=x onerror=alert(1)> `",
    "![x](https://evil.example/pixel.png)",
    "![x][p]\n\n[p]: https://evil.example/pixel.png",
    "[x](javascript:alert(1))",
    "[x]( javascript:alert(1))",
    "[x](java\nscript:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](<javascript:alert(1)>)",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x][y]\n\n[y]: javascript:alert(1)",
    "> [y]: javascript:alert(1)\n\n[x][y]",
    "[x\ny]: javascript:alert(1)\n\n[x\ny]",
    "<javascript:alert(1)>",
    "```html\n<script>alert(1)</script>",
    "- a\n  ```\n  <script>alert(1)</script>\n",
    "> ```\n<script>alert(1)</script>\n> ```",
    "1. a\n\n        ```\n        <script>alert(1)</script>\n",
    "~~~\n```\n~~~\n<script>alert(1)</script>",
    "````\n```\n<script>alert(1)</script>\n```\n````",
    "<!-- ```\n--> <script>alert(1)</script>",
    "    ```\n<script>alert(1)</script>\n    ```",
    "<details><summary>x</summary></details>",
    "a\x0b<script>alert(1)</script>",
    "[^1]\n\n[^1]: <script>alert(1)</script>",
    "[a]([x](javascript:alert(1)))",
    "!![x](https://evil.example/pixel.png)",
    "$$\n\n`a $$ <img src=x onerror=alert(1)> `",
    "$$\n\n```\n$$ <img src=x onerror=alert(1)>\n```",
    "a $ b ``$<img src=x onerror=alert(1)>``",
    "[x](//evil.example/a)<style>*{display:none}</style>",
]


@pytest.mark.parametrize("text", ATTACKS)
def test_an_attack_is_text(text: str) -> None:
    check(text)


PIECES = st.sampled_from(
    ["`", "``", "```", "~~~", "\n", "\n\n", " ", "    ", "> ", "- ", "1. ", "|", "\\", "[", "]", "(", ")", "](", "]:",
     "!", "<", ">", "<img src=x onerror=alert(1)>", "<script>", "</script>", "javascript:alert(1)", "x", "$", "&#60;",
     "&lt;", "<!--", "-->", "---", "# ", "*", "_", "https://a.example/", ":", "\t"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=24).map("".join))
def test_no_mixture_becomes_more_than_text(text: str) -> None:
    check(text)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("`a < b`", "<code>a &lt; b</code>"),
        ("if a[0]: b", "if a[0]: b"),
        ("5 < 6 & 7", "5 &lt; 6 &amp; 7"),
        ("[docs](https://a.example/x?y=1)", 'href="https://a.example/x?y=1"'),
        ("[code](src/a.py)", 'href="src/a.py"'),
        ("[odd](mailto:a@b.example)", "[odd](mailto:a@b.example)"),
        ("```python\nx < 1\n```", "&lt;"),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "<td>1</td>"),
        ("a\u202eb", r"a\u{202e}b"),
    ],
)
def test_what_is_harmless_stays_as_it_was_written(text: str, html: str) -> None:
    assert html in rendered(text)


MATHS = '$" onmouseover=alert(1) x="$'


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        (f"https://a.example/{MATHS}", 'https://a.example/%24" onmouseover=alert(1) x="$'),
        ('WWW.a.example/\\\\(" onload=1 \\\\)', 'WWW.a.example/%5C%5C(" onload=1 \\\\)'),
        (f'[x](https://a.example "{MATHS}")', f'[x]\\(https://a.example "{MATHS}")'),
        (f"> ~~~py{MATHS}", f"> \\~\\~\\~py{MATHS}"),
        (f"- ```py{MATHS}", f"- \\`\\`\\`py{MATHS}"),
        ("[x](https://a.example/`b)<img>`", "[x]\\(https://a.example/`b)&lt;img>`"),
        ("https://a.example/`<img>`", "https://a.example/`&lt;img>`"),
        ('[x](https://a.example "\n`<img>`', '[x]\\(https://a.example "\n`&lt;img>`'),
        ("~~~`<img>` ~~~", "~~~`&lt;img>` ~~~"),
        (r"$\mmlToken{mi}[href=x]{y}$", r"$\ mmlToken{mi}[href=x]{y}$"),
    ],
)
def test_nothing_gets_into_an_attribute_in_jupyterlab(text: str, markdown: str) -> None:
    """It puts mathematics into the finished page as they are written; marked sees code where others see an address."""
    assert safe_markdown(text) == markdown


@pytest.mark.parametrize(
    "text",
    [
        "[code](https://a.example/A_(b)) and `a < b`",
        "See `https://a.example/?$x` and `<b>`, https://a.example/c",
        "~~old~~ `a<b>`",
    ],
)
def test_code_beside_links_and_addresses_stays_as_it_was_written(text: str) -> None:
    assert safe_markdown(text) == text


def test_a_block_of_code_stays_code_wherever_it_stood() -> None:
    assert safe_markdown("1. First:\n   ```py\n   if a:\n       b = `c`\n   ```\n2. Then") == (
        "1. First:\n\n```py\nif a:\n    b = `c`\n```\n\n2. Then"
    )
    assert safe_markdown("~~~\n```\n~~~") == "\n````\n```\n````\n"
    assert safe_markdown("```mermaid\ngraph\n```") == "\n```\ngraph\n```\n"
