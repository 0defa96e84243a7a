"""Verification of deliveries: is this request from the service, of my environment, and unchanged?"""

from __future__ import annotations

import base64
import binascii
import hmac
import re
import time
from dataclasses import dataclass
from typing import Dict, List, Mapping, Optional, Sequence, Union

from ._errors import DeliveryVerificationError

SECRET_PREFIX = "whsec_"
TOLERANCE_SECONDS = 300
_TIMESTAMP = re.compile(r"[0-9]{1,12}")


@dataclass(frozen=True)
class VerifiedDelivery:
    message_id: str
    """The same on every attempt of a message: skip what you have had."""
    timestamp_seconds: int
    environment_verified: bool
    """False where only v1 was there, and that was accepted."""


def verify_delivery(
    headers: Mapping[str, str],
    body: Union[bytes, str],
    *,
    secret: Union[str, Sequence[str]],
    environment_id: str,
    tolerance_seconds: int = TOLERANCE_SECONDS,
    accept_v1_only: bool = False,
    now: Optional[float] = None,
) -> VerifiedDelivery:
    """Verifies ``webhook-signature`` over the raw body: v1, which signs the message's id, and v2, which signs the environment.

    ``environment_id`` is the environment that you expect, from your own configuration and never from the request. A v2 that is there
    and wrong is a failure, whatever v1 says. ``accept_v1_only`` is for the time of a migration: somebody who may send from another
    environment of the workspace could leave v2 out.

    Raises DeliveryVerificationError, whose ``reason`` names the first check that failed.
    """
    keys = _keys_of([secret] if isinstance(secret, str) else secret)
    known = {name.lower(): value for name, value in headers.items()}
    message_id, timestamp, signatures = (
        known.get(name) or "" for name in ("webhook-id", "webhook-timestamp", "webhook-signature")
    )
    if not (message_id and timestamp and signatures):
        raise DeliveryVerificationError("missing_header")
    sent_at = _time_of(timestamp, time.time() if now is None else now, tolerance_seconds)
    content = body.encode("utf-8") if isinstance(body, str) else bytes(body)
    named = _signatures_of(signatures)
    # v1 first: it is what every delivery has.
    _require(named, "v1", keys, f"{message_id}.{timestamp}.".encode() + content)
    environment_verified = "v2" in named or not accept_v1_only
    if environment_verified:
        _require(named, "v2", keys, f"service-delivery-v2.{timestamp}.{environment_id}.".encode() + content)
    return VerifiedDelivery(message_id, sent_at, environment_verified)


def _keys_of(secrets: Sequence[str]) -> List[bytes]:
    keys = [_key_of(secret) for secret in secrets]
    if not keys or not all(keys):
        raise DeliveryVerificationError("invalid_secret")
    return keys


def _key_of(secret: str) -> bytes:
    """Empty where it is no secret."""
    if not secret.startswith(SECRET_PREFIX):
        return b""
    try:
        return base64.b64decode(secret[len(SECRET_PREFIX) :], validate=True)
    except (binascii.Error, ValueError):
        return b""


def _time_of(timestamp: str, now: float, tolerance_seconds: int) -> int:
    if _TIMESTAMP.fullmatch(timestamp) is None:
        raise DeliveryVerificationError("invalid_timestamp")
    sent_at = int(timestamp)
    if now - sent_at > tolerance_seconds:
        raise DeliveryVerificationError("timestamp_too_old")
    if sent_at - now > tolerance_seconds:
        raise DeliveryVerificationError("timestamp_too_new")
    return sent_at


def _signatures_of(header: str) -> Dict[str, List[str]]:
    """By their version. While the sender rotates its secret there are several of each."""
    named: Dict[str, List[str]] = {}
    for part in header.split(" "):
        version, comma, signature = part.partition(",")
        if comma:
            named.setdefault(version, []).append(signature)
    return named


def _require(named: Mapping[str, List[str]], version: str, keys: Sequence[bytes], content: bytes) -> None:
    if version not in named:
        raise DeliveryVerificationError(f"{version}_missing")
    expected = [base64.b64encode(hmac.digest(key, content, "sha256")) for key in keys]
    # Every pair is compared, so that the time does not tell which one was right.
    matches = [
        hmac.compare_digest(mine, theirs.encode("utf-8", "surrogatepass")) for mine in expected for theirs in named[version]
    ]
    if not any(matches):
        raise DeliveryVerificationError(f"{version}_mismatch")
