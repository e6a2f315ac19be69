"""What the session list asks for: details and excerpts around what is seen, and more conversations near its end."""

from __future__ import annotations

from hermes_tui.widgets.known_rows import KEPT_DETAILS
from hermes_tui.widgets.session_list import SessionList
from storage import parse
from tests.screen.bare_app import lines_of
from tests.screen.bare_list import details, entries, excerpt, shown


async def test_wanted_names_one_screen_around_what_is_seen() -> None:
    async with shown(entries(100)) as (sessions, app, pilot):
        assert [e.id for e in app.take(SessionList.Wanted)[-1].details] == [f"s{n}" for n in range(20)]
        sessions.put(details(f"s{n}") for n in range(20))
        await pilot.press("pagedown", "pagedown")
        await pilot.pause()
        assert sessions.scroll_offset.y == 9
        wanted = app.take(SessionList.Wanted)[-1]
        assert [e.id for e in wanted.details] == [f"s{n}" for n in range(20, 29)]
        assert wanted.excerpts == ()


async def test_a_search_wants_excerpts_and_forgets_those_of_the_one_before() -> None:
    async with shown(entries(5)) as (sessions, app, pilot):
        sessions.put(details(f"s{n}") for n in range(5))
        app.take(SessionList.Wanted)
        sessions.show(entries(5), query=parse("docker"))
        await pilot.pause()
        wanted = app.take(SessionList.Wanted)
        assert [e.id for e in wanted[-1].excerpts] == ["s0", "s1", "s2", "s3", "s4"]
        assert wanted[-1].details == ()
        sessions.put_excerpts({f"s{n}": excerpt("a docker b", "docker") for n in range(4)} | {"s4": None})
        sessions.show(entries(5), query=parse("docker"))
        await pilot.pause()
        assert app.take(SessionList.Wanted) == []
        sessions.show(entries(5), query=parse("dockerx"))
        await pilot.pause()
        assert len(app.take(SessionList.Wanted)[-1].excerpts) == 5
        sessions.show(entries(5))
        await pilot.pause()
        assert app.take(SessionList.Wanted) == []


async def test_outdated_details_are_drawn_until_new_ones_come() -> None:
    async with shown(entries(2)) as (sessions, app, pilot):
        sessions.put([details("s0", "old"), details("s1", "other")])
        await pilot.pause()
        app.take(SessionList.Wanted)
        sessions.outdate(["s0"])
        await pilot.pause()
        assert [e.id for e in app.take(SessionList.Wanted)[-1].details] == ["s0"]
        assert "old" in lines_of(sessions)[1]
        sessions.put([details("s0", "new")])
        assert "new" in lines_of(sessions)[1]


async def test_details_are_forgotten_beyond_a_number() -> None:
    many = entries(KEPT_DETAILS + 5)
    async with shown(many) as (sessions, app, pilot):
        sessions.put(details(e.id) for e in many)
        app.take(SessionList.Wanted)
        sessions.jump(1)
        await pilot.pause()
        assert [e.id for e in app.take(SessionList.Wanted)[-1].details] == ["s0", "s1", "s2", "s3", "s4"]


async def test_near_end_is_told_once_for_each_length() -> None:
    async with shown(entries(100)) as (sessions, app, pilot):
        assert app.take(SessionList.NearEnd) == []
        await pilot.press("G", "k", "g", "G")
        await pilot.pause()
        assert [message.length for message in app.take(SessionList.NearEnd)] == [100]
        sessions.show(entries(110))
        await pilot.pause()
        assert [message.length for message in app.take(SessionList.NearEnd)] == [110]
