"""What can go wrong. The classes for each code of the service are in ``errors``."""

from __future__ import annotations

import builtins
from typing import Any, Dict, List, Mapping, Optional


class SdkError(Exception):
    """Every error of this package but ``TypeError`` and ``ValueError``, which mean a wrong argument.

    ``idempotency_key`` is the key that the request was sent with, or None. Where the error does not say what became of the request, call
    again with this key to find out.
    """

    idempotency_key: Optional[str] = None


class ApiError(SdkError):
    """The service answered with an error. Compare ``code``, or catch the class of the code; the message is for people."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int,
        request_id: Optional[str] = None,
        details: Optional[Dict[str, Any]] = None,
        retry_after_seconds: Optional[int] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.message = message
        self.request_id = request_id
        self.details = details
        self.retry_after_seconds = retry_after_seconds

    def __str__(self) -> str:
        asked = "" if self.request_id is None else f" (request {self.request_id})"
        return f"{self.code}: {self.message}{asked}"


class UnexpectedReplyError(SdkError):
    """Something answered that is not this API: a proxy, another service, a redirect. Its body is not shown: it may hold anything."""

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status = status


class ConnectionError(SdkError, builtins.ConnectionError):
    """No reply came. The request may have arrived all the same."""


class WaitInterruptedError(SdkError):
    """``invoke`` was admitted, and then reading how it goes on failed. ``invocation`` is what was admitted; the cause is below it."""

    def __init__(self, invocation: Mapping[str, Any]) -> None:
        super().__init__(
            f"Invocation {invocation.get('id')} was admitted as {invocation.get('status')}, and could not be read afterwards. "
            "Do not invoke it again: read it with wait_for_invocation."
        )
        self.invocation = invocation


class MissingScopesError(SdkError):
    """The credential is not the one that the program needs. ``malformed``: the identity could not be read, so nothing is known of it."""

    def __init__(self, *, missing: List[str], forbidden: List[str], malformed: bool = False) -> None:
        parts = [
            "the identity is malformed" if malformed else "",
            f"it lacks {', '.join(missing)}" if missing else "",
            f"it must not have {', '.join(forbidden)}" if forbidden else "",
        ]
        super().__init__(f"The credential does not pass: {'; '.join(part for part in parts if part)}.")
        self.missing = missing
        self.forbidden = forbidden
        self.malformed = malformed


class DeliveryVerificationError(SdkError):
    """A delivery must not be trusted. ``reason`` says which check failed first."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"The delivery cannot be trusted: {reason}.")
        self.reason = reason
