"""Which messages an index knows, and which have to be looked at one by one (spec 1.5, 1.7, 3.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from storage.engine.connection import Cancel, Reader
from storage.engine.layout import FtsTable
from storage.errors import IndexDamaged
from storage.finding import beside, fold, glue, index, scan, sieve, trigrams, vocabulary
from storage.finding.beside import Beside
from storage.finding.hits import Route
from storage.finding.index import Indexed
from storage.finding.query import SessionQuery, Term
from storage.finding.ranges import Some
from storage.finding.scope import NEWEST, OLDEST
from storage.finding.sieve import Listed, Sieve, Sieved
from storage.finding.standing import Standing, standing

NEWEST_FIRST = 6_000
"""Messages that are scanned at least before an index is asked for what is everywhere: they hold most of a page."""

NEWEST_WHOLE = 20_000
"""Messages that are scanned where the index does not know all of a message."""

_DENSITY = 0.05
"""Taken for that of what begins very many trigrams."""

FEW_MESSAGES = 60_000
"""That match, up to which the index gathers the beginnings of words in a few milliseconds."""

_GATHERED = 16
"""Messages that the index gathers in the time in which one is scanned."""


COMMON = 0.02
"""The part of the messages that holds a beginning from which on it is not asked for beside words."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Messages from the id `first` on, up to where the stretch before it begins, and the way through them."""

    first: int
    route: Route
    note: str = ""
    """What is not searched here."""
    density: float = 0.0
    """About the part of all messages that is met on this way; only known where it decides something."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The way through all messages, the newest first."""

    stretches: tuple[Stretch, ...]
    notes: tuple[str, ...] = ()
    """Why messages are scanned, or what is not searched."""
    unfinished: bool = False
    """An index is still being built."""

    def below(self, before: int) -> Stretch | None:
        """The stretch that holds the messages right below this id; None where there are none."""
        return next((stretch for stretch in self.stretches if stretch.first < before), None)


def scan_all(why: str) -> Plan:
    """The way without an index."""
    return Plan((Stretch(OLDEST, scan.read, density=1.0),), (f"{why}: scanned",))


@dataclass(frozen=True, slots=True)
class Part:
    """What is looked at of all messages."""

    before: int = NEWEST
    """Only those below this id."""
    some: Some | None = None
    """Only theirs; None: anybody's. The newest of few reach further down."""
    is_weighed: bool = True
    """Whether the index itself must find what matches, and not more than that."""


_ALL = Part()


def plan(reader: Reader, query: SessionQuery, cancel: Cancel, part: Part = _ALL) -> Plan:
    """The quickest way that misses no message of this part, or says what it may miss."""
    try:
        return _plan(reader, query, cancel, part)
    except IndexDamaged:
        return scan_all("search index damaged")


def _plan(reader: Reader, query: SessionQuery, cancel: Cancel, part: Part) -> Plan:
    known = standing(reader)
    layout = reader.layout
    if not (layout.has("messages", "id") and layout.has("messages", "session_id")):
        return Plan((), ("this store has no messages",))
    if layout.fts is None:
        return scan_all("search index missing")
    if not layout.fts.tokenizer.startswith("unicode61"):
        return scan_all("search index unknown")
    if known.is_stale:
        return scan_all("search index out of date")
    notes: tuple[str, ...] = (
        ("old search index: tool calls not searched",) if layout.fts.kind == "one column" else ()
    )
    if known.has_calls and sum(max(1, len(term.words)) for term in query.terms) > sieve.MOST_WORDS:
        notes += (
            f"tool calls: no more than {sieve.MOST_WORDS} words are looked for behind line ends and accents",
        )
    indexed = _of_words if all(term.words for term in query.terms) else _as_written
    stretches = indexed(reader, query, known, part, cancel)
    if stretches is None:
        return scan_all(f"“{_nameless(query).text}” is not in the index")
    gap = known.gap
    return Plan(_around(gap, stretches) if gap else stretches, notes, gap is not None)


