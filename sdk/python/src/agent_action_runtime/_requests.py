"""One request and what its reply means: no input and output here, so that the blocking and the asynchronous client share all of it."""

from __future__ import annotations

import json
import re
import urllib.parse
import uuid
from dataclasses import dataclass
from typing import Any, Dict, Generic, List, Mapping, Optional, Tuple, TypeVar, Union

import httpx

from ._api_errors import ERROR_TYPES
from ._errors import ApiError, ConnectionError, SdkError, UnexpectedReplyError
from ._operation_table import IDEMPOTENT_OPERATIONS
from .types import OffsetPagination

D = TypeVar("D")

TRIES_MAX = 3
PAUSES_SECONDS = (0.25, 1.0)
"""Before the second try and the third."""
RETRY_AFTER_SECONDS_MAX = 10
CONNECT_TIMEOUT_SECONDS = 10.0
READ_TIMEOUT_SECONDS = 60.0
HELD_TIMEOUT_SECONDS = 330.0
"""The longest time-out of an action is 300 seconds; the service answers 10 seconds later at the latest."""

HELD_ENDS = ("/invoke", "/replay")
"""These are answered when the call to the target has ended."""

_KEY = re.compile(r"[!-~](?:[ -~]{0,253}[!-~])?")
_PARAMETER = re.compile(r"\{(\w+)\}")
_GATEWAY_STATUSES = (502, 503, 504)


@dataclass(frozen=True)
class Page(Generic[D]):
    """One page of a list."""

    data: D
    pagination: OffsetPagination


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    """As it is on the wire, without the query."""
    query: Tuple[Tuple[str, str], ...] = ()
    content: Optional[bytes] = None
    idempotency_key: Optional[str] = None
    read_timeout_seconds: float = READ_TIMEOUT_SECONDS

    @property
    def may_be_repeated(self) -> bool:
        """A read, or a change that the service runs at most once for its key."""
        return self.method == "GET" or self.idempotency_key is not None


def request_of(
    method: str,
    template: str,
    *,
    path_params: Optional[Mapping[str, str]] = None,
    query: Optional[Mapping[str, Any]] = None,
    body: Any = None,
    idempotency_key: Optional[str] = None,
) -> Request:
    """``template`` is the path as the API description has it. An operation that takes an Idempotency-Key gets one of its own."""
    takes_key = (method, template) in IDEMPOTENT_OPERATIONS
    if idempotency_key is not None and not takes_key:
        raise ValueError(f"{method} {template} takes no Idempotency-Key")
    key = None
    if takes_key:
        key = checked_key(uuid.uuid4().hex if idempotency_key is None else idempotency_key)
    wait = (query or {}).get("wait") or 0
    timeout = HELD_TIMEOUT_SECONDS if template.endswith(HELD_ENDS) else READ_TIMEOUT_SECONDS + float(wait)
    # Made once: a repetition sends the very same bytes.
    content = None if body is None else json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8")
    return Request(method, _path_of(template, path_params or {}), _query_of(query or {}), content, key, timeout)


def checked_key(key: str) -> str:
    if _KEY.fullmatch(key) is None:
        raise ValueError("an Idempotency-Key is 1 to 255 printable ASCII characters, without white space at its ends")
    return key


def _path_of(template: str, params: Mapping[str, str]) -> str:
    def replaced(match: "re.Match[str]") -> str:
        value = str(params[match.group(1)])
        # These would be steps within the path, however they are written.
        if value in ("", ".", ".."):
            raise ValueError(f"{value!r} cannot be the {match.group(1)} in {template}")
        return urllib.parse.quote(value, safe="")

    return _PARAMETER.sub(replaced, template)


def _query_of(query: Mapping[str, Any]) -> Tuple[Tuple[str, str], ...]:
    pairs: List[Tuple[str, str]] = []
    for name, value in query.items():
        values = value if isinstance(value, (list, tuple)) else [value]
        pairs.extend((name, _text_of(each)) for each in values if each is not None)
    return tuple(pairs)


def _text_of(value: Union[str, int, float, bool]) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def body_of(response: httpx.Response) -> Dict[str, Any]:
    """The envelope of a success. Raises ApiError or UnexpectedReplyError."""
    try:
        body = json.loads(response.content)
    except ValueError:
        body = None
    if 200 <= response.status_code < 300:
        if isinstance(body, dict) and body.get("success") is True and "data" in body:
            return body
        raise _unexpected(response)
    error = body.get("error") if isinstance(body, dict) and body.get("success") is False else None
    if not isinstance(error, dict) or not isinstance(error.get("code"), str):
        raise _unexpected(response)
    request_id = body.get("requestId") if isinstance(body, dict) else None
    details = error.get("details")
    raise ERROR_TYPES.get(error["code"], ApiError)(
        str(error.get("message", "")),
        code=error["code"],
        status=response.status_code,
        request_id=request_id if isinstance(request_id, str) else None,
        details=details if isinstance(details, dict) else None,
        retry_after_seconds=_retry_after_of(response),
    )


def page_of(response: httpx.Response) -> Page[Any]:
    body = body_of(response)
    pagination = body.get("pagination")
    if not isinstance(pagination, dict) or not isinstance(pagination.get("hasMore"), bool):
        raise UnexpectedReplyError("The reply has no pagination, so it is not a list of this API.", status=response.status_code)
    typed: OffsetPagination = pagination  # type: ignore[assignment]
    return Page(body["data"], typed)


def _unexpected(response: httpx.Response) -> UnexpectedReplyError:
    kind = response.headers.get("content-type", "no content type")
    message = f"The reply ({response.status_code}, {kind}) is not of this API. Does BASE_URL name the service itself?"
    return UnexpectedReplyError(message, status=response.status_code)


def _retry_after_of(response: httpx.Response) -> Optional[int]:
    value = response.headers.get("retry-after", "")
    return int(value) if re.fullmatch(r"[0-9]{1,6}", value) else None


def connection_error(request: Request, error: httpx.RequestError) -> ConnectionError:
    hint = "" if request.idempotency_key is None else f" Ask again with the Idempotency-Key {request.idempotency_key}."
    message = f"{request.method} {request.path} got no reply ({type(error).__name__}); it may have arrived.{hint}"
    return ConnectionError(message)


def pause_before_next_try(request: Request, error: SdkError, tries: int) -> Optional[float]:
    """Seconds, or None where the error is the answer. A change without a key is never sent again: it may have taken effect."""
    if tries >= TRIES_MAX or not request.may_be_repeated or not _is_passing(error):
        return None
    asked = (error.retry_after_seconds or 0) if isinstance(error, ApiError) else 0
    if asked > RETRY_AFTER_SECONDS_MAX:
        return None
    return max(PAUSES_SECONDS[tries - 1], asked)


def _is_passing(error: SdkError) -> bool:
    if isinstance(error, ApiError):
        return error.code in ("SERVICE_UNAVAILABLE", "idempotency_request_in_progress")
    if isinstance(error, UnexpectedReplyError):
        return error.status in _GATEWAY_STATUSES
    return isinstance(error, ConnectionError)
