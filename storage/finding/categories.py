"""The category that FTS5 gives a character: that of Unicode 6.1, from which its tables were made.

They are a part of SQLite's source and the same in every release that has them, while Python's go on with Unicode.
What Unicode 6.1 had not named is a letter to FTS5, without a small one.
"""

from __future__ import annotations

import re
import unicodedata

_NAMED_LATER = (
    "\u037f\u0528-\u052e\u058d-\u058e\u05c8-\u05c9\u0605\u061d\u07fd-\u07ff\u0888-\u08e3\u08ff"
    "\u09fd-\u09fe\u0a76\u0afa-\u0aff\u0b53-\u0b55\u0c00\u0c04-\u0c3c\u0c77\u0c81\u0c84\u0cf3-\u0d01"
    "\u0d3b-\u0d3c\u0d4f\u0d81\u0eba\u0ece\u13f8-\u13fd\u1715\u180f-\u1886\u1ab0-\u1af0\u1b4e-\u1b4f"
    "\u1b7d-\u1b7f\u1c80-\u1cbf\u1cf7-\u1cf9\u1de7-\u1dfb\u2c2f\u2ffc-\u2fff\u31e4-\u31ef\u32ff"
    "\ua698-\ua69e\ua796-\ua79e\ua7ab-\ua7f5\ua82c\ua8c5\ua8fc-\ua8ff\ua9e5\uaa7c-\uaa7d\uab5b-\uabbf"
    "\ufbc2-\ufbd2\ufd40-\ufdcf\ufdfe-\ufdff\ufe27-\ufe2f\U0001018c-\U0001018e\U0001019c-\U000101a0"
    "\U000102e0-\U0001037a\U000104b0-\U00010595\U00010877-\U00010878\U00010ac8-\U00010af6"
    "\U00010b99-\U00010f89\U00011070-\U0001107f\U000110c2-\U000110cd\U00011145-\U00011175"
    "\U000111c9-\U0001166c\U000116b9-\U00011fff\U00012474-\U00016f4f\U00016f7f-\U00016f87"
    "\U00016fe2-\U0001cfc3\U0001d127-\U0001d128\U0001d1de-\U0001d1ff\U0001d250-\U0001d281"
    "\U0001d800-\U0001ed2e"
)
"""Marks, capital letters and rare signs that were added until Unicode 18, and what lies between them."""

_MARKS_ONCE = "\u19b0-\u19c0\u19c8-\u19c9\u1cf2-\u1cf3"
"""Letters that were marks."""

_REPLACED = "\ufffe-\uffff"
"""No characters; SQLite reads the replacement character instead."""


def category(char: str) -> str:
    """In Unicode's short form; Lo for what became anything but a letter without case."""
    if re.match(f"[{_NAMED_LATER}]", char):
        return "Lo"
    if re.match(f"[{_MARKS_ONCE}]", char):
        return "Mc"
    return "So" if re.match(f"[{_REPLACED}]", char) else unicodedata.category(char)
