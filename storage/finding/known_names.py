"""Titles and ids of all sessions, folded once until somebody commits: while somebody types, they stay the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, compress, islice
from typing import NamedTuple

from storage.conversation.expressions import text
from storage.engine.connection import Cancel, Reader
from storage.finding import fold
from storage.finding.query import SessionQuery, Term

SPARED = 3
"""Searches after a commit that SQL answers by itself: while others write all the time, nothing that is kept pays."""

_END = "\n"
"""Stands behind each line."""

_ID = "\t"
"""Stands between the words of a title and the id of its session."""


class _Others(NamedTuple):
    """Titles that are not in ASCII: they are few, and looked at one by one."""

    session_ids: Sequence[str]
    titles: Sequence[str]
    folded: str
    """The words of them all."""
    low: str

    def may_hold(self, term: Term) -> bool:
        """Whether any of them may."""
        return term.words[0] in self.folded if term.words else term.stands_in(self.low)


class KnownNames(NamedTuple):
    """What the sessions are called: long texts, for one is searched sooner than many short ones."""

    titles: str
    """A line for each title in ASCII: its words, with one blank before and behind each, and the id."""
    others: _Others
    ids: str
    """A line for each session, those that were stored last first."""
    low: str
    """The same in lower case."""

    def titled(self, query: SessionQuery) -> frozenset[str] | None:
        """The sessions whose title matches; None where a sign may decide it."""
        both = (*query.terms, *query.excluded)
        if any(term.sign or not (term.words or fold.spaceless(term.text)) for term in both):
            return None
        unwanted = [_row(term) for term in query.excluded if term.words]
        found = set[str]()
        for terms in query.alternatives:
            if all(term.words for term in terms):
                found.update(self._in_ascii(sorted(map(_row, terms), key=len), unwanted))
        if any(all(map(self.others.may_hold, terms)) for terms in query.alternatives):
            found.update(compress(self.others.session_ids, query.matching(self.others.titles)))
        return frozenset(found)

    def identified(self, piece: str, most: int) -> Sequence[str] | None:
        """The `most` that were stored last of those with this in their id; None where it is no part of a line."""
        if _END in piece:
            return None
        return [self.ids[start:end] for start, end in islice(_lines(self.low, piece.lower()), most)]

    def _in_ascii(self, rows: Sequence[str], unwanted: Sequence[str]) -> Iterable[str]:
        *more, longest = rows
        if not more and not unwanted:
            return re.findall(f"{re.escape(longest)}[^{_ID}]*{_ID}(.*)", self.titles)
        lines = (self.titles[start:end] for start, end in _lines(self.titles, longest))
        return (
            line[line.index(_ID) + 1 :]
            for line in lines
            if all(row in line for row in more) and not any(row in line for row in unwanted)
        )


def known_names(reader: Reader, cancel: Cancel) -> KnownNames | None:
    """What the sessions are called, when it is likely to be asked again; None before, or where it cannot be kept."""
    looks: list[None] = reader.learned("looks at names", list)
    if len(looks) < SPARED:
        looks.append(None)
        return None
    return reader.learned("names", lambda: _read(reader, cancel))


def _read(reader: Reader, cancel: Cancel) -> KnownNames | None:
    # By key: from their indexes alone both can only be read one by one.
    key = reader.layout.key("sessions")
    keys, ids = reader.json(
        f"SELECT json_array(json_group_array({key}), json_group_array({text('id')}))"
        " FROM sessions WHERE id IS NOT NULL",
        (),
        cancel,
    )
    titled, titles = reader.json(
        f"""SELECT json_array(json_group_array({key}), json_group_array({text("title")}))
        FROM sessions WHERE title IS NOT NULL""",
        (),
        cancel,
    )
    of_key = dict(zip(keys, ids, strict=True))
    ids = "".join([f"{of_key[key]}{_END}" for key in sorted(keys, reverse=True)])
    low = ids.lower()
    if ids.count(_END) != len(keys) or _ID in ids or len(low) != len(ids):
        return None
    named = [(of_key[key], title) for key, title in zip(titled, titles, strict=True) if key in of_key]
    plain = [(id_, title) for id_, title in named if title.isascii()]
    # Folded as one, and in ASCII nothing moves.
    folded = fold.words("".join([title for _, title in plain]))
    ends = accumulate(len(title) for _, title in plain)
    lines = [
        f" {' '.join(folded[end - len(title) : end].split())} {_ID}{session_id}{_END}"
        for (session_id, title), end in zip(plain, ends, strict=True)
    ]
    others = [(id_, title) for id_, title in named if not title.isascii()]
    together = _END.join([title for _, title in others])
    return KnownNames(
        "".join(lines),
        _Others(
            [id_ for id_, _ in others],
            [title for _, title in others],
            fold.words(together),
            fold.lower(together),
        ),
        ids,
        ids if low == ids else low,
    )


def _lines(lines: str, piece: str) -> Iterator[tuple[int, int]]:
    """Where the lines with this in it begin and end."""
    place = lines.find(piece)
    while place >= 0:
        end = lines.index(_END, place)
        yield lines.rfind(_END, 0, place) + 1, end
        place = lines.find(piece, end)


def _row(term: Term) -> str:
    """How the words of a term stand in a title in ASCII."""
    return f" {' '.join(term.words)}{'' if term.opens else ' '}"
