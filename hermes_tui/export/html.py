"""A conversation as one HTML file that needs nothing else and runs nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html import escape
from importlib.resources import files

from hermes_tui.export.document import UNTITLED, Document
from hermes_tui.export.html_text import code, colours, markdown, verbatim
from hermes_tui.text import figures, relative_time, safe_text
from hermes_tui.text.blocks import Block, Kind
from storage.readings import Message

LONG_PROMPT = 30
"""Lines of a prompt that are shown; one with more is folded, most of it is pasted."""

_LONG_TEXT = 4_000
"""Characters of a prompt that are shown."""

_MANY_PROMPTS = 3
"""Prompts from which on there is a table of them."""

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def pages(document: Document) -> Iterator[str]:
    """The file in pieces, to be written one after another."""
    # Once more, for in Markdown any character can be written as a number.
    return map(safe_text.page, _pages(document))


def _pages(document: Document) -> Iterator[str]:
    prompts = document.prompts()
    listed = ' class="listed"' if len(prompts) >= _MANY_PROMPTS else ""
    title = escape(document.title or UNTITLED)
    yield f"""<!DOCTYPE html>
<html lang="und">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
{_styles()}</style>
</head>
<body{listed}>
<header>
<h1 dir="auto">{title}</h1>
{_facts(document)}</header>
"""
    if listed:
        yield from _table(prompts)
    yield "<main>\n"
    for block in document.blocks:
        yield _block(block, document)
    yield "</main>\n<footer>Exported by hermes-tui</footer>\n</body>\n</html>\n"


@cache
def _styles() -> str:
    sheet = files("hermes_tui.export").joinpath("page.css").read_text(encoding="utf-8")
    dark = colours("gruvbox-dark")
    return f"{sheet}{colours('gruvbox-light')}@media screen and (prefers-color-scheme: dark) {{\n{dark}}}\n"


def _facts(document: Document) -> str:
    facts = [*document.facts]
    if document.masked:
        facts.append(("Masked", figures.plural(document.masked, "secret")))
    items = "".join(f"<div><dt>{name}</dt><dd>{escape(value)}</dd></div>\n" for name, value in facts)
    return f"<dl>\n{items}</dl>\n"


def _table(prompts: list[tuple[int, Message]]) -> Iterator[str]:
    yield f'<nav aria-label="Prompts">\n<h2>{len(prompts)} prompts</h2>\n<ol>\n'
    for place, message in prompts:
        words = escape(" ".join(_opening(message.text).split())[:200])
        yield f'<li><a href="#m{place}" dir="auto">{words}</a></li>\n'
    yield "</ol>\n</nav>\n"


def _block(block: Block, document: Document) -> str:
    if block.kind is Kind.SEAM:
        return f'<div class="seam" role="separator">{escape(block.text)}</div>\n'
    if block.kind in (Kind.NOTE, Kind.EARLIER):
        return f'<p class="note">{escape(block.text)}</p>\n'
    message = document.messages[block.place]
    kind = block.kind.name.lower()
    heading = _heading(block, message) if block.heading else ""
    return (
        f'<article id="m{block.place}" class="{kind}">\n{heading}'
        f"{''.join(_told(block.kind, message))}</article>\n"
    )


def _heading(block: Block, message: Message) -> str:
    mark, name = {Kind.USER: ("●", "You"), Kind.OTHER: ("○", message.role)}.get(block.kind, ("◆", "Hermes"))
    when = relative_time.minute(message.timestamp)
    link = f'<a href="#m{block.place}"><time>{when}</time></a>'
    return f'<h2><span class="mark" aria-hidden="true">{mark}</span>{escape(name)} {link}</h2>\n'


def _told(kind: Kind, message: Message) -> Iterator[str]:
    if kind is Kind.TOOL:
        yield _folded("result", "Result of", message.tool_name or "a tool", message.text)
    elif kind is Kind.SUMMARY:
        inner = f'<div class="text" dir="auto">{markdown(message.text)}</div>'
        yield f"<details><summary>Summary of what came before</summary>{inner}</details>\n"
    elif kind is Kind.ASSISTANT:
        if message.text:
            yield f'<div class="text" dir="auto">\n{markdown(message.text)}</div>\n'
    else:
        yield _prompt(message.text)
    for call in message.tool_calls:
        yield _folded("call", "Called", call.name, call.arguments)
    if message.cut:
        more = figures.count(message.cut)
        yield f'<p class="note">{more} more characters are left out here; an export as JSON has them.</p>\n'


def _prompt(text: str) -> str:
    inner = f'<div class="text" dir="auto">\n{verbatim(text)}</div>\n'
    lines = text.count("\n") + 1
    if lines <= LONG_PROMPT and len(text) <= _LONG_TEXT:
        return inner
    opening = escape("\n".join(_opening(text).split("\n")[:6]))
    size = figures.plural(lines, "line") if lines > 1 else f"{figures.count(len(text))} characters"
    return (
        f'<details class="long"><summary><span class="typed" dir="auto">{opening} …</span>'
        f'<span class="more">{size}</span></summary>\n{inner}</details>\n'
    )


def _opening(text: str) -> str:
    """The first words, without the fences of code among them."""
    return "\n".join(line for line in text.strip()[:400].split("\n") if not line.startswith(("```", "~~~")))


def _folded(kind: str, verb: str, name: str, text: str) -> str:
    text = text.strip("\n")
    label = f'<span class="verb">{verb}</span> <code>{escape(name)}</code>'
    if not text.strip():
        return f'<p class="{kind}">{label}</p>\n'
    opening = escape(" ".join(text[:300].split())[:120])
    lines = text.count("\n") + 1
    size = f'<span class="size">{figures.plural(lines, "line")}</span>' if lines > 1 else ""
    return (
        f'<details class="{kind}"><summary>{label} <span class="opening">{opening}</span>{size}</summary>\n'
        f"{code(text)}</details>\n"
    )
