"""How text is folded before it is compared: the very rules of FTS5's unicode61 tokenizer, in Python.

What the index finds and what is marked on the screen must be one definition, so the scan, the titles and
the highlights all go by these rules: letters, numbers and private use characters make words, everything else
parts them; case is folded; a Latin letter loses its one diacritic (`remove_diacritics=1`). Only signs that are
younger than its tables are none of its letters here: what touches one is found as it is beside CJK.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from storage.finding import categories

GAP = " "
"""What every character between words folds to."""

_COMBINING = frozenset(
    "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u0309\u030a\u030b\u030c\u030f\u0311\u031b"
    "\u0323\u0324\u0325\u0326\u0327\u0328\u032d\u032e\u0330\u0331"
)
"""The combining marks that unicode61 drops without ending the word; it knows no others."""

COMBINING_MARKS = re.compile(f"[{''.join(sorted(_COMBINING))}]+")

APART = "\x1e"
"""What stands between texts that are folded as one."""

ACCENTED = "\u00c0-\u0233\u0300-\u0331\u1e00-\u1ef9\u212a-\u212b"
"""As a range for a pattern: whatever folds to an ASCII letter, or to nothing."""

WIDE_LETTERS = (
    "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"  # Hangul
    "\u2e80-\u312f\u3190-\u4dbf\u4e00-\u9fff"  # Han, kana, bopomofo and their punctuation
    "\uf900-\ufaff\ufe30-\ufe4f\uff65-\uffdc"
    "\U0001aff0-\U0001b16f\U00020000-\U0003ffff"
)
"""CJK as a range for a pattern; in a folded text its letters alone, for the rest was folded to GAP."""

_PICTURES = "\u231a\u231b\u23e9-\u23ff\u25fd\u25fe\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001fbff"
"""What Unicode shows as a picture by itself (Emoji_Presentation), and the signs among which these stand."""

_PICTURED = "\u20e3\ufe0f"
"""What makes a picture of text: keycap (1️⃣) and variation selector. ™ ‼ ↔ ▶ alone are text, and only part words."""

_YOUNG_SIGNS = "\u20ba-\u20cf\u218a-\u218f\u2427-\u2429\u2e3c-\u2e7f"
"""Signs that are letters to unicode61, for its tables are older: "100₽" is one word to it."""

_YOUNG_CONTROLS = "\u061c\u2066-\u2069"
"""The same, but nothing that is seen: they come along with text that runs from right to left."""

_SPACELESS = re.compile(f"[{WIDE_LETTERS}{_PICTURES}{_PICTURED}{_YOUNG_SIGNS}]")

_SIGN = re.compile(f"[{_PICTURES}{_YOUNG_SIGNS}{_YOUNG_CONTROLS}]")

_JOINT = re.compile(
    f"(?:\ufe0f|(?<=[{_PICTURES}])(?<![\U0001f1e6-\U0001f1ff])(?!\\Z))[\u200d\ufe0f]*|(?=\u20e3)"
)

UNSEEN = "[\u200d\ufe0f\U0001f3fb-\U0001f3ff]*"
"""Pattern for what may stand between two pieces of an emoji and is seldom seen: joiner, selector, skin tone."""

_PAIR = re.compile(
    "[\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0002a6df]{2}"
)


def is_pair(text: str) -> bool:
    """Whether it is two CJK letters, of which `cjk_unicode61` makes one word (spec 1.6)."""
    return _PAIR.fullmatch(text) is not None


def spaceless(text: str) -> bool:
    """Whether there is CJK, emoji or a sign like ₽ in it: what no index of words can take apart."""
    return _SPACELESS.search(text) is not None


def pieces(text: str) -> list[str]:
    """The text without what is not seen of its emoji, taken apart where some of it may stand: 1️⃣ is 1 and a keycap."""
    return [piece for piece in _JOINT.split(text) if piece] or [text]


@dataclass(frozen=True, slots=True)
class Folded:
    """A text as it is compared, and the way back to the text it came from."""

    text: str
    offsets: tuple[int, ...] | None
    """Where each character (and the end) stood; None where nothing was dropped and places are the same."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The range in the original text; a mark that was dropped belongs to the letter before it."""
        if self.offsets is None:
            return start, end
        return self.offsets[start], self.offsets[end]


def words(text: str) -> str:
    """The text as it is compared: its words folded, and a blank for every character between them."""
    # Nearly everything that is stored is ASCII, and bytes are translated several times as fast.
    return text.encode().translate(_ASCII).decode() if text.isascii() else text.translate(_WORDS)


def ascii_words(texts: bytes) -> bytes:
    """The same for bytes of ASCII, with APART where it stands; other bytes stay what they are."""
    return texts.translate(_APART)


def fold(text: str) -> Folded:
    """The same, with the way back to the text."""
    if text.isascii() or _COMBINING.isdisjoint(text):
        return Folded(words(text), None)
    kept = [place for place, char in enumerate(text) if char not in _COMBINING]
    return Folded(words(text), (*kept, len(text)))


def lower(text: str) -> str:
    """Every character in lower case at its own place: for writing that is compared letter by letter."""
    return text.translate(_LOWER)


def _fold_char(char: str) -> str:
    if char in _COMBINING:
        return ""
    category = categories.category(char)
    # A code point without a category is a letter to unicode61.
    if category[0] not in "LN" and (category not in ("Co", "Cn") or _SIGN.match(char)):
        return GAP
    if category == "Lo":
        return char
    folded = char.casefold()
    if len(folded) != 1:
        folded = char.lower()[0]
    parts = unicodedata.normalize("NFD", folded)
    return parts[0] if len(parts) == 2 and parts[0].isascii() else folded


def _lower_char(char: str) -> str:
    low = char.lower()
    return low if len(low) == 1 else char


class _Table(dict[int, str]):
    """A table for `str.translate` that learns a character when it first meets it."""

    def __init__(self, rule: Callable[[str], str]) -> None:
        super().__init__()
        self._rule = rule

    def __missing__(self, code: int) -> str:
        self[code] = char = self._rule(chr(code))
        return char


_WORDS = _Table(_fold_char)
_ASCII = bytes(ord(_fold_char(chr(code))) if code < 128 else code for code in range(256))
_APART = bytes(code if code == ord(APART) else folded for code, folded in enumerate(_ASCII))
_LOWER = _Table(_lower_char)
