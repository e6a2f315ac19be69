"""A deletion that was cut off is spoken of at the next start, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest

from hermes_tui.screens.actions.acting import Acting
from storage import SessionDB, TrashedStep
from tests.support.acting import FAMILY
from tests.support.browsing import browsing
from tests.support.on_screen import press, toasts
from tests.support.stores import NOW, BuildV11


def cut_off(step: str, conversations: int) -> TrashedStep:
    return TrashedStep(
        step=step,
        deleted_at=NOW - 100,
        conversations=conversations,
        sessions=("x",),
        titles=("X",),
        messages=3,
        size=100,
        interrupted=True,
    )


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (
            (cut_off("20260101-1", 1),),
            "A deletion was cut off before its end. 1 conversation had gone by then and can be brought back:"
            " hermes-tui sessions trash restore 20260101-1",
        ),
        (
            (cut_off("one", 2), cut_off("two", 3)),
            "Deletions were cut off before their end. 5 conversations had gone by then and can be brought back:"
            " hermes-tui sessions trash list",
        ),
    ],
)
async def test_it_is_said_once(
    build_v11: BuildV11, monkeypatch: pytest.MonkeyPatch, steps: tuple[TrashedStep, ...], said: str
) -> None:
    monkeypatch.setattr(SessionDB, "interrupted_deletions", lambda _: steps)
    path = build_v11(FAMILY)
    async with browsing(path) as (app, pilot):
        # A store of its own place has to be named.
        assert [toast.replace(f" --db {path}", "") for toast in toasts(app)] == [said]
        app.clear_notifications()
        await press(pilot, "f5")
        assert toasts(app) == []


async def test_it_is_asked_for_behind_the_list(build_v11: BuildV11, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    listed = Acting.listed

    def listing(acting: Acting) -> None:
        order.append("listed")
        listed(acting)

    def asked(_: SessionDB) -> tuple[TrashedStep, ...]:
        order.append("asked")
        return ()

    monkeypatch.setattr(Acting, "listed", listing)
    monkeypatch.setattr(SessionDB, "interrupted_deletions", asked)
    path: Path = build_v11(FAMILY)
    async with browsing(path) as (app, _):
        assert toasts(app) == []
    assert order[:2] == ["listed", "asked"]
    assert order.count("asked") == 1