def _of_words(
    reader: Reader, query: SessionQuery, known: Standing, part: Part, cancel: Cancel
) -> tuple[Stretch, ...]:
    """By the index of words; where they may touch CJK, by the trigrams as well."""
    wide = known.has_wide or known.has_other_escapes or vocabulary.goes_on_wide(reader, query, cancel)
    glued = glue.glued(known, query, cancel) if wide and known.trigram else None
    route: Route = Indexed(glued)
    others = "" if part.is_weighed else _beside_beginning(reader, query, cancel)
    if others or query.excluded or any(term.sign for term in query.terms):
        sieves = [
            Sieve("messages_fts", others or sieve.of_words(query)),
            *sieve.escaped(reader, query, cancel),
        ]
        route = Sieved((*sieves, *([glued] if glued else ())))
    stretches = _with_partly_known(reader, route, _partly_known(reader, query, known.trigram, wide), cancel)
    opens = any(term.opens for term in query.terms)
    if not (opens or part.some):
        return stretches
    if not opens:
        density = index.density(reader, Sieve("messages_fts", sieve.of_words(query)), cancel)
        return tuple(replace(stretch, density=density) for stretch in stretches)
    density = scan.density(reader, query, cancel)
    stretches = tuple(replace(stretch, density=density) for stretch in stretches)
    oldest, newest = _extent(reader, cancel)
    matching = density * (newest - oldest)
    if matching < FEW_MESSAGES:
        return stretches
    # For each statement it gathers them all, whether or not it is asked for the newest alone.
    many = max(NEWEST_FIRST, int(matching / _GATHERED))
    return _newest(reader, many, part, scan.read, stretches, cancel)


def _beside_beginning(reader: Reader, query: SessionQuery, cancel: Cancel) -> str:
    """MATCH for the words beside a short one that has only begun; empty where there are none, or hardly any begin so.

    For each statement the index gathers all that begin so: it is sooner looked for in what holds the others.
    """
    begun = next((term for term in query.terms if term.opens and len(term.text) < trigrams.LONG), None)
    if begun is None or not (others := sieve.of_others(query, begun)):
        return ""
    is_common = scan.density(reader, SessionQuery.of_terms([begun]), cancel) > COMMON
    return others if is_common else ""


def _partly_known(
    reader: Reader, query: SessionQuery, trigram: FtsTable | None, wide: bool
) -> dict[str, str]:
    """What the index of words may not know of a message, and SQL for which messages these are.

    Args:
        wide: There is CJK, which hides words that touch it.
    """
    layout, partly = reader.layout, {}
    if wide and trigram is None:
        partly["words inside CJK"] = beside.wide(layout)
    elif wide and any(not any(map(trigrams.words_within, terms)) for terms in query.alternatives):
        partly["short words inside CJK"] = beside.wide(layout)
    elif wide and trigram is not None and (lacking := _lacking(trigram, short=False)):
        from_tools = f" AND {beside.from_tools(layout)}" if "tool_calls" in trigram.columns else ""
        partly[f"words inside CJK in {lacking}"] = f"({beside.wide(layout)}){from_tools}"
    if "messages_fts_src" in layout.rowless:
        partly[f"tool output beyond {beside.CUT:,} characters"] = beside.cut(layout)
    return partly


def _with_partly_known(
    reader: Reader, route: Route, partly: Mapping[str, str], cancel: Cancel
) -> tuple[Stretch, ...]:
    """The route; the newest messages of which it may not know all are looked at beside it."""
    if not partly:
        return (Stretch(OLDEST, route),)
    everything = Stretch(OLDEST, route, _not_searched(" and ".join(partly)))
    return _newest(reader, NEWEST_WHOLE, _ALL, Beside(route, tuple(partly.values())), (everything,), cancel)


