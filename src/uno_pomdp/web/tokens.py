"""Tokens: who knows one has the session. The server keeps their hashes alone, so its file opens no session."""

import hashlib
import re
import secrets
from typing import Final

BYTES: Final = 32
"""Of a token: 256 bits of the system's randomness."""
FORM: Final = re.compile(r"[A-Za-z0-9_-]{43}")
"""How 32 bytes look in a path."""

Key = bytes
"""The SHA-256 of a token: what a session is kept under."""


def new_token() -> tuple[str, Key]:
    """Return a token that nobody can guess, and the key of what it opens."""
    token = secrets.token_urlsafe(BYTES)
    return token, _hashed(token)


def key_of(token: str) -> Key | None:
    """Return the key of a token; None for a text that is none."""
    return _hashed(token) if FORM.fullmatch(token) else None


def _hashed(token: str) -> Key:
    return hashlib.sha256(token.encode()).digest()
