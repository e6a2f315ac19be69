"""The family of a session: everything that grew from where it grew from, and why."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from storage.conversation import family as rules
from storage.conversation import relatives
from storage.conversation.expressions import cost, message_count, text, tokens
from storage.conversation.family import Kin
from storage.conversation.preview import previews
from storage.engine.connection import Reader
from storage.errors import UnknownSession
from storage.readings import Lineage, LineageNode
from storage.records import Edge


class _Figures(NamedTuple):
    title: str
    messages: int
    tokens: int
    cost: float | None


def family(reader: Reader, session_id: str) -> Lineage:
    """Every relative of the session, from the top of its family, depth first.

    Siblings come by their start, branches and subagents before continuations, so that the tree ends with
    the live line. A loop among the parents is cut open and its cut session is the top.

    Raises:
        UnknownSession: There is no such session.
    """
    kin = relatives.family(reader, session_id)
    if session_id not in kin:
        raise UnknownSession(session_id)
    above = rules.links(kin)
    reasons = rules.edges(kin, above)
    live = {id_: rules.next_part(found).id for id_, found in rules.continuations(kin, above, reasons).items()}
    tree = _tree(kin, above, reasons, live)
    resumed: dict[str, str] = {}
    for id_ in reversed(tree):
        resumed[id_] = resumed[live[id_]] if id_ in live else id_
    tip = resumed[_first_part(session_id, above, reasons)]
    figures = _figures(reader, tree)
    untitled = [id_ for id_ in tree if not figures[id_].title]
    openings = dict(zip(untitled, previews(reader, [[id_] for id_ in untitled]), strict=True))
    nodes = tuple(
        LineageNode(
            id=id_,
            parent=above.get(id_),
            depth=depth,
            edge=reasons[id_],
            title=figures[id_].title,
            source=kin[id_].source,
            live=id_ == tip,
            messages=figures[id_].messages,
            tokens=figures[id_].tokens,
            cost=figures[id_].cost,
            started_at=kin[id_].started_at,
            chain=resumed[id_],
            preview=openings.get(id_, ""),
        )
        for id_, depth in tree.items()
    )
    costs = [node.cost for node in nodes if node.cost is not None]
    return Lineage(
        nodes,
        messages=sum(node.messages for node in nodes),
        tokens=sum(node.tokens for node in nodes),
        cost=sum(costs) if costs else None,
        tip=tip,
    )


def _tree(
    kin: Mapping[str, Kin], above: Mapping[str, str], reasons: Mapping[str, Edge], live: Mapping[str, str]
) -> dict[str, int]:
    """Depth by id, in the order of the tree; every session stands behind its parent."""
    children: dict[str, list[Kin]] = {}
    for id_, parent in above.items():
        children.setdefault(parent, []).append(kin[id_])

    def place(child: Kin) -> tuple[bool, bool, float, str]:
        return (
            reasons[child.id] is Edge.COMPRESSED,
            live.get(above[child.id]) == child.id,
            *rules.by_age(child),
        )

    tree: dict[str, int] = {}
    waiting = [(id_, 0) for id_ in kin if id_ not in above]
    while waiting:
        id_, depth = waiting.pop()
        tree[id_] = depth
        below = sorted(children.get(id_, ()), key=place, reverse=True)
        waiting.extend((child.id, depth + 1) for child in below)
    return tree


def _first_part(session_id: str, above: Mapping[str, str], reasons: Mapping[str, Edge]) -> str:
    while reasons[session_id] is Edge.COMPRESSED:
        session_id = above[session_id]
    return session_id


def _figures(reader: Reader, session_ids: Iterable[str]) -> dict[str, _Figures]:
    layout = reader.layout
    title = text(layout.column("sessions", "title", "NULL", "s"))
    rows = reader.json(
        f"""SELECT json_group_array(json_array(wanted.value, {title}, {message_count(layout, "s.id")},
            {tokens(layout, "s")}, {cost(layout, "s")}))
        FROM json_each(?1) wanted CROSS JOIN sessions s ON s.id = wanted.value""",
        [json.dumps(list(session_ids))],
    )
    figures = dict.fromkeys(session_ids, _Figures("", 0, 0, None))
    figures |= {
        id_: _Figures(title or "", count, int(spent), paid) for id_, title, count, spent, paid in rows
    }
    return figures
