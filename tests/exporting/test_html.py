"""A conversation as HTML: what it shows, and what nothing in it can do."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.export import html, html_text
from hermes_tui.export.cleaning import Cleaning
from hermes_tui.export.html_text import markdown, verbatim
from hermes_tui.text import safe_text
from hermes_tui.themes import DARK, LIGHT
from storage.readings import ToolCall
from tests.exporting.pages import Read, document, message, read

_WORDS = """
    <script>alert(1)</script> <img$src=x$onerror=alert(1)> </article> </details> </style> --> <!-- &lt; &#60;script&#62;
    [a](javascript:alert(1)) [a](JaVaScRiPt:x) [a](data:text/html,x) <javascript:alert(1)> [a](vbscript:x) [a](//e.x/y)
    ![i](https://a.b/c.png) ![i](data:image/png;base64,AAAA) [![i](x.png)](https://a.b) [r]:$javascript:x [r] [a](x.md)
    [a](https://a.b"onclick="x) [a](https://a.b$"t"onx="y") https://a.b/"onx='y https://a.b/c mailto:a@b.c a@b.c
    ``` ~~~ ```html ```"onx= ```<b> ` ``` | ** * _ # > - 1. " ' < > & \\ 中文 👩‍🚀 é \u202e \x1b[31m \x00 \u2028 \ud800
    &#x202e; &#0; &#155; &#8294;
"""
_SIGNS = st.sampled_from([" ", "\n", "\n\n", "\n| a | b |\n| - | - |\n| x | y |\n", "    "]) | (
    st.sampled_from(_WORDS.split()).map(lambda word: word.replace("$", " "))
)
_TEXTS = st.lists(_SIGNS, max_size=20).map("".join) | st.text(max_size=60)

_FORBIDDEN = (
    "script",
    "img",
    "iframe",
    "object",
    "embed",
    "link",
    "base",
    "form",
    "svg",
    "video",
    "audio",
    "input",
)
_LOADING = ("src", "srcset", "style", "action", "formaction", "background", "poster", "data", "ping")


def page(*messages: tuple[str, str], title: str = "Title") -> str:
    told = [message(place, role, text) for place, (role, text) in enumerate(messages)]
    return "".join(html.pages(document(*told, title=title)))


def assert_harmless(found: Read) -> None:
    assert [element.tag for element in found.elements if element.tag in _FORBIDDEN] == []
    for element in found.elements:
        assert [name for name in element.attributes if name.startswith("on") or name in _LOADING] == []
    for element in found.all("a"):
        address = element.attributes.get("href", "#m0")
        assert re.match(r"#m\d+$|https?://|mailto:", address, re.IGNORECASE), address
    assert found.strays == []
    assert found.open == []


@given(st.lists(_TEXTS, min_size=5, max_size=5))
def test_nothing_in_a_message_runs_loads_or_leads_elsewhere(texts: list[str]) -> None:
    user, answer, output, argument, name = texts
    calls = (ToolCall(name, argument),)
    told = [
        message(0, "user", user),
        message(1, "assistant", answer, calls=calls),
        message(2, "tool", output, tool=name),
        message(3, name, output),
        *(message(place, "user", f"{user} {place}") for place in range(4, 7)),
    ]
    line = Cleaning(redacting=False).line
    facts = (("Model", line(name)),)
    whole = "".join(html.pages(document(*told, title=line(user), facts=facts)))
    found = read(whole)
    assert_harmless(found)
    assert len(found.all("article")) >= 5
    assert len(found.all("style")) == len(found.all("title")) == len(found.all("main")) == 1
    assert re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", whole) is None
    whole.encode()


@given(_TEXTS)
def test_a_prompt_shows_every_character_that_was_typed(text: str) -> None:
    text = safe_text.page(text)
    shown = "".join(read(verbatim(text)).text)
    marks = re.compile(r"[`~\s]+|<(?:https?|mailto):[^>]*>")
    if "```" not in text and "~~~" not in text:
        assert marks.sub("", shown) == marks.sub("", text)


def test_the_policy_lets_nothing_load() -> None:
    meta = read(page(("user", "x"))).all("meta")
    policies = [
        element.attributes["content"]
        for element in meta
        if element.attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"]
    sheet = read(page(("user", "x"))).text
    assert not any("url(" in text or "@import" in text for text in sheet)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>\n"),
        ("[a](javascript:alert(1))", "<p>[a](javascript:alert(1))</p>\n"),
        ("[a](data:text/html,x)", "<p>[a](data:text/html,x)</p>\n"),
        ("[a](x/y.md)", '<p><a title="x/y.md">a</a></p>\n'),
        ("[a](https://a.b)", '<p><a href="https://a.b" rel="noopener noreferrer">a</a></p>\n'),
        ("![dog](https://a.b/c.png)", '<p><span class="picture" title="https://a.b/c.png">dog</span></p>\n'),
        ("![](https://a.b/c.png)", '<p><span class="picture" title="https://a.b/c.png">https://a.b/c.png</span></p>\n'),
        ("(see https://a.b/c_d?e=1&f=2).", '<p>(see <a href="https://a.b/c_d?e=1&amp;f=2" rel="noopener noreferrer">'
         "https://a.b/c_d?e=1&amp;f=2</a>).</p>\n"),
        ("看https://a.b/维基_(x)。好", '<p>看<a href="https://a.b/维基_(x)" rel="noopener noreferrer">'
         "https://a.b/维基_(x)</a>。好</p>\n"),
        ("[https://a.b](https://c.d)", '<p><a href="https://c.d" rel="noopener noreferrer">https://a.b</a></p>\n'),
        ("a\nb", "<p>a<br>\nb</p>\n"),
        ("```py\nx = '<b>'\n```", '<figure class="code"><figcaption>py</figcaption><pre><code>'
         '<span class="n">x</span> <span class="o">=</span> <span class="s1">\'&lt;b&gt;\'</span>\n'
         "</code></pre></figure>\n"),
        ("```unheard-of\n<b>\n```", '<figure class="code"><figcaption>unheard-of</figcaption><pre><code>'
         "&lt;b&gt;\n</code></pre></figure>\n"),
    ],
)  # fmt: skip
def test_an_answer(text: str, shown: str) -> None:
    assert markdown(text) == shown


def test_a_prompt_is_shown_as_it_was_typed() -> None:
    assert verbatim("# not a *heading*\n    indented `code`\n\n```\nblock\n```\nhttps://a.b") == (
        '<p class="typed"># not a *heading*\n    indented <code>code</code></p>\n'
        '<figure class="code"><pre><code>block\n</code></pre></figure>\n'
        '<p class="typed"><a href="https://a.b" rel="noopener noreferrer">https://a.b</a></p>\n'
    )


def test_a_long_prompt_is_folded_and_begins_with_its_words() -> None:
    lines = "\n".join(f"line {number}" for number in range(1, 32))
    found = read(page(("user", f"```\n{lines}\n```")))
    assert [element.attributes for element in found.all("details")] == [{"class": "long"}]
    assert "line 1\nline 2\nline 3\nline 4\nline 5\nline 6 …" in found.text
    assert "33 lines" in found.text


@pytest.mark.parametrize(("prompts", "tables"), [(2, 0), (3, 1)])
def test_a_table_of_prompts_leads_to_each(prompts: int, tables: int) -> None:
    found = read(page(*(("user", f"prompt {number}") for number in range(prompts))))
    assert len(found.all("nav")) == tables
    targets = {element.attributes["id"] for element in found.all("article")}
    links = [element.attributes["href"][1:] for element in found.all("a")]
    assert set(links) == targets == {f"m{place}" for place in range(prompts)}


def test_code_that_is_too_long_is_not_coloured() -> None:
    assert "<span" in markdown(f"```py\n{'x=1;' * 1_999}\n```")
    assert "<span" not in markdown(f"```py\n{'x=1;' * 2_001}\n```")


@pytest.mark.parametrize(
    ("theme", "place"), [(LIGHT, 0), (DARK, 1)], ids=["light", "dark"]
)  # fmt: skip
def test_the_page_wears_the_colours_of_the_program(theme: object, place: int) -> None:
    sheet = files("hermes_tui.export").joinpath("page.css").read_text(encoding="utf-8")
    colours = [
        dict(re.findall(r"--(\w+): (#\w+);", root)) for root in re.findall(r":root \{([^}]*)\}", sheet)
    ]
    wanted = DARK if theme is DARK else LIGHT
    variables = wanted.variables
    assert {name: colours[place][name] for name in ("page", "surface", "panel", "text", "accent")} == {
        "page": wanted.background,
        "surface": wanted.surface,
        "panel": wanted.panel,
        "text": wanted.foreground,
        "accent": wanted.accent,
    }
    assert [colours[place][name] for name in ("bronze", "gold", "green")] == [
        variables[name] for name in ("bronze", "gold", "green")
    ]


@pytest.mark.parametrize("language", sorted(html_text._LANGUAGES))
def test_languages_that_are_promised_are_known(language: str) -> None:
    assert f"<figcaption>{language}</figcaption>" in markdown(f"```{language}\nx = 1 # y\n```")
