"""Session keys: the table of chat types, the two switches, and who cannot be named (seed 004)."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage import SessionSource, build_session_key
from storage.gateway import whatsapp

ALICE = SessionSource("discord", "77", "group", user_id="1001")
BOB = SessionSource("discord", "77", "group", user_id="1002")
TOPIC = SessionSource("telegram", "-100", "group", user_id="1001", thread_id="9")

DEFAULTS = {
    "agent:main:telegram:dm:1001": SessionSource("telegram", "1001", "dm", user_id="1001"),
    "agent:main:discord:dm:4242": SessionSource("discord", "4242", "dm", user_id="1001"),
    "agent:main:telegram:dm:1001:7": SessionSource("telegram", "1001", "dm", thread_id="7"),
    "agent:main:whatsapp:dm:15551234567": SessionSource("whatsapp", "+15551234567:3@s.whatsapp.net"),
    "agent:main:discord:group:77:1001": ALICE,
    "agent:main:telegram:group:-100:9": TOPIC,
    "agent:main:discord:channel:88:1001": SessionSource("discord", "88", "channel", user_id="1001"),
    "agent:main:signal:group:g1:uuid-1": SessionSource(
        "signal", "g1", "group", "+1555", user_id_alt="uuid-1"
    ),
    "agent:main:whatsapp:group:1203@g.us:999": SessionSource("whatsapp", "1203@g.us", "group", "999@lid"),
}


@pytest.mark.parametrize("key", DEFAULTS)
def test_the_default_of_each_chat_type(key: str) -> None:
    assert build_session_key(DEFAULTS[key]) == key


def test_a_shared_room_is_one_session_for_all() -> None:
    keys = {build_session_key(who, group_sessions_per_user=False) for who in (ALICE, BOB)}
    assert keys == {"agent:main:discord:group:77"}


def test_a_thread_is_shared_until_it_is_asked_for_otherwise() -> None:
    other = SessionSource("telegram", "-100", "group", user_id="1002", thread_id="9")
    assert build_session_key(TOPIC) == build_session_key(other)
    alone = partial(build_session_key, thread_sessions_per_user=True)
    assert alone(TOPIC) == "agent:main:telegram:group:-100:9:1001"
    assert alone(other) == "agent:main:telegram:group:-100:9:1002"
    assert alone(TOPIC, group_sessions_per_user=False) == "agent:main:telegram:group:-100:9"


@pytest.mark.parametrize(
    ("source", "key"),
    [
        (SessionSource("slack", "C1", "channel"), "agent:main:slack:channel:C1"),
        (SessionSource("slack", "C1", "group", user_id=""), "agent:main:slack:group:C1"),
        (SessionSource("slack", None, "group", user_id="U1"), "agent:main:slack:group:U1"),
        (SessionSource("slack", None, "group"), "agent:main:slack:group"),
        (SessionSource("sms", None, "dm", user_id="+1555"), "agent:main:sms:dm:+1555"),
        (SessionSource("sms", "", "dm", thread_id="3"), "agent:main:sms:dm:3"),
        (SessionSource("sms"), "agent:main:sms:dm"),
        (SessionSource("whatsapp", None, "dm", user_id="+1555@lid"), "agent:main:whatsapp:dm:1555"),
    ],
)
def test_who_cannot_be_named_shares_the_room(source: SessionSource, key: str) -> None:
    assert build_session_key(source) == key


def test_profiles_do_not_share_sessions() -> None:
    assert build_session_key(ALICE, profile="coder") == "agent:coder:discord:group:77:1001"
    assert build_session_key(ALICE, profile="default") == build_session_key(ALICE, profile="")


def test_a_number_and_its_lid_are_one_person_where_the_bridge_knows_it(tmp_path: Path) -> None:
    _map(tmp_path / "whatsapp/session", "lid-mapping-15551234567", "9999999999999")
    _map(tmp_path / "whatsapp/session", "lid-mapping-9999999999999_reverse", "15551234567@s.whatsapp.net")
    _map(tmp_path / "platforms/whatsapp/session", "lid-mapping-777", "15551234567")
    canonical = partial(whatsapp.canonical, home=tmp_path)
    forms = ("15551234567@s.whatsapp.net", "9999999999999:2@lid", "+15551234567")
    keys = {build_session_key(SessionSource("whatsapp", form), canonical=canonical) for form in forms}
    assert keys == {"agent:main:whatsapp:dm:15551234567"}
    member = SessionSource("whatsapp", "1203@g.us", "group", "9999999999999@lid")
    assert build_session_key(member, canonical=canonical) == "agent:main:whatsapp:group:1203@g.us:15551234567"
    assert whatsapp.canonical("777@lid", tmp_path) == "777"


@pytest.mark.parametrize("written", ["not json", '"', "[" * 100_000, "null", '{"a": 1}', "\x00", '"../../x"'])
def test_an_unreadable_mapping_says_nothing(tmp_path: Path, written: str) -> None:
    directory = tmp_path / "whatsapp/session"
    directory.mkdir(parents=True)
    (directory / "lid-mapping-123.json").write_text(written, encoding="utf-8")
    assert whatsapp.canonical("123@lid", tmp_path) == "123"


def test_mappings_in_a_circle_end(tmp_path: Path) -> None:
    for here, there in (("1111", "222"), ("222", "3333"), ("3333", "1111")):
        _map(tmp_path / "whatsapp/session", f"lid-mapping-{here}", there)
    assert {whatsapp.canonical(one, tmp_path) for one in ("1111", "222", "3333")} == {"222"}


IDS = st.one_of(st.none(), st.text(max_size=6))


@given(
    source=st.builds(
        SessionSource,
        st.sampled_from(["telegram", "whatsapp", "x"]),
        IDS,
        st.sampled_from(["dm", "group", "channel", "thread"]),
        IDS,
        IDS,
        IDS,
    ),
    per_user=st.booleans(),
    in_threads=st.booleans(),
)
def test_every_origin_has_one_key_that_names_its_room(
    source: SessionSource, per_user: bool, in_threads: bool
) -> None:
    key = build_session_key(source, per_user, in_threads)
    assert key == build_session_key(source, per_user, in_threads)
    assert key.startswith(f"agent:main:{source.platform}:{source.chat_type}")
    if source.chat_type != "dm" and source.chat_id:
        assert key.startswith(f"agent:main:{source.platform}:{source.chat_type}:{source.chat_id}")


NAMES = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=5)


@given(
    chat=NAMES,
    users=st.lists(NAMES, min_size=2, max_size=2, unique=True),
    kind=st.sampled_from(["group", "channel"]),
)
def test_two_people_in_a_room_never_share_a_session_by_accident(
    chat: str, users: list[str], kind: str
) -> None:
    one, other = (SessionSource("discord", chat, kind, user) for user in users)
    assert build_session_key(one) != build_session_key(other)
    assert build_session_key(one, False) == build_session_key(other, False)


def _map(directory: Path, name: str, identifier: str) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    (directory / f"{name}.json").write_text(json.dumps(identifier), encoding="utf-8")
