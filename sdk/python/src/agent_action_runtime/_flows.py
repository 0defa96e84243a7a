"""What the clients do beyond one request, as generators: they yield a request and are sent its response, or a pause in seconds.

So the blocking and the asynchronous client run the same code and differ in who waits.
"""

from __future__ import annotations

import math
import time
from typing import Any, Callable, Dict, Generator, Iterable, Iterator, List, Mapping, Optional, Set, TypeVar, Union

import httpx

from ._errors import SdkError, UnexpectedReplyError, WaitInterruptedError
from ._requests import Page, Request, body_of, connection_error, page_of, pause_before_next_try, request_of
from ._scopes import check_scopes
from .types import Approval, Invocation, ToolExport

T = TypeVar("T")
Flow = Generator[Union[Request, float], Optional[httpx.Response], T]

POLL_SECONDS_MAX = 30
POLL_PAUSE_SECONDS = 0.5
"""Between reads that the service answered at once, which it does where it holds too many that wait."""

INVOCATION = "/api/v2/actions/invocations/{id}"
APPROVAL = "/api/v2/approvals/{id}"
_MOVING = ("pending_approval", "queued", "dispatching")
_IDENTITIES = ("id", "messageId", "groupId", "apiKeyId", "userId", "scheduleId")
"""What names an item in its list. Never its ``name``, which several may have."""
_TOLD_APART_BY = {"messageId": ("number",), "scheduleId": ("trigger", "scheduledFor", "nominalTime", "firedAt")}
"""Attempts of one message share its id, and firings of one schedule that of the schedule."""


def ask(request: Request, read: Callable[[httpx.Response], T]) -> Flow[T]:
    """Sends a request, and again where that is safe."""
    tries = 0
    while True:
        tries += 1
        try:
            try:
                response = yield request
            except httpx.RequestError as error:
                raise connection_error(request, error) from error
            assert response is not None
            return read(response)
        except SdkError as error:
            pause = pause_before_next_try(request, error, tries)
            if pause is None:
                error.idempotency_key = request.idempotency_key
                raise
        yield pause


def call(method: str, template: str, **parts: Any) -> Flow[Any]:
    body = yield from ask(request_of(method, template, **parts), body_of)
    return body["data"]


def call_page(method: str, template: str, **parts: Any) -> Flow[Page[Any]]:
    return (yield from ask(request_of(method, template, **parts), page_of))


def invoke(action: str, body: Mapping[str, Any], *, wait: float, idempotency_key: Optional[str]) -> Flow[Invocation]:
    invocation: Invocation = yield from call(
        "POST",
        "/api/v2/actions/{ref}/invoke",
        path_params={"ref": action},
        body={name: value for name, value in body.items() if value is not None},
        idempotency_key=idempotency_key,
    )
    # An unknown outcome is an answer: nothing is sent again for it, and nothing is waited for.
    if wait <= 0 or invocation["status"] not in _MOVING:
        return invocation
    try:
        invocation = yield from _read_until(INVOCATION, invocation["id"], wait, lambda each: each["status"] not in _MOVING)
    except SdkError as error:
        raise WaitInterruptedError(invocation) from error
    return invocation


def wait_for_invocation(id: str, seconds: float) -> Flow[Invocation]:
    moving = (*_MOVING, "unknown")
    invocation: Invocation = yield from _read_until(INVOCATION, id, seconds, lambda each: each["status"] not in moving)
    return invocation


def wait_for_approval(id: str, seconds: float) -> Flow[Approval]:
    approval: Approval = yield from _read_until(APPROVAL, id, seconds, lambda each: each["status"] != "pending")
    return approval


def _read_until(path: str, id: str, seconds: float, is_done: Callable[[Dict[str, Any]], bool]) -> Flow[Any]:
    """Long polls; at the end of the time it answers the record as it is."""
    deadline = time.monotonic() + seconds
    while True:
        began = time.monotonic()
        wait = math.ceil(min(POLL_SECONDS_MAX, max(0.0, deadline - began)))
        record = yield from call("GET", path, path_params={"id": id}, query={"wait": wait} if wait > 0 else {})
        now = time.monotonic()
        if is_done(record) or now >= deadline:
            return record
        if now - began < POLL_PAUSE_SECONDS:
            yield min(POLL_PAUSE_SECONDS, deadline - now)


def require_scopes(required: Iterable[str], forbidden: Iterable[str]) -> Flow[None]:
    try:
        identity = yield from call("GET", "/api/v2/auth/identity")
    except UnexpectedReplyError as error:
        if error.status != 200:
            raise
        identity = None
    check_scopes(identity, required, forbidden)


def tools(format: str, actions: Optional[str]) -> Flow[ToolExport]:
    """Every page of the export as one."""
    merged: ToolExport = {"tools": [], "names": {}, "dropped": []}
    number = 1
    while True:
        query = {"format": format, "actions": actions, "limit": 100, "page": number}
        page = yield from call_page("GET", "/api/v2/actions/tools", query=query)
        merged["tools"] += page.data["tools"]
        merged["names"].update(page.data["names"])
        merged["dropped"] += page.data["dropped"]
        if not page.pagination["hasMore"]:
            return merged
        number += 1


class Unseen:
    """The items of a page that no earlier page had: what comes meanwhile moves the rest to the next page."""

    def __init__(self) -> None:
        self._seen: Set[Any] = set()

    def of(self, page: Page[List[T]]) -> Iterator[T]:
        if not page.data and page.pagination["hasMore"]:
            raise UnexpectedReplyError("An empty page promises more: reading on would not end.", status=200)
        for item in page.data:
            identity = _identity_of(item)
            if identity is None or identity not in self._seen:
                self._seen.add(identity)
                yield item


def _identity_of(item: Any) -> Any:
    if not isinstance(item, Mapping):
        return None
    name = next((name for name in _IDENTITIES if isinstance(item.get(name), str)), None)
    return None if name is None else (item[name], *(item.get(each) for each in _TOLD_APART_BY.get(name, ())))


