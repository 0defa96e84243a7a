"""The start-up check of a credential's scopes."""

from __future__ import annotations

import re
from typing import Any, Iterable, List, Mapping, Optional

from ._errors import MissingScopesError

_SCOPE = re.compile(r"[a-z]+(-[a-z]+)*:[a-z]+(-[a-z]+)*")
_TYPES = ("api_key", "session", "oauth")


def check_scopes(identity: Any, required: Iterable[str], forbidden: Iterable[str]) -> None:
    """``identity`` is the ``data`` of the reply, or whatever came instead. Raises MissingScopesError."""
    wanted, unwanted = _once(required), _once(forbidden)
    scopes = scopes_of(identity)
    if scopes is None:
        raise MissingScopesError(missing=wanted, forbidden=[], malformed=True)
    missing = [scope for scope in wanted if scope not in scopes]
    present = [scope for scope in unwanted if scope in scopes]
    if missing or present:
        raise MissingScopesError(missing=missing, forbidden=present)


def scopes_of(identity: Any) -> Optional[List[str]]:
    """None where the identity is malformed. A session has roles instead of scopes, and satisfies none."""
    if not isinstance(identity, Mapping) or identity.get("type") not in _TYPES:
        return None
    scopes = identity.get("scopes")
    if not isinstance(scopes, list) or not all(isinstance(each, str) and _SCOPE.fullmatch(each) for each in scopes):
        return None
    if identity["type"] == "api_key" and not _is_key(identity):
        return None
    return [] if identity["type"] == "session" else scopes


def _is_key(identity: Mapping[str, Any]) -> bool:
    environment = identity.get("environment")
    return (
        _is_text(identity.get("keyId")) and isinstance(environment, Mapping) and _is_text(environment.get("id"))
    )


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _once(scopes: Iterable[str]) -> List[str]:
    if isinstance(scopes, str):
        raise TypeError("name scopes as a list, not as one text")
    return list(dict.fromkeys(scopes))
