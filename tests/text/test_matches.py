"""What is marked, counted and walked in a transcript is what the search found, filters of messages and all."""

from __future__ import annotations

import pytest

from hermes_tui.text.matches import copied, matching
from storage import HiddenClass, Message, SessionDB, ToolCall, parse


@pytest.mark.parametrize(
    ("filters", "most"),
    [
        ("", 15),
        ("role:user", 4),
        ("-role:user", 11),
        ("role:user role:tool", 4),
        ("-role:user -role:tool", 11),
        ("role:user -role:user", 0),
        ("tool:terminal", 10),
        ("-tool:terminal", 5),
        ("tool:terminal tool:write_file", 10),
        ("tool:terminal -tool:write_file", 9),
        ("role:assistant -tool:terminal", 3),
        ("tool:nothing", 0),
    ],
)
def test_as_many_messages_match_as_the_list_counts(demo_store: SessionDB, filters: str, most: int) -> None:
    query = parse(f"docker {filters} ")
    hits = {
        hit.entry.id: hit.hits
        for hit in demo_store.search(query, show=frozenset(HiddenClass)).hits
        if hit.hits
    }
    found = {}
    for entry in demo_store.listing(show=frozenset(HiddenClass)).entries:
        messages = demo_store.transcript(entry.parts).messages
        if count := sum(count > 0 for _, count in matching(messages, query, None)):
            found[entry.id] = count
    assert found == hits
    assert max(hits.values(), default=0) == most


def says(text: str = "", *calls: ToolCall, role: str = "assistant", **more: str) -> Message:
    return Message(1, "s", role, text, None, calls, **more)  # type: ignore[arg-type]


DOCKER = ToolCall("terminal", '{"command": "docker ps"}')
CALLED = "[2 tool calls: terminal, patch]"


@pytest.mark.parametrize(
    ("message", "search", "text"),
    [
        (says("  as it\nis \n", DOCKER), "docker", "  as it\nis \n"),
        (says("", DOCKER, ToolCall("patch", "{}")), "", CALLED),
        (says("\n", DOCKER, ToolCall("patch", "{}")), "", CALLED),
        (says("<think>hm</think>", DOCKER, ToolCall("patch", "{}")), "", CALLED),
        (
            says("", DOCKER, ToolCall("patch", "{}")),
            "docker",
            f'{CALLED}\nterminal {{"command": "docker ps"}}',
        ),
        (says("", DOCKER, ToolCall("patch", "{}")), "role:user docker ", CALLED),
        (says(reasoning="let me think"), "", "let me think"),
        (says("<think>hm</think>"), "", "<think>hm</think>"),
        (says("\n", role="tool", tool_name="terminal"), "terminal", ""),
    ],
)
def test_what_is_copied_of_a_message(message: Message, search: str, text: str) -> None:
    assert copied(message, parse(search) if search else None) == text
