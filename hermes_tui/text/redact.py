"""Secrets in text, masked: what has the known form of a key, and what stands where a password does."""

from __future__ import annotations


def redact(text: str) -> tuple[str, int]:
    """Mask the secrets in a text; a hint stays of what each was.

    Returns:
        The text, and how many were masked.
    """
    raise NotImplementedError
