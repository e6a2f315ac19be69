"""The grammar of the search line: what its words, operators and filters mean, and that nothing in it is lost."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from storage import HiddenClass
from storage.finding import fold
from storage.finding.grammar import filter_spans
from storage.finding.query import Filter, SessionQuery, Term, parse


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", ()),
        ("  \t ", ()),
        ("docker", (Term("docker", True),)),
        ("docker ", (Term("docker"),)),
        ("docker dep", (Term("docker"), Term("dep", True))),
        ("docker AND dep", (Term("docker"), Term("dep", True))),
        ('"docker deploy"', (Term("docker deploy"),)),
        ('"docker dep', (Term("docker dep", True),)),
        ('"exact" wor', (Term("exact"), Term("wor", True))),
        ('" padded " x ', (Term("padded"), Term("x"))),
        ('"', ()),
        ('""', ()),
        ('it"s', (Term('it"s', True),)),
        ("dock* x ", (Term("dock", True), Term("x"))),
        ('"docker dep"* x ', (Term("docker dep", True), Term("x"))),
        ("* x ", (Term("*"), Term("x"))),
        ("word** ", (Term("word*", True),)),
        ("-rf --force -v2 - ", (Term("-rf"), Term("--force"), Term("-v2"), Term("-"))),
        ("foo:bar https://x.y ", (Term("foo:bar"), Term("https://x.y"))),
        ("title: x ", (Term("title:"), Term("x"))),
        (
            ".env src/main.py C++ #123 it's 50% ",
            tuple(map(Term, (".env", "src/main.py", "C++", "#123", "it's", "50%"))),
        ),
        ("or and not ", (Term("or"), Term("and"), Term("not"))),
        ("OR", (Term("OR", True),)),
        ("NOT ", (Term("NOT"),)),
        ("again again ", (Term("again"),)),
        ("a\nb", (Term("a"), Term("b", True))),
        ("\ud800", (Term("\ufffd", True),)),
    ],
)
def test_words(text: str, terms: tuple[Term, ...]) -> None:
    query = parse(text)
    assert query == SessionQuery(text, (terms,) if terms else ())
    assert query.terms == terms
    assert query.is_search is bool(terms)
    assert query.ignored == ()


def test_and_binds_tighter_than_or() -> None:
    a, b, c, d = map(Term, "abcd")
    assert parse("a b OR c AND d ").alternatives == ((a, b), (c, d))
    assert parse("a OR a OR b ").alternatives == ((a,), (b,))
    query = parse("a b OR c ")
    assert query.matches("b a")
    assert query.matches("only c")
    assert not query.matches("only a")


@pytest.mark.parametrize("line", ["docker -error", "docker NOT error", "-error docker ", "NOT error docker"])
def test_what_is_excluded_holds_for_the_whole_line(line: str) -> None:
    query = parse(f"{line} OR deploy ")
    assert query.excluded == (Term("error"),)
    assert [query.matches(text) for text in ("docker", "deploy", "docker error", "a deploy error")] == [
        True,
        True,
        False,
        False,
    ]


def test_an_exclusion_alone_is_no_search() -> None:
    query = parse('-error NOT "exit code"')
    assert query.excluded == (Term("error"), Term("exit code"))
    assert not query.is_search
    assert query.restricts


def test_what_is_being_typed_excludes_itself_alone() -> None:
    assert parse("docker -com").excluded == (Term("com"),)
    assert parse("docker -com*").excluded == (Term("com", True),)


@pytest.mark.parametrize(
    ("text", "filters"),
    [
        ("source:cli", (Filter("source", "cli"),)),
        ('source:"my bot"', (Filter("source", "my bot"),)),
        ("-source:cli", (Filter("source", "cli", True),)),
        ("NOT source:cli", (Filter("source", "cli", True),)),
        ("is:pinned is:running is:pinned", (Filter("is", "pinned"), Filter("is", "running"))),
        (
            "msgs:>50 tokens:>=10k cost:<1.5",
            (Filter("msgs", ">50"), Filter("tokens", ">=10k"), Filter("cost", "<1.5")),
        ),
        ("after:7d before:2026-10-01", (Filter("after", "7d"), Filter("before", "2026-10-01"))),
        ("role:tool -tool:terminal", (Filter("role", "tool"), Filter("tool", "terminal", True))),
        (
            "has:children title:x id:2026",
            (Filter("has", "children"), Filter("title", "x"), Filter("id", "2026")),
        ),
    ],
)
def test_filters(text: str, filters: tuple[Filter, ...]) -> None:
    query = parse(text)
    assert query == SessionQuery(filters=filters)
    assert query.ignored == ()
    assert query.restricts
    assert parse(f"{text} docker ").terms == (Term("docker"),)


def test_a_quote_that_is_open_reaches_to_the_end() -> None:
    assert parse('x dir:"~/my pro').filters == (Filter("dir", "~/my pro"),)


@pytest.mark.parametrize(
    ("text", "ignored"),
    [
        ("after:yesterdayish x", "without: after:yesterdayish — not a date like 7d or 2026-10-01"),
        ("before:2026-02-31 x", "without: before:2026-02-31 — not a date like 7d or 2026-10-01"),
        ("msgs:many x", "without: msgs:many — not a number like >50 or 10k"),
        ("has:kids x", "without: has:kids — not one of children, parent"),
        ("-role:bot x", "without: -role:bot — not one of user, assistant, tool"),
        ('source:"" x', 'without: source:"" — nothing after it'),
        ("x source:", "without: source: — nothing after it"),
        ("x OR ", "without: OR — nothing after it"),
        ("OR x", "without: OR — nothing before it"),
        ("x NOT", "without: NOT — nothing after it"),
        ("x OR OR y", "without: OR — nothing between two of them"),
        ("source:cli OR x", "without: OR — it joins words only"),
        ("x OR source:cli", "without: OR — it joins words only"),
        ("x OR source:cli OR", "without: OR — it joins words only"),
        ("x source:cli OR is:pinned", "without: OR — it joins words only"),
        ("x is:pinned OR -is:archived", "without: OR — it joins words only"),
        (
            "x is:pinned OR is:archived",
            "without: OR — it joins words only; is:pinned is:archived means either",
        ),
        (
            "IS:pinned OR is:Archived x",
            "without: OR — it joins words only; is:pinned is:archived means either",
        ),
        ("x OR NOT error", "without: OR — NOT holds for the whole line"),
        ("-error OR x", "without: OR — NOT holds for the whole line"),
        ("x NOT OR y", "without: NOT — nothing after it"),
        ("x NOT NOT y", "without: NOT — nothing after it"),
        ("x AND OR y", "without: OR — nothing between two of them"),
        ("x AND", "without: AND — nothing after it"),
        ("AND x", "without: AND — nothing before it"),
    ],
)
def test_what_means_nothing_is_explained(text: str, ignored: str) -> None:
    query = parse(text)
    assert query.ignored == (ignored,)
    assert query.terms[0].text == "x"


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("x AND NOT error", "x NOT error"),
        ("NOT error AND x", "x NOT error"),
        ("x AND -error AND y", "x y -error"),
        ("x AND is:pinned", "x is:pinned"),
        ("is:pinned AND x", "x is:pinned"),
        ("is:pinned AND is:archived x", "x is:pinned is:archived"),
        ("x OR is:pinned y", "x OR y is:pinned"),
        ("x is:pinned OR y", "x OR y is:pinned"),
        ("x OR is:pinned AND y", "x OR y is:pinned"),
        ("x OR -error y", "x OR y -error"),
        ('x "', "x"),
        ('x -"', "x"),
    ],
)
def test_filters_and_exclusions_stand_anywhere_between_operators(text: str, same: str) -> None:
    assert parse(text, typing=False) == parse(same, typing=False)
    assert parse(text, typing=False).ignored == ()


def test_an_or_between_filters_does_not_take_the_words_apart() -> None:
    query = parse("x is:pinned OR is:archived y", typing=False)
    assert query == parse("x y is:pinned is:archived", typing=False)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("IS:pinned", "is:pinned"),
        ("is:PINNED", "is:pinned"),
        ("-Is:Pinned", "-is:pinned"),
        ("role:User", "role:user"),
        ('has:"Children"', "has:children"),
        ("Source:CLI", "source:CLI"),
        ("TITLE:Docker", "title:Docker"),
    ],
)
def test_keys_and_the_values_they_know_are_read_in_any_case(text: str, same: str) -> None:
    assert parse(text).filters == parse(same).filters
    assert parse(text).ignored == ()
    assert filter_spans(text) == ((0, len(text)),)


@pytest.mark.parametrize(
    ("text", "read_as"),
    [
        ("(docker OR find) todo", "docker OR find AND todo"),
        ("todo (docker OR find)", "todo AND docker OR find"),
        ("x NOT (a b)", "x AND b NOT a"),
        ("-(docker find)", "find NOT docker"),
        ('(x OR "a b") c', 'x OR "a b" AND ) AND c'),
    ],
)
def test_parentheses_are_not_dropped_in_silence(text: str, read_as: str) -> None:
    query = parse(text, typing=False)
    assert query.remarks == (f"no parentheses: read as {read_as}",)
    assert parse(read_as, typing=False).remarks == ()


@pytest.mark.parametrize(
    "text",
    [
        "(build)",
        "main() OR run()",
        "(docker find) todo",
        "(see below",
        "x) OR (y",
        "(a) OR (b)",
        '"(a OR b)"',
        ":-) OR (",
    ],
)
def test_everyday_parentheses_need_no_remark(text: str) -> None:
    assert parse(text).remarks == ()


@pytest.mark.parametrize(
    ("line", "classes"),
    [
        ("source:cron", {HiddenClass.CRON}),
        ("source:CRON source:cli", {HiddenClass.CRON}),
        ("is:archived is:subagent", {HiddenClass.ARCHIVED, HiddenClass.SUBAGENT}),
        ("is:hidden is:tool", {HiddenClass.HIDDEN, HiddenClass.TOOL}),
        ("-is:archived -source:cron is:pinned source:archived", set()),
    ],
)
def test_what_is_asked_for_by_name_is_shown(line: str, classes: set[HiddenClass]) -> None:
    assert parse(line).shown_classes == classes


def test_filters_that_are_understood_are_chips() -> None:
    line = 'source:cli after:soon "is:pinned" -is:error dock'
    assert [line[start:end] for start, end in filter_spans(line)] == ["source:cli", "-is:error"]


def test_nothing_is_a_prefix_when_nobody_is_typing() -> None:
    assert parse("docker dep", typing=False).terms == (Term("docker"), Term("dep"))


PIECES = st.sampled_from(
    [
        "docker",
        "-rf",
        "--force",
        "-error",
        "OR",
        "AND",
        "NOT",
        "err*",
        "-err*",
        "*",
        "-",
        "%",
        "word**",
        "foo:bar",
        "(a",
        "b)",
        "-(abc",
        "title:",
        "会话",
        "-会话",
        "\x00",
        '"a b"',
        '-"a b"',
        '"a"*',
        '"',
        '-"',
        '"x',
        'OR"',
        'NOT"',
        'it"s',
        '-it"s',
        'title:it"s',
        "source:cli",
        '-source:"my bot"',
        "after:7d",
        "after:soon",
        "is:pinned",
        "msgs:>50",
        'dir:"~/x',
        'id:""',
        "-is:x",
    ]
)
LINES = st.one_of(
    st.text(st.characters()),
    st.lists(st.tuples(PIECES, st.sampled_from([" ", "", "  ", "\n"]))).map(
        lambda pairs: "".join(map("".join, pairs))
    ),
)


@given(LINES, st.booleans())
@example('source:"', True)
@example('"\ud83d', True)
def test_any_text_can_be_parsed(text: str, typing: bool) -> None:
    query = parse(text, typing=typing)
    assert query.text == text
    assert all(term.text.strip() for term in (*query.terms, *query.excluded))
    assert all(one.problem == "" for one in query.filters)
    assert all(0 <= start < end <= len(text) for start, end in filter_spans(text))


@given(LINES, st.booleans())
def test_a_query_is_read_from_its_printed_form(text: str, typing: bool) -> None:
    query = parse(text, typing=typing)
    assert parse(str(query)) == query
    assert parse(str(query), typing=False) == query
    assert parse(str(query)).ignored == ()


@given(LINES)
def test_no_word_is_lost(text: str) -> None:
    query = parse(text, typing=False)
    kept = " ".join(
        [
            *(term.text for term in (*query.terms, *query.excluded)),
            *(f"{one.key} {one.value}" for one in query.filters),
            *query.ignored,
        ]
    )
    sound = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    lost = {word for word in fold.words(sound).split() if word not in fold.words(kept).split()}
    assert lost <= {"and", "or", "not"}, "operators do their work"
