"""Matches are found in the text as it is stored, and marked in what of it is shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.text import highlight, matches, safe_text
from storage import Message, ToolCall, parse

WORDS = {
    "docker": "docker",
    "会话": "会话",
    "❤\ufe0f": "❤",
    "👍🏽": "👍",
    "⏰": "⏰",
    "1\ufe0f\u20e3": "1\u20e3",
    "🇩🇪": "🇩🇪",
    "100₽": "100₽",
    "\u2067docker\u2069": "docker",
    "👩\u200d💻": "👩💻",
    "می\u200cخواهم": "میخواهم",
    "e\u0301": "e\u0301",
}
"""What is stored, and what is shown of it."""
BETWEEN = {
    " ": " ",
    "\t": "    ",
    "\n": "\n",
    "\r\n": "\n",
    "\u2028": "\n",
    "\x1b[31m": "",
    "\x1b]0;title\x07": "",
    "\x00": "",
    "\u202e": "",
    "\xad": "",
}
TOKENS = st.lists(st.sampled_from([*WORDS, *BETWEEN]), max_size=12)
SHOWN = WORDS | BETWEEN


def marked(text: str, spans: tuple[highlight.Span, ...]) -> list[str]:
    return [text[start:end] for start, end in spans]


@given(TOKENS)
def test_each_word_is_marked_where_it_is_shown(tokens: list[str]) -> None:
    starts = [len("".join(tokens[:place])) for place in range(len(tokens))]
    places = [place for place, token in enumerate(tokens) if token in WORDS]
    spans = [(starts[place], starts[place] + len(tokens[place])) for place in places]
    text = "".join(tokens)
    block, in_block = highlight.safe_block(text, spans)
    assert block == safe_text.block(text)
    assert [start for start, _ in in_block] == [
        len("".join(SHOWN[token] for token in tokens[:place])) for place in places
    ]
    line, in_line = highlight.safe_line(text, spans)
    assert line == safe_text.line(text)
    assert marked(block, in_block) == marked(line, in_line) == [WORDS[tokens[place]] for place in places]


@given(st.text(), st.data())
def test_no_text_and_no_range_is_too_odd(text: str, data: st.DataObject) -> None:
    ends = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    spans = list(zip(ends[::2], ends[1::2], strict=False))
    for safe, moved in (highlight.safe_line(text, spans), highlight.safe_block(text, spans)):
        flat = [end for span in moved for end in span]
        assert flat == sorted(flat)
        assert all(0 <= end <= len(safe) for end in flat)


def test_of_what_is_not_shown_nothing_is_marked() -> None:
    assert highlight.safe_line("a\x1b[31mdocker\x1b[0m", [(3, 12)]) == ("adocker", ((1, 7),))
    assert highlight.safe_block("a\x1b[31mdocker", [(3, 5)]) == ("adocker", ())


@pytest.mark.parametrize(
    ("query", "said", "shown"),
    [
        ("👩\u200d💻", "pair 👩\u200d💻 works", ["👩💻"]),
        ("⚠\ufe0f", "\n\t⚠\ufe0f careful ⚠\ufe0f", ["⚠", "⚠"]),
        ("👍🏽", "ok 👍🏽", ["👍"]),
        ("می\u200cخواهم", "من می\u200cخواهم", ["میخواهم"]),
        ("data", "soft data\xadbase", ["data"]),
        ("docker", "x\x00docker, docker\u2066", ["docker", "docker"]),
        ("会话", "会\u200b话", []),
        ("docker", "a\x1b[31mdocker\x1b[0m", []),
    ],
)
def test_what_the_search_finds_is_marked(query: str, said: str, shown: list[str]) -> None:
    asked = parse(query, typing=False)
    assert asked.matches(said) is bool(shown)
    found = matches.find(Message(1, "s", "user", said, 0.0), asked)
    assert found.body == matches.body(Message(1, "s", "user", said, 0.0))
    assert marked(found.body, found.spans) == shown
    call = ToolCall("terminal", said)
    calls = matches.find(Message(1, "s", "assistant", "", 0.0, (call,)), asked).calls
    assert [mark for text, spans in calls for mark in marked(text, spans)] == shown
