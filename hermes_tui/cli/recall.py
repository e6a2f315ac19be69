"""`hermes-tui recall`: what a model would find with `session_search`, as JSON."""

from __future__ import annotations

import argparse
from typing import Final

from hermes_tui.cli import exits
from hermes_tui.cli.command import Call, Command, Misused
from hermes_tui.errors import BrowserError


class NotRecalled(BrowserError):
    """What was asked for is not there; the sentence says what."""


def _run(call: Call) -> int:
    said = call.said
    query = " ".join(said.query)
    if said.around_message_id is not None and said.session_id is None:
        raise Misused("--around-message-id names a message of a session: give its --session-id too")
    if said.session_id is not None and query.strip():
        raise Misused("give words to search for, or a --session-id to look into, not both")
    from storage import session_search

    with call.opened(read_only=True) as db:
        answer = session_search(
            query,
            said.role_filter,
            said.results,
            db,
            said.current_session_id,
            said.session_id,
            said.around_message_id,
            said.window,
            said.sort,
        )
    if not answer["success"]:
        raise NotRecalled(answer["error"])
    call.output.json(answer)
    return exits.OK


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "query",
        metavar="WORD",
        nargs="*",
        help="words that must all be said, 'a phrase', prefix*, AND, OR, NOT; none: the sessions that were last on",
    )
    # The `limit` of a namespace says how many conversations a list has.
    parser.add_argument(
        "--limit",
        dest="results",
        metavar="N",
        type=int,
        default=3,
        help="how many sessions, 1 to 10 (default: %(default)s)",
    )
    parser.add_argument("--sort", choices=("newest", "oldest"), help="by time instead of by relevance")
    parser.add_argument("--role-filter", metavar="ROLE,...", help="who said it (default: user,assistant)")
    parser.add_argument("--session-id", metavar="ID", help="look into this session instead of searching")
    parser.add_argument(
        "--around-message-id", metavar="ID", type=int, help="the message of it to look around"
    )
    parser.add_argument(
        "--window",
        metavar="N",
        type=int,
        default=5,
        help="messages on each side, 1 to 20 (default: %(default)s)",
    )
    parser.add_argument(
        "--current-session-id", metavar="ID", help="the session that asks; its own lineage is left out"
    )


COMMANDS: Final = {
    "recall": Command(
        _run,
        "Print what was said once, as one JSON object: the sessions in which all words are said, each with how it"
        " began, what was said around the hit, and how it ended; a stretch of one session; or the sessions that were"
        " last on.",
        _options,
        changes=False,
    )
}
