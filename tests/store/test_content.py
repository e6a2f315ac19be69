"""Content and tool calls as text, whatever is stored."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.conversation.content import asked, decoded, flatten, is_encoded, is_summary, told, tool_calls
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


def call(arguments: object) -> str:
    return json.dumps([{"id": "c1", "function": {"name": "terminal", "arguments": arguments}}])


@pytest.mark.parametrize("plainly", [True, False])
def test_what_a_tool_was_told_reads_as_it_was_meant(plainly: bool) -> None:
    stored = call(json.dumps({"command": 'cd x\ndocker "会话" café 🦀'}, ensure_ascii=not plainly))
    assert told(stored) == 'id c1 function name terminal arguments command cd x\ndocker "会话" café 🦀'


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        (None, ""),
        (call('{"command": "ls"}'), ""),
        (call("no JSON\nat all"), "id c1 function name terminal arguments no JSON\nat all"),
        (call({"command": "a\nb", "times": 2, "deep": [True, None, "c"]}), None),
        ('[{"a": "x\\ny", "a": "z"}]', "a x\ny a z"),
        ('["half a pair \\ud83e"]', "half a pair �"),
        ("[broken \\ndocker", ""),
        ("[" * 100_000 + '"\\n"' + "]" * 100_000, ""),
        (call("[" * 5_000 + "\n"), "id c1 function name terminal arguments " + "[" * 5_000 + "\n"),
        (b'["caf\\u00e9"]', "café"),
    ],
)
def test_tool_calls_of_any_kind_are_told(stored: object, text: str | None) -> None:
    expected = "id c1 function name terminal arguments command a\nb times 2 deep True c"
    assert told(stored) == (expected if text is None else text)


@pytest.mark.parametrize(
    ("stored", "text", "whole"),
    [
        (None, "", ""),
        ("[broken", "", ""),
        ('["docker"]', "", "docker"),
        (
            call('{"command": "ls"}'),
            "terminal command ls",
            "id c1 function name terminal arguments command ls",
        ),
        (call("ls -l"), "terminal ls -l", "id c1 function name terminal arguments ls -l"),
        (call({"deep": ["a", 2]}), "terminal deep a 2", "id c1 function name terminal arguments deep a 2"),
        (call("{}"), "terminal", "id c1 function name terminal arguments"),
        ('{"name": "half \\ud83e", "input": "\\ud83e"}', "half � �", "name half � input �"),
        ('[{"name": "a", "input": "x"}, 5, {"name": "b"}]', "a x b ", "name a input x 5 name b"),
    ],
)
def test_tool_calls_as_they_read(stored: object, text: str, whole: str) -> None:
    assert (asked(stored), decoded(stored)) == (text, whole)


@given(ANY_JSON)
def test_telling_never_raises(value: object) -> None:
    stored = json.dumps([value, {"name": value, "arguments": json.dumps(value)}, "\n"])
    assert told(stored) == decoded(stored)
    assert "\n" in told(stored)
    asked(stored).encode()
