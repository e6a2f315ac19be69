"""Messages in a Markdown document: as they were, and unable to reach beyond their place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from hermes_tui.export.markdown_text import contained, fenced, plain, quoted

_READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])

_WORDS = """
    ``` ```` ~~~ ` `` --- === | <b> </details> <details> <!-- <script> <? <![CDATA[ <https://a.b> <a$title='`'> #
    ![x](https://a.b/c.png) [x]:$<b> [x] ]( ](< \\ * _ < > word é 中 &lt; 1. - ## $
"""
_SIGNS = st.sampled_from(
    [" ", "\n", "\n\n", "    ", "\t", "# ", "> ", "- ", "1. ", "| a | b |\n| - | - |\n"]
) | (st.sampled_from(_WORDS.split()).map(lambda word: word.replace("$", " ")))
_MESSAGES = st.lists(_SIGNS, max_size=30).map("".join) | st.text(max_size=80)


def _inner(tokens: list[Token]) -> list[Token]:
    return [child for token in tokens for child in (token, *(token.children or ()))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain *words* and `code`", "plain *words* and `code`"),
        ("# One\n## Two\n###### Six", "### One\n#### Two\n###### Six"),
        ("One\nmore\n===\n\nTwo\n---", "### One more\n\n#### Two"),
        ("a #tag and\n#!/bin/sh", "a #tag and\n#!/bin/sh"),
        ("```py\nx = '<b>'", "```py\nx = '<b>'\n```"),
        ("~~~~\n```\n~~~", "~~~~\n```\n~~~\n~~~~"),
        ("```\n    ```", "```\n    ```\n```"),
        ("```\nx\n```", "```\nx\n```"),
        ("a <b>bold</b> `<i>` </details>", "a \\<b>bold\\</b> `<i>` \\</details>"),
        ("<div>\n# x", "\\<div>\n### x"),
        ("`a\n<b>` <c>", "`a <b>` \\<c>"),
        ("\\`<b>` and `` ` <i> ``", "\\`\\<b>` and `` ` \\<i> ``"),
        ("`a\n</details>` b\nc", "`a </details>` b\nc"),
        ("1 < 2 and <https://a.b/c> <me@x>", "1 < 2 and <https://a.b/c> \\<me@x>"),
        ("![p](https://a.b/c.png)", "\\![p](https://a.b/c.png)"),
        ("    <b>code</b>", "    <b>code</b>"),
        ("| a ` | ` <b> |\n| - | - |\n| `<i>` | x |", "| a ` | ` \\<b> |\n| - | - |\n| `<i>` | x |"),
        ("\n\nx\n\n", "x"),
        ("", ""),
    ],
)  # fmt: skip
def test_it_is_as_it_was_except_where_it_would_reach_beyond(text: str, expected: str) -> None:
    assert contained(text) == expected


def test_lines_of_a_prompt_stay_lines() -> None:
    assert contained("a\nb\n\n- c\nd\n\n```\ne\nf\n```", keep_lines=True) == (
        "a  \nb\n\n- c  \nd\n\n```\ne\nf\n```"
    )


@given(_MESSAGES)
def test_no_message_breaks_the_document(text: str) -> None:
    text = text.replace("\r", "\n").replace("\0", "")
    page = f"# Ours\n\n{contained(text)}\n\n## Ours\n\n{quoted(contained(text))}\n\n## Ours\n\nend\n"
    tokens = _READER.parse(page)
    assert [token.type for token in _inner(tokens) if "html" in token.type] == []
    assert [token for token in _inner(tokens) if token.type == "image"] == []
    levels = [token.tag for token in tokens if token.type == "heading_open" and token.level == 0]
    assert [level for level in levels if level in ("h1", "h2")] == ["h1", "h2", "h2"]
    assert [token.content for token in tokens if token.type == "inline"][-1] == "end"
    assert tokens[-1].level == 0


@given(_MESSAGES)
def test_code_stays_in_its_block(text: str) -> None:
    text = text.replace("\r", "\n").replace("\0", "")
    tokens = _READER.parse(f"{fenced(text)}\n\nend\n")
    assert [token.type for token in tokens] == ["fence", "paragraph_open", "inline", "paragraph_close"]
    assert tokens[0].content == f"{text}\n"


@given(st.lists(_SIGNS, max_size=15).map("".join))
def test_a_title_means_nothing(text: str) -> None:
    line = " ".join(text.split())
    tokens = _READER.parse(f"# {plain(line)}\n\n- **Source:** {plain(line)}\n")
    kinds = {child.type for token in tokens for child in token.children or () if child.content or child.tag}
    assert kinds <= {"text", "text_special", "strong_open", "strong_close"}
    assert "".join(child.content for child in tokens[1].children or ()) == line


@pytest.mark.parametrize(
    ("title", "written"),
    [
        ("Fix #3 of my_module_name", "Fix #3 of my_module_name"),
        ("__init__ *now* [x]", "\\_\\_init\\_\\_ \\*now\\* \\[x\\]"),
        ("# a #", "\\# a \\#"),
        ("$1.24", "$1.24"),
    ],
)
def test_what_means_nothing_already_stays(title: str, written: str) -> None:
    assert plain(title) == written
