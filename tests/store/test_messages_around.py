"""Messages around one of a session's, and with them how the session begins and ends."""

from __future__ import annotations

from typing import Any

import pytest

from storage import SessionDB

ROLES = ("user", "assistant", "tool", "tool", "assistant", "user", "tool", "assistant", "tool", "user")


def ten(db: SessionDB) -> list[int]:
    """Ten messages of a new session; the second says nothing, the last is a picture."""
    db.create_session("s", "cli")
    ids = [
        db.append_message("s", role, "" if place == 1 else f"m{place}")
        for place, role in enumerate(ROLES[:9])
    ]
    return [*ids, db.append_message("s", ROLES[9], [{"type": "image_url", "image_url": {"url": "data:"}}])]


def view(found: dict[str, Any], first: int) -> dict[str, Any]:
    """The view with ids counted from 1 in the place of rows."""
    return {
        name: [row["id"] - first + 1 for row in value] if isinstance(value, list) else value
        for name, value in found.items()
    }


@pytest.mark.parametrize(
    ("asked", "window", "before", "after"),
    [(5, [3, 4, 5, 6, 7], 2, 2), (1, [1, 2, 3], 0, 2), (10, [8, 9, 10], 2, 0)],
)
def test_around(db: SessionDB, asked: int, window: list[int], before: int, after: int) -> None:
    first = ten(db)[0]
    found = db.get_messages_around("s", first + asked - 1, window=2)
    assert view(found, first) == {"window": window, "messages_before": before, "messages_after": after}


def test_around_nothing(db: SessionDB) -> None:
    first = ten(db)[0]
    db.create_session("t", "cli")
    empty = {"window": [], "messages_before": 0, "messages_after": 0}
    assert db.get_messages_around("s", 99999) == empty
    assert db.get_messages_around("t", first) == empty
    assert db.get_anchored_view("t", first) == {**empty, "bookend_start": [], "bookend_end": []}
    assert view(db.get_messages_around("s", first + 4, window=-1), first)["window"] == [5]


@pytest.mark.parametrize(
    ("asked", "window", "bookend", "roles", "expected"),
    [
        (5, 2, 2, ("user", "assistant"), ([5, 6], 2, 2, [1], [8, 10])),
        (5, 1, 2, None, ([4, 5, 6], 1, 1, [1, 3], [9, 10])),
        (5, 0, 2, ("user", "assistant"), ([5], 0, 0, [1], [8, 10])),
        (3, 1, 1, ("user",), ([3], 1, 1, [1], [10])),
        (5, 1, 1, (), ([5], 1, 1, [], [])),
    ],
)
def test_anchored(
    db: SessionDB,
    asked: int,
    window: int,
    bookend: int,
    roles: tuple[str, ...] | None,
    expected: tuple[Any, ...],
) -> None:
    first = ten(db)[0]
    found = db.get_anchored_view("s", first + asked - 1, window, bookend, roles)
    names = ("window", "messages_before", "messages_after", "bookend_start", "bookend_end")
    assert view(found, first) == dict(zip(names, expected, strict=True))
