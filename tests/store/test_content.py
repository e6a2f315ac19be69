"""Content and tool calls as text, whatever is stored."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.conversation.content import flatten, is_encoded, is_summary, tool_calls
from storage.readings import ToolCall

ANY = st.one_of(st.none(), st.text(), st.binary(), st.integers(), st.floats(), st.booleans())
ANY_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["type", "text", "content", "function", "name", "arguments", "x"]), inner
        )
    ),
    max_leaves=12,
)


def parts(*values: object) -> str:
    return "\x00json:" + json.dumps(values)


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        ("plain", "plain"),
        (None, ""),
        (b"caf\xc3\xa9 \xff", "café �"),
        (12, "12"),
        (1.5, "1.5"),
        (
            parts({"type": "text", "text": "a zebra"}, {"type": "image_url", "image_url": {"url": "data:"}}),
            "a zebra [image]",
        ),
        (parts({"type": "input_audio"}, {"type": "text", "text": "what is this"}), "[audio] what is this"),
        (parts({"type": "text", "text": ""}, {"type": "file"}), "[file]"),
        (parts({"type": "thought_signature", "data": "QUJD"}), "[thought_signature]"),
        (parts("one", "two", 3, None), "one two 3"),
        (parts({"type": "tool_result", "content": [{"type": "text", "text": "done"}]}), "done"),
        ('\x00json:{"ok": true}', '{"ok": true}'),
        ('\x01json:[{"type":"text","text":"second form"}]', "second form"),
        (b'\x00json:[{"type":"text","text":"as bytes"}]', "as bytes"),
        ("\x00json:not json", "not json"),
        ("\x00json:" + "[" * 200_000, "[" * 200_000),
        ("\x00json", "\x00json"),
        (parts({"type": "text", "text": "schön 会话"}), "schön 会话"),
    ],
)
def test_flatten(stored: object, text: str) -> None:
    assert flatten(stored) == text


def test_is_encoded() -> None:
    assert is_encoded("\x00json:[]")
    assert is_encoded("\x01json:[]")
    assert is_encoded(b"\x00json:[]")
    assert not is_encoded("json:[]")
    assert not is_encoded("\x00 text")
    assert not is_encoded(None)


def test_is_summary() -> None:
    assert is_summary("[CONTEXT COMPACTION — REFERENCE ONLY] earlier work")
    assert is_summary("[CONTEXT SUMMARY] earlier work")
    assert not is_summary("What does [CONTEXT COMPACTION mean?")
    assert not is_summary("")


@pytest.mark.parametrize(
    ("raw", "calls"),
    [
        (None, ()),
        ("", ()),
        ("[Calling tool: terminal", ()),
        ("[1, null, []]", ()),
        ('"terminal"', ()),
        (
            '[{"function":{"name":"terminal","arguments":"{\\"cmd\\": \\"ls"}}]',
            (ToolCall("terminal", '{"cmd": "ls'),),
        ),
        (
            '[{"name":"read_file","input":{"path":"ä.md"}},{"function":{"arguments":"{}"}}]',
            (ToolCall("read_file", '{"path": "ä.md"}'), ToolCall("unknown", "{}")),
        ),
        ('{"function":{"name":"web_search"}}', (ToolCall("web_search", ""),)),
        (b'[{"function":{"name":7,"arguments":null}}]', (ToolCall("unknown", "null"),)),
    ],
)
def test_tool_calls(raw: object, calls: tuple[ToolCall, ...]) -> None:
    assert tool_calls(raw) == calls


@given(
    ANY
    | st.builds(
        str.__add__, st.sampled_from(["\x00json:", "\x01json:"]), st.text() | ANY_JSON.map(json.dumps)
    )
)
def test_anything_has_a_text(stored: object) -> None:
    assert isinstance(flatten(stored), str)
    assert isinstance(is_encoded(stored), bool)


@given(ANY | ANY_JSON.map(json.dumps))
def test_anything_may_stand_for_tool_calls(raw: object) -> None:
    for call in tool_calls(raw):
        assert call.name
        assert isinstance(call.arguments, str)


@given(st.text())
def test_plain_text_is_untouched(text: str) -> None:
    assert is_encoded(text) or flatten(text) == text