def _as_written(
    reader: Reader, query: SessionQuery, known: Standing, part: Part, cancel: Cancel
) -> tuple[Stretch, ...] | None:
    """By the trigrams; None where they know nothing of some alternative."""
    if known.trigram is None:
        return None
    sieves: list[Sieve | Listed] = [*sieve.escaped(reader, query, cancel)]
    dense, short, listed = False, False, 0
    if words := sieve.of_words(query):
        sieves.append(Sieve("messages_fts", words))
        if glued := glue.glued(known, query, cancel):
            sieves.append(glued)
    for terms in query.alternatives:
        written = sorted({trigrams.longest(term) for term in terms if not term.words}, key=len, reverse=True)
        long = [text for text in written if len(text) >= trigrams.LONG]
        match = [trigrams.phrase(text) for text in long]
        pairs = [text for text in written if fold.is_pair(text)] if not long and known.has_pairs else []
        # What is short costs a look at the vocabulary: not where something longer leaves little.
        texts = [text for text in written if text] if not (long or pairs) else []
        short |= bool(texts)
        worded = [term for term in terms if term.words]
        if texts and (together := trigrams.beside(reader, texts, worded, cancel)):
            sieves.append(Sieve("messages_fts_trigram", together))
            continue
        places = [ids for text in texts if (ids := known.places(text, cancel)) is not None]
        if places:
            few, *others = sorted(places, key=len)
            both = set(few).intersection(*others) if others else ()
            sieves.append(Listed(tuple(id_ for id_ in few if id_ in both) if others else few))
            listed += len(few)
            continue
        # What is everywhere need not be asked for beside words.
        beside_it = SessionQuery(alternatives=(tuple(worded),))
        parts = glue.anywhere(beside_it) if worded else None
        for text in texts:
            found = trigrams.beginnings(reader, text, cancel)
            if found is not None and (parts is None or len(found) <= trigrams.DENSE):
                dense |= len(found) > trigrams.DENSE
                match.append(trigrams.any_of(found))
        if pairs:
            sieves.append(Sieve("messages_fts_cjk", " AND ".join(map(trigrams.phrase, pairs))))
        elif match:
            # Each time that thousands of trigrams are asked for costs as much as a thousand rows of the answer.
            size = sieve.SLICE * (2 if dense else 1)
            sieves.append(Sieve("messages_fts_trigram", " AND ".join(match), size))
        elif parts is not None:
            sieves += [Sieve("messages_fts", sieve.of_words(beside_it)), parts]
        elif written:
            return None
    lacking = _lacking(known.trigram, short=short)
    in_words = SessionQuery(
        alternatives=tuple(own for own in query.alternatives if all(term.words for term in own))
    )
    partly = _partly_known(reader, in_words, known.trigram, wide=True) if in_words.is_search else {}
    unknown = [*([f"“{_nameless(query).text}” in {lacking}"] if lacking else ()), *partly]
    route = Sieved(tuple(sieves))
    density = _DENSITY if dense else listed / max(1, _extent(reader, cancel)[1])
    everything = (Stretch(OLDEST, route, _not_searched(" and ".join(unknown)) if unknown else "", density),)
    if lacking:
        return _newest(reader, NEWEST_WHOLE, _ALL, scan.read, everything, cancel)
    if partly:
        return _newest(reader, NEWEST_WHOLE, _ALL, Beside(route, tuple(partly.values())), everything, cancel)
    if not dense:
        return everything
    return _newest(reader, NEWEST_FIRST, part, scan.read, everything, cancel)


def _not_searched(what: str) -> str:
    return f"not searched: {what} older than {NEWEST_WHOLE:,} messages"


def _lacking(trigram: FtsTable, *, short: bool) -> str:
    """What the trigrams do not know of old messages."""
    if trigram.kind == "inline":
        return ""
    lacking = [] if trigram.kind == "one column" else ["tool output"]
    if trigram.kind == "external" and "tool_calls" not in trigram.columns:
        lacking += ["tool calls", "cron and subagent sessions"]
    return ", ".join([*lacking, *(["line ends"] if short else [])])


def _nameless(query: SessionQuery) -> Term:
    return next(term for term in query.terms if not term.words)


def _newest(
    reader: Reader,
    many: int,
    part: Part,
    route: Route,
    below: tuple[Stretch, ...],
    cancel: Cancel,
) -> tuple[Stretch, ...]:
    """So many of the newest messages of this part another way; all where there are no more."""
    oldest, newest = _extent(reader, cancel)
    first = min(newest + 1, part.before) - int(many / (part.some.share if part.some else 1))
    if oldest >= first:
        return (Stretch(OLDEST, route, density=1.0),)
    return Stretch(first, route, density=1.0), *(stretch for stretch in below if stretch.first < first)


def _extent(reader: Reader, cancel: Cancel) -> tuple[int, int]:
    """The lowest and the highest id of a message."""
    row = reader.one("SELECT (SELECT min(id) FROM messages), (SELECT max(id) FROM messages)", (), cancel)
    return row if row and isinstance(row[1], int) else (0, 0)


def _around(gap: tuple[int, int], stretches: tuple[Stretch, ...]) -> tuple[Stretch, ...]:
    """The same way, with a scan of the gap."""
    first, before = gap
    above = [replaced(stretch, max(stretch.first, before)) for stretch in stretches]
    return (
        *above,
        Stretch(first, scan.read, density=1.0),
        *(stretch for stretch in stretches if stretch.first < first),
    )


def replaced(stretch: Stretch, first: int) -> Stretch:
    """The same stretch from another id on."""
    return replace(stretch, first=first)
