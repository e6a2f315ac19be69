"""Words quoted for a shell (bash, zsh), safe to print whatever they hold."""

from __future__ import annotations

import shlex
from collections.abc import Iterable

_ESCAPES = {"\\": r"\\", "'": r"\'"}


def line(words: Iterable[str]) -> str:
    """A command line of these words."""
    return " ".join(map(quote, words))


def quote(word: str) -> str:
    """One word, a character that cannot be printed as an escape of `$'…'`."""
    if word.isprintable():
        return shlex.quote(word)
    return "$'" + "".join(_ESCAPES.get(char) or _escaped(char) for char in word) + "'"


def _escaped(char: str) -> str:
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
