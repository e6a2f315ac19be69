"""Text of messages as HTML in which nothing loads, runs or leads anywhere but to the addresses it shows."""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token
    from markdown_it.utils import OptionsDict

_LEADS_OUT = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
# Ours: markdown-it's own search for addresses takes minutes for some texts.
_ADDRESS = re.compile(r"https?://[^\s<>\"'`，。；：！？、）】》」]{1,2000}", re.IGNORECASE)
_AFTER_ADDRESS = ".,;:!?*_~"
_HAS_SCHEME = re.compile(r"[^/?#]*:")

_MAX_COLOURED = 8_000
"""Characters of code up to which it is coloured: for some texts the time grows with their square."""

# Not every lexer of pygments is quick whatever it reads; these many people use.
_NAMES = """
    bash c c# c++ clojure cmake console cpp cs csharp css dart diff docker dockerfile elixir erlang f# fish go golang
    graphql groovy haskell hcl html ini java javascript js json jsonc jsx julia kotlin kt lua make makefile nginx nix
    objective-c ocaml patch perl php powershell proto protobuf ps1 py pycon python python3 r rb ruby rs rust
    scala scss sh shell sql svelte swift terraform tf toml ts tsx typescript vim vue xml yaml yml zig zsh
"""
_LANGUAGES = frozenset(_NAMES.split())

_ALIASES = {
    "c#": "java",
    "cs": "java",
    "csharp": "java",
    "fish": "bash",
    "jsonc": "json",
    "kt": "kotlin",
    "patch": "diff",
    "svelte": "html",
}
"""Names that pygments does not know, and a lexer that is too slow, with what colours them instead."""


def markdown(text: str) -> str:
    """The Markdown of an answer."""
    return str(_answers().render(text))


def verbatim(text: str) -> str:
    """A prompt as it was typed, with blocks of code, code in lines, and addresses as links."""
    lines = text.strip("\n").split("\n")
    parser = _prompts()
    html: list[str] = []
    start = 0
    for token in parser.parse("\n".join(lines)):
        if token.type == "fence" and token.map and token.level == 0:
            html += (_paragraph(lines[start : token.map[0]]), code(token.content, token.info))
            start = token.map[1]
    html.append(_paragraph(lines[start:]))
    return "".join(html)


def _paragraph(lines: Sequence[str]) -> str:
    text = "\n".join(lines).strip("\n").rstrip()
    return f'<p class="typed">{_prompts().renderInline(text)}</p>\n' if text else ""


def code(text: str, info: str = "") -> str:
    """A block of code, in colours where its language is named."""
    language = info.split(maxsplit=1)[0].lower() if info.strip() else ""
    label = f"<figcaption>{escape(language[:40])}</figcaption>" if language else ""
    return f'<figure class="code">{label}<pre><code>{_coloured(text, language)}</code></pre></figure>\n'


def _coloured(text: str, language: str) -> str:
    if language not in _LANGUAGES or len(text) > _MAX_COLOURED:
        return escape(text)
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name

    lexer = get_lexer_by_name(_ALIASES.get(language, language), stripnl=False, ensurenl=False)
    return str(highlight(text, lexer, HtmlFormatter(nowrap=True)))


def colours(style: str) -> str:
    """The style sheet of coloured code: a style of pygments, colours of the text alone."""
    from pygments.styles import get_style_by_name
    from pygments.token import STANDARD_TYPES

    by_look: dict[str, list[str]] = {}
    for kind, look in get_style_by_name(style):
        if (name := STANDARD_TYPES.get(kind)) and look["color"]:
            weight = ";font-weight:600" if look["bold"] else ""
            by_look.setdefault(f"color:#{look['color']}{weight}", []).append(f".code .{name}")
    return "".join(f"{','.join(names)}{{{look}}}\n" for look, names in by_look.items())


@cache
def _answers() -> MarkdownIt:
    parser = _new("commonmark", {"html": False, "xhtmlOut": False, "breaks": True})
    return parser.enable(["table", "strikethrough"])


@cache
def _prompts() -> MarkdownIt:
    return _new("zero", {"html": False}).enable(["fence", "backticks"])


def _new(preset: str, options: dict[str, Any]) -> MarkdownIt:
    from markdown_it import MarkdownIt

    class Parser(MarkdownIt):
        def validateLink(self, url: str) -> bool:
            return bool(_LEADS_OUT.match(url)) or not _HAS_SCHEME.match(url)

    parser = Parser(preset, options)
    for name, rule in (
        ("fence", _fence),
        ("code_block", _fence),
        ("image", _image),
        ("link_open", _link),
        ("link_close", _link_end),
        ("text", _text),
        ("table_open", _table),
        ("table_close", _table_end),
    ):
        parser.add_render_rule(name, rule)
    return parser


Env = MutableMapping[str, Any]


def _fence(_: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: Env) -> str:
    return code(tokens[at].content, tokens[at].info)


def _image(renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: Env) -> str:
    address = str(tokens[at].attrs.get("src", ""))
    words = renderer.renderInlineAsText(tokens[at].children, options, env) or address
    return f'<span class="picture" title="{escape(address)}">{escape(words)}</span>'


def _link(renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: Env) -> str:
    env["in_link"] = True
    address = str(tokens[at].attrs.get("href", ""))
    if not _LEADS_OUT.match(address):
        # Where it would lead, from this file, is not what was meant.
        return f'<a title="{escape(address)}">'
    title = str(tokens[at].attrs.get("title", ""))
    shown = f' title="{escape(title)}"' if title else ""
    return f'<a href="{escape(address)}"{shown} rel="noopener noreferrer">'


def _link_end(_: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: Env) -> str:
    env["in_link"] = False
    return "</a>"


def _text(_: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: Env) -> str:
    """Text, with what is an address in it as a link."""
    text = tokens[at].content
    if env.get("in_link") or "://" not in text:
        return escape(text, quote=False)
    html: list[str] = []
    done = 0
    for found in _ADDRESS.finditer(text):
        address = found[0].rstrip(_AFTER_ADDRESS)
        if "(" not in address:
            address = address.rstrip(f"){_AFTER_ADDRESS}")
        link = escape(address)
        html += (
            escape(text[done : found.start()], quote=False),
            f'<a href="{link}" rel="noopener noreferrer">{link}</a>',
        )
        done = found.start() + len(address)
    return "".join((*html, escape(text[done:], quote=False)))


def _table(*_: Any) -> str:
    return '<div class="table"><table>\n'


def _table_end(*_: Any) -> str:
    return "</table></div>\n"
